"""Notebook 01, last part: which item set is imported, per collection."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cmsmig.mapping.decisions.body_reviews import IN_BULK, INDIVIDUALLY
from cmsmig.mapping.decisions.choices import (
    ArchivedLiveRule,
    ArchiveRule,
    CollectionChoice,
    CollectionsDecision,
    ItemSet,
    Languages,
    MissingLanguage,
    PublishRule,
    QueuedRule,
)
from cmsmig.mapping.propose.former_paths import RenamedCollection
from cmsmig.notebook.inspect.former_path_rows import (
    former_path_rows,
    former_paths_html,
)
from cmsmig.notebook.inspect.item_choices import (
    ARCHIVED,
    ARCHIVED_LIVE,
    LANGUAGES,
    MISSING_LANGUAGE,
    NOT_MIGRATED,
    PUBLISH,
    QUEUED,
    SETS,
    choices_table,
    current_choices,
    describe,
    effect,
    is_changed,
    parse_item_set,
    reasons_text,
    sign,
    standing_html,
    with_set,
)
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.panel import Panel
from cmsmig.notebook.kit.reviewer import known_reviewer, remember_reviewer
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.origin.schema import Collection
from cmsmig.steps.decide.decision_store import write_decision
from cmsmig.steps.decide.pulled_origin import Origin, renamed_collections
from cmsmig.ui.html.safe_html import NOTHING, bold, heading, paragraph, sheet

_HEAD = (
    "Collection",
    "Item set",
    "Archived items",
    "Archived, still online",
    "Queued",
    "Publish",
    "Then",
)
_LABELS = {
    "item-set": "Item set",
    "item-set-archived": "Archived items",
    "item-set-online": "Archived, still online",
    "item-set-queued": "Queued",
    "item-set-publish": "Publish",
}
_WIDTHS = (
    "minmax(5.5em,1.2fr) minmax(8em,1.5fr) repeat(4,minmax(8em,1.1fr)) "
    "minmax(5.5em,1.2fr)"
)


def item_sets(
    workspace: Workspace, origin: Origin, reviewer: str, item_set: str
) -> Panel:
    """Show and decide which items of each collection are imported.

    Unattended with `item_set`, every collection gets that set and the decision is
    written, in bulk, by `reviewer`; without, it shows what stands or is proposed
    and writes nothing. Raises `UsageError` for an unknown set or no reviewer.
    """
    before = current_choices(workspace, origin)
    renamed = renamed_collections(origin)
    decision = with_set(before, parse_item_set(item_set)) if item_set else before
    if workspace.interactive:
        return workspace.panel(
            NOTHING,
            lambda: (
                _Form(
                    workspace,
                    origin,
                    renamed,
                    decision,
                    reviewer or known_reviewer(workspace),
                ).element
            ),
        )
    if item_set and not workspace.dry_run and is_changed(before, decision):
        decision = sign(decision, reviewer, IN_BULK)
        write_decision(workspace.project, decision)
    return workspace.panel(
        sheet(
            standing_html(decision),
            choices_table(origin, decision),
            former_paths_html(decision, renamed),
        ),
        text=describe(decision),
    )


@dataclass(frozen=True, slots=True)
class _Line:
    """The controls of one collection."""

    name: str
    choice: CollectionChoice
    items: widgets.Choice
    archived: widgets.Choice
    online: widgets.Choice
    queued: widgets.Choice
    publish: widgets.Choice
    effect: widgets.Html

    def chosen(self) -> CollectionChoice:
        """Return what the controls say now."""
        migrate = self.items.value != NOT_MIGRATED
        return replace(
            self.choice,
            migrate=migrate,
            items=ItemSet(self.items.value) if migrate else self.choice.items,
            archived=ArchiveRule(self.archived.value),
            archived_live=ArchivedLiveRule(self.online.value),
            queued=QueuedRule(self.queued.value),
            publish=PublishRule(self.publish.value),
        )

    def cells(self) -> tuple[widgets.Element, ...]:
        """Return the line as it is laid out."""
        name = widgets.Html(sheet(bold(self.name)))
        archived = (self.archived, self.online, self.queued)
        return name, self.items, *archived, self.publish, self.effect


class _Form:
    """A line per collection, the reviewer's name, and the button that writes."""

    def __init__(
        self,
        workspace: Workspace,
        origin: Origin,
        renamed: Sequence[RenamedCollection],
        decision: CollectionsDecision,
        reviewer: str,
    ) -> None:
        self._workspace = workspace
        self._origin = origin
        self._decision = decision
        self._board = widgets.Board()
        self._standing = widgets.Html(sheet(standing_html(decision)))
        self._lines = [
            self._line(number, collection, choice)
            for number, collection in enumerate(origin.collections, start=1)
            if (choice := decision.choice(collection.collection_id)) is not None
        ]
        self._languages = self._board.choice(
            "item-set-languages", "Languages", LANGUAGES, decision.languages
        )
        self._missing = self._board.choice(
            "item-set-missing",
            "References to what lacks a language",
            MISSING_LANGUAGE,
            decision.missing_language,
        )
        self._renamed = renamed
        self._former = former_path_rows(self._board, decision, renamed)
        self._reviewer = self._board.text(
            "item-set-reviewer", "Reviewer", reviewer, hint="your name"
        )
        self.element = self._laid_out()
        self._show()

    def _line(
        self, number: int, collection: Collection, choice: CollectionChoice
    ) -> _Line:
        def menu(
            name: str, options: Sequence[tuple[str, str]], value: str
        ) -> widgets.Choice:
            # JupyterLab typesets labels, so that the collection's name stands in none.
            return self._board.choice(
                name,
                f"{_LABELS[name]}, line {number}",
                options,
                value,
                tip=f"{_LABELS[name]}: {collection.display_name}",
                unseen=True,
                changed=self._show,
            )

        return _Line(
            collection.display_name,
            choice,
            menu("item-set", SETS, choice.items if choice.migrate else NOT_MIGRATED),
            menu("item-set-archived", ARCHIVED, choice.archived),
            menu("item-set-online", ARCHIVED_LIVE, choice.archived_live),
            menu("item-set-queued", QUEUED, choice.queued),
            menu("item-set-publish", PUBLISH, choice.publish),
            widgets.Html(),
        )

    def _laid_out(self) -> widgets.Element:
        head = [widgets.Html(sheet(bold(name))) for name in _HEAD]
        rows = [head, *(each.cells() for each in self._lines)]
        save = self._board.button(
            "item-set-save",
            "Write decisions/collections.yaml",
            self._save,
            look="primary",
        )
        about = paragraph(
            "The other choices matter only where the collection is migrated. Archived "
            "items that are still online have visitors; queued ones go live with the "
            "next publish of the site. A mirror shows visitors what is live and keeps "
            "newer edits above it. Single items are decided under `apart` in the file. "
            "Nothing is written before you press the button."
        )
        return widgets.column(
            widgets.Html(sheet(heading("Item set per collection"), about)),
            self._standing,
            widgets.grid(rows, widths=_WIDTHS),
            *self._language_row(),
            widgets.Html(sheet(former_paths_html(self._decision, self._renamed))),
            *(each.control for each in self._former),
            widgets.row(self._reviewer, save),
            self._board.messages,
        )

    def _language_row(self) -> tuple[widgets.Element, ...]:
        """Return the choices about languages, on a site that has several."""
        if sum(each.migrate for each in self._decision.locales) < 2:
            return ()
        return (widgets.row(self._languages, self._missing),)

    def _chosen(self) -> CollectionsDecision:
        """Return the decision with what the controls say now."""
        by_id = {each.choice.collection_id: each.chosen() for each in self._lines}
        return replace(
            self._decision,
            languages=Languages(self._languages.value),
            missing_language=MissingLanguage(self._missing.value),
            former_paths=tuple(filter(None, (each.chosen() for each in self._former))),
            collections=tuple(
                by_id.get(each.collection_id, each)
                for each in self._decision.collections
            ),
        )

    def _show(self) -> None:
        decision = self._chosen()
        for line in self._lines:
            taken, reasons = effect(self._origin, decision, line.chosen())
            left = f"; left out: {reasons_text(reasons)}" if reasons else ""
            line.effect.show(sheet(paragraph(f"{taken:,} imported{left}")))

    def _save(self) -> None:
        decision = sign(self._chosen(), self._reviewer.value, INDIVIDUALLY)
        if self._workspace.dry_run:
            self._board.say("This is a dry run: nothing was written.", "warning")
            return
        path = write_decision(self._workspace.project, decision)
        self._decision = decision
        self._standing.show(sheet(standing_html(decision)))
        self._board.say(f"{path} is written.", "good")
        remember_reviewer(self._workspace, self._reviewer.value)
