"""Every control of every notebook, by name: what a browser test has to drive.

A control whose name is not listed here cannot be made. Add yours in the part of
its notebook; the name becomes the class `cmsmig-<name>` in the page.
"""

from __future__ import annotations

from dataclasses import dataclass

from cmsmig.errors import UsageError


@dataclass(frozen=True, slots=True)
class WidgetInfo:
    """One control, or one kind of control where a table has one in each row."""

    name: str
    """Words with hyphens, unique."""
    notebook: str
    """The number of the notebook, two digits."""
    what: str
    """What driving it does, one line."""


WIDGETS: tuple[WidgetInfo, ...] = (
    # 00_start_here
    WidgetInfo("check-again", "00", "asks both services again"),
    WidgetInfo("forecast-again", "00", "computes the forecast again"),
    # 01_inspect_origin
    WidgetInfo("pull", "01", "reads the origin, or goes on reading it"),
    WidgetInfo("pull-stop", "01", "stops reading; what is complete is kept"),
    WidgetInfo("collections-filter", "01", "shows the collections that match"),
    WidgetInfo("collections-detail", "01", "shows one collection's schema and items"),
    WidgetInfo("explore-collection", "01", "lists the items of one collection"),
    WidgetInfo("explore-search", "01", "lists the items that hold words"),
    WidgetInfo("explore-state", "01", "lists the items in one state"),
    WidgetInfo("explore-locale", "01", "lists the items of one locale"),
    WidgetInfo("explore-finding", "01", "lists the items with a finding"),
    WidgetInfo("explore-since", "01", "lists the items changed since a day"),
    WidgetInfo("explore-field", "01", "chooses a field to list items by"),
    WidgetInfo("explore-test", "01", "chooses what is asked of that field"),
    WidgetInfo("explore-value", "01", "names the value that is asked for"),
    WidgetInfo("explore-facet", "01", "lists the items with one value of a field"),
    WidgetInfo("explore-clear", "01", "lists all items again"),
    WidgetInfo("explore-column", "01", "shows a column of the list, or hides it"),
    WidgetInfo("explore-sort", "01", "sorts by a column; again: the other way round"),
    WidgetInfo("explore-order", "01", "sorts by a column, the newest or most first"),
    WidgetInfo("explore-first", "01", "shows the first page"),
    WidgetInfo("explore-back", "01", "shows the page before"),
    WidgetInfo("explore-on", "01", "shows the next page"),
    WidgetInfo("explore-last", "01", "shows the last page"),
    WidgetInfo("explore-up", "01", "goes to the item before"),
    WidgetInfo("explore-down", "01", "goes to the next item"),
    WidgetInfo("explore-open", "01", "opens an item"),
    WidgetInfo("explore-copy", "01", "copies an item's id"),
    WidgetInfo("explore-return", "01", "goes back to the item before, or the list"),
    WidgetInfo("explore-pointing", "01", "lists the items that refer to this one"),
    WidgetInfo("explore-save", "01", "writes the list as CSV into the project"),
    WidgetInfo("references-cause", "01", "shows the dangling references of one cause"),
    WidgetInfo("census-structure", "01", "shows the items that hold a structure"),
    WidgetInfo("obstacles-kind", "01", "shows the items with one kind of obstacle"),
    WidgetInfo("references-browse", "01", "lists the same items in the browser"),
    WidgetInfo("census-browse", "01", "lists the same items in the browser"),
    WidgetInfo("obstacles-browse", "01", "lists the same items in the browser"),
    WidgetInfo("static-pages-read", "01", "lists the pages that are no items"),
    WidgetInfo("item-set", "01", "chooses the item set of a collection"),
    WidgetInfo("item-set-for", "01", "chooses for all collections or for one"),
    WidgetInfo("item-set-archived", "01", "takes or skips a collection's archived"),
    WidgetInfo("item-set-online", "01", "takes or skips what is archived and online"),
    WidgetInfo("item-set-queued", "01", "takes, skips or publishes what is queued"),
    WidgetInfo("item-set-languages", "01", "makes languages stories or fields"),
    WidgetInfo("item-set-missing", "01", "chooses what lacks a language leads to"),
    WidgetInfo("former-path", "01", "lets links below a path lead to items, or stay"),
    WidgetInfo("item-set-publish", "01", "publishes what is live, or nothing"),
    WidgetInfo("item-set-reviewer", "01", "names who decides"),
    WidgetInfo("item-set-save", "01", "writes decisions/collections.yaml"),
    # 02_design_components
    WidgetInfo("design-content-type", "02", "shows another content type's fields"),
    WidgetInfo("design-undo", "02", "takes the last edit of the design back"),
    WidgetInfo("design-component", "02", "names the content type's component"),
    WidgetInfo("design-folder", "02", "names the folder that its stories go into"),
    WidgetInfo("design-folder-name", "02", "titles that folder for editors"),
    WidgetInfo("design-component-label", "02", "names that component for editors"),
    WidgetInfo("design-nestable", "02", "lets blocks be made of it too, or not"),
    WidgetInfo("design-folder-by", "02", "chooses the field that names folders below"),
    WidgetInfo("design-start-page", "02", "names the item that is its start page"),
    WidgetInfo("design-tags-by", "02", "chooses the field that gives stories tags"),
    WidgetInfo("design-date-field", "02", "chooses the field that dates the stories"),
    WidgetInfo("design-order-field", "02", "chooses the field that orders them"),
    WidgetInfo("design-asset-folder", "02", "names the folder of all uploads"),
    WidgetInfo("design-field-label", "02", "names a field for editors"),
    WidgetInfo("design-field-key", "02", "names a field's key"),
    WidgetInfo("design-field-encoding", "02", "chooses what a field becomes"),
    WidgetInfo("design-field-required", "02", "requires a field, or not"),
    WidgetInfo("design-field-section", "02", "puts a field into a section, or none"),
    WidgetInfo("design-field-pick", "02", "chooses a field for a new section"),
    WidgetInfo("design-field-up", "02", "shows a field earlier in the form"),
    WidgetInfo("design-field-down", "02", "shows a field later in the form"),
    WidgetInfo("design-field-leave", "02", "leaves a field out, for the reason given"),
    WidgetInfo("design-leave-reason", "02", "says why fields are left out"),
    WidgetInfo("design-leave-empty", "02", "leaves out what no item fills"),
    WidgetInfo("design-section-name", "02", "names a new section for editors"),
    WidgetInfo("design-section-make", "02", "makes a section of the chosen fields"),
    WidgetInfo("section-label", "02", "names a section for editors"),
    WidgetInfo("section-key", "02", "names the key of a section"),
    WidgetInfo("section-component", "02", "names the component that is nested"),
    WidgetInfo("section-nest", "02", "makes a section a nested component"),
    WidgetInfo("section-flatten", "02", "makes a nested component a group again"),
    WidgetInfo("section-dissolve", "02", "takes a section away; its fields stay"),
    WidgetInfo("options-field", "02", "shows the options of another field"),
    WidgetInfo("options-source", "02", "puts values into the field or a datasource"),
    WidgetInfo("options-datasource", "02", "names the datasource of a field"),
    WidgetInfo("options-label", "02", "names an option"),
    WidgetInfo("design-take-which", "02", "chooses what is taken along again"),
    WidgetInfo("design-take", "02", "takes a field along again that was left out"),
    WidgetInfo("design-block", "02", "names a block's component"),
    WidgetInfo("story-search", "02", "offers the items whose name holds a text"),
    WidgetInfo("story-item", "02", "shows what another item becomes"),
    WidgetInfo("story-previous", "02", "shows what the item before becomes"),
    WidgetInfo("story-next", "02", "shows what the next item becomes"),
    WidgetInfo("story-view", "02", "shows the form, the story or its component"),
    WidgetInfo("samples-content-type", "02", "shows another content type's samples"),
    WidgetInfo("samples-again", "02", "shows the samples with the edits so far"),
    WidgetInfo("design-reviewer", "02", "names who accepts the design"),
    WidgetInfo("design-accept", "02", "writes decisions/design.yaml"),
    # 03_preview_rich_text
    WidgetInfo("losses-search", "03", "lists the losses that hold words"),
    WidgetInfo("losses-kind", "03", "lists the losses of one kind"),
    WidgetInfo("losses-sort", "03", "sorts by a column; again: the other way round"),
    WidgetInfo("losses-back", "03", "shows the page of losses before"),
    WidgetInfo("losses-on", "03", "shows the next page of losses"),
    WidgetInfo("losses-save", "03", "writes the losses as CSV into the project"),
    WidgetInfo("embed-kind", "03", "chooses what becomes of a kind of embeds"),
    WidgetInfo("embed-signature", "03", "chooses what becomes of a host's embeds"),
    WidgetInfo("component-chosen", "03", "shows one of the designer's components"),
    WidgetInfo("component-becomes", "03", "makes its instances blocks of their own"),
    WidgetInfo("component-block", "03", "names the block of its instances"),
    WidgetInfo("component-prop", "03", "chooses what a property of it becomes"),
    WidgetInfo("embed-unclosed", "03", "ends embeds that hold the rest of a body"),
    WidgetInfo("embed-search", "03", "offers the hosts whose name holds a text"),
    WidgetInfo("embed-previous", "03", "offers the hosts before"),
    WidgetInfo("embed-next", "03", "offers the hosts after"),
    WidgetInfo("blocks-field", "03", "shows how another field's bodies are stored"),
    WidgetInfo("blocks-mode", "03", "stores a field's bodies in one piece, or blocks"),
    WidgetInfo("blocks-rule", "03", "splits a field's bodies at a structure, or not"),
    WidgetInfo("blocks-level", "03", "splits at headings down to a level"),
    WidgetInfo("body-search", "03", "offers the bodies whose name holds a text"),
    WidgetInfo("body-state", "03", "offers the bodies that are reviewed, or not"),
    WidgetInfo("body-loss", "03", "offers the bodies that lose something"),
    WidgetInfo("body-structure", "03", "offers the bodies that hold a structure"),
    WidgetInfo("body-field", "03", "offers the bodies of one collection's field"),
    WidgetInfo("body-locale", "03", "offers the bodies of one locale"),
    WidgetInfo("body-item", "03", "shows the body of another item"),
    WidgetInfo("body-previous", "03", "shows the body before"),
    WidgetInfo("body-next", "03", "shows the body after"),
    WidgetInfo("body-seen", "03", "ticks a body that needs no review as seen"),
    WidgetInfo("body-wide", "03", "gives the panes the whole width, or not"),
    WidgetInfo("body-copy", "03", "copies the document as JSON"),
    WidgetInfo("body-open", "03", "shows the next body that awaits a review"),
    WidgetInfo("body-back", "03", "goes a page of bodies back"),
    WidgetInfo("body-on", "03", "goes a page of bodies on"),
    WidgetInfo("review-name", "03", "names who reviews"),
    WidgetInfo("review-accept", "03", "accepts a body's blocks and shows the next one"),
    WidgetInfo("review-undo", "03", "takes the last decision or change back"),
    WidgetInfo("review-reset", "03", "gives a body the proposed blocks again"),
    WidgetInfo("review-kind", "03", "chooses bodies by what they are split for"),
    WidgetInfo("review-bulk", "03", "accepts the chosen bodies as they are proposed"),
    WidgetInfo("review-all", "03", "accepts every body that is left"),
    WidgetInfo("block-select", "03", "makes a block the one that keys act on"),
    WidgetInfo("block-previous", "03", "makes the block before the current one"),
    WidgetInfo("block-next", "03", "makes the block after the current one"),
    WidgetInfo("block-merge", "03", "merges a block with the next one"),
    WidgetInfo("block-reject", "03", "takes a block back into the text"),
    WidgetInfo("block-split", "03", "splits a block at the chosen part"),
    WidgetInfo("block-split-at", "03", "chooses the part that a block is split before"),
    WidgetInfo("block-type", "03", "makes a block one of the chosen kind"),
    WidgetInfo("block-type-at", "03", "chooses the kind that a block becomes"),
    WidgetInfo("cross-check", "03", "compares all bodies with the official converter"),
    WidgetInfo("cross-check-stop", "03", "stops comparing; what was compared is shown"),
    WidgetInfo("bodies-reviewer", "03", "names who accepts blocks and embeds"),
    WidgetInfo("bodies-accept", "03", "accepts decisions/blocks.yaml and embeds.yaml"),
    # 04_prepare_destination
    WidgetInfo("plan-again", "04", "computes the plan again"),
    WidgetInfo("plan-recreate", "04", "plans to make again what is gone, or not"),
    WidgetInfo("conflict-take", "04", "decides whose value stands in a field"),
    WidgetInfo("gone-take", "04", "decides what becomes of what one side lost"),
    WidgetInfo("foreseen-search", "04", "lists the findings that hold words"),
    WidgetInfo("foreseen-list", "04", "lists the findings of one sort"),
    WidgetInfo("foreseen-kind", "04", "lists the findings of one kind"),
    WidgetInfo("foreseen-sort", "04", "sorts by a column; again: the other way round"),
    WidgetInfo("foreseen-back", "04", "shows the page of findings before"),
    WidgetInfo("foreseen-on", "04", "shows the next page of findings"),
    WidgetInfo("foreseen-save", "04", "writes the findings as CSV into the project"),
    WidgetInfo("client-plan-save", "04", "writes the plan for a client as a page"),
    WidgetInfo("prepare-start", "04", "makes components, folders and assets"),
    WidgetInfo("prepare-stop", "04", "stops after the calls in flight"),
    # 05_create_stories
    WidgetInfo("create-start", "05", "creates the stories, or goes on"),
    WidgetInfo("create-stop", "05", "stops after the calls in flight"),
    # 06_link_stories
    WidgetInfo("link-start", "06", "fills relations and internal links"),
    WidgetInfo("link-stop", "06", "stops after the calls in flight"),
    WidgetInfo("publish-start", "06", "publishes what was decided to be published"),
    WidgetInfo("publish-stop", "06", "stops after the calls in flight"),
    # 07_verify_and_redirect
    WidgetInfo("verify-start", "07", "reads everything back and compares it"),
    WidgetInfo("verify-stop", "07", "stops reading back"),
    WidgetInfo("redirects-write", "07", "writes redirects/redirects.csv"),
    WidgetInfo("checklist-again", "07", "computes the checklist again"),
    WidgetInfo("checklist-line", "07", "chooses the line that is ticked"),
    WidgetInfo("checklist-name", "07", "names who saw to it"),
    WidgetInfo("checklist-note", "07", "says more about it"),
    WidgetInfo("checklist-tick", "07", "ticks the line, in checklist.yaml"),
    WidgetInfo("checklist-untick", "07", "takes the tick away"),
    WidgetInfo("findings-search", "07", "lists the findings that hold words"),
    WidgetInfo("findings-list", "07", "lists the findings of one sort"),
    WidgetInfo("findings-kind", "07", "lists the findings of one kind"),
    WidgetInfo("findings-sort", "07", "sorts by a column; again: the other way round"),
    WidgetInfo("findings-back", "07", "shows the page of findings before"),
    WidgetInfo("findings-on", "07", "shows the next page of findings"),
    WidgetInfo("findings-save", "07", "writes the findings as CSV into the project"),
    WidgetInfo("report-write", "07", "writes report.html and report.json"),
)


def dom_class(name: str) -> str:
    """Return the class that a control of this name carries in the page.

    Raises `UsageError` for a name that is not listed in `WIDGETS`.
    """
    if all(each.name != name for each in WIDGETS):
        raise UsageError(
            f"The control {name!r} is not listed in "
            "cmsmig/notebook/kit/control_registry.py; add it there, so that the "
            "browser tests drive it."
        )
    return f"cmsmig-{name}"


def purpose(name: str) -> str:
    """Return what driving a control does, or empty for an unlisted one."""
    return next((each.what for each in WIDGETS if each.name == name), "")
