"""Losses in words that an editor understands, by severity, with what to do about
each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cmsmig.mapping.select.reference_targets import DanglingCause
from cmsmig.mapping.select.routes import PageCause
from cmsmig.richtext.build.loss_collector import KINDS
from cmsmig.richtext.losses import Loss, Severity
from cmsmig.ui.doc import Facts
from cmsmig.ui.documents.finding_list import DECIDED, SEVERITIES, Finding

_LOOK = "Nothing, unless the new site is to look the same there."
_COPY = "Copy its code from the origin into the story by hand."
_EMBED = (
    "Nothing, if it is not wanted; else choose otherwise for embeds in notebook 03."
)
_TEXT = "Compare the story with the old page, and add what is missing by hand."
_VIDEO = "Choose `video_block` in notebook 02; in design.yaml, `embed` needs the field."
_WORDS: Mapping[str, tuple[str, str]] = {
    "anchor": ("Jump mark", "Let links to it lead to the page itself."),
    "component": ("Component left out", _EMBED),
    "description": ("Description", _TEXT),
    "dropped": ("Element left out", _TEXT),
    "embed": ("Embed left out", _EMBED),
    "empty-code": ("Empty code block", _COPY),
    "empty-embed": ("Empty embed", _COPY),
    "form-control": ("Form field", "Build the form in the new site."),
    "half-character": ("Half a character", "Write the emoji again in the story."),
    "hidden": ("Text that was hidden", "Delete it in the story if it is not to show."),
    "iframe": ("Frame left out", _EMBED),
    "image": ("Picture without an address", "Add the picture to the story by hand."),
    "instance": (
        "Component that is no block",
        "Nothing, if raw HTML will do; else correct the body at the origin.",
    ),
    "left-out-field": (
        "Field left out",
        "Nothing, if it is not wanted; else take it along in notebook 02.",
    ),
    "link": ("Link", "Correct the address at the origin, or link it in the story."),
    "linked-image": ("Link of a picture", "Put the link beside the picture."),
    "media": ("Video or sound left out", _EMBED),
    "missing-file": (
        "Missing file",
        "Open the address; when the file is there, pull again, else correct the item.",
    ),
    "property": (
        "Property of a component",
        "Nothing, if it is not wanted; else give it a field in notebook 03.",
    ),
    "reversed": ("List that counts down", "Write the numbers into the text."),
    "script": ("Script", "Nothing, unless the new site needs what it did."),
    "text": ("Text", _TEXT),
    "validation": (
        "Value that breaks a rule of its field",
        "Correct the value in the story, or change the rule in notebook 02.",
    ),
    "option": (
        "Option that the field does not have",
        "Choose another option in the story, or add it in notebook 02.",
    ),
    "attribute": ("HTML attribute", _LOOK),
    "element": ("HTML element", _LOOK),
    "source-set": ("Picture sizes", _LOOK),
    "sentence": ("Block within a sentence", _LOOK),
    "size": ("Size of a picture", _LOOK),
    "target": ("Window of a link", _LOOK),
    "unclosed-embed": (
        "Embed that never ends",
        "Choose in notebook 03 where such embeds end.",
    ),
    "unmapped-field": (
        "Field without a place",
        "Give it a field in notebook 02, if it is wanted.",
    ),
    "video": ("Video left out", _EMBED),
    "video-author": ("Author of a video", _VIDEO),
    "video-frame": ("Frame address of a video", _VIDEO),
    "video-thumbnail": ("Thumbnail of a video", _VIDEO),
    "video-title": ("Title of a video", _VIDEO),
}
"""By the code of a loss: what it is called, and what to do about it."""


_DECIDED = (
    *("component", "embed", "iframe", "instance", "left-out-field"),
    *("linked-image", "media", "video"),
)
"""Kinds of loss that follow from the choices about embeds, blocks and fields."""
_MEANING = ("empty-translation", "half-character", "validation", "video-data")
"""Kinds of loss of fields that lose no content; bodies have `KINDS`."""
LINK_KINDS: Mapping[str, str] = {
    PageCause.STATIC: "Link to a static page",
    PageCause.TEMPLATE: "Link to a collection's own page",
    PageCause.UNLISTED: "Link to a page that is not imported",
    PageCause.RAW_HTML: "Address in raw HTML",
    DanglingCause.TARGET_FAILED: "Link to an item that failed",
    DanglingCause.NOT_IN_PILOT: "Link to an item outside the pilot",
}
"""What links into the old site that stay are called, by cause."""


def loss_severity(kind: str, severity: Severity | None = None) -> str:
    """Return one of `SEVERITIES` for a loss; without its own, that of its kind."""
    if kind in _DECIDED:
        return DECIDED
    usual = Severity.MEANING if kind in _MEANING else Severity.CONTENT
    return str(severity or (KINDS[kind][0] if kind in KINDS else usual))


def loss_facts(counts: Mapping[str, int]) -> Iterator[Facts]:
    """Yield the number of losses of each kind, by severity; nothing without any."""
    named: dict[str, list[str]] = {severity: [] for severity in SEVERITIES}
    for kind, count in sorted(counts.items(), key=lambda pair: -pair[1]):
        named[loss_severity(kind)].append(f"{loss_name(kind)} {count:,}")
    rows = [(SEVERITIES[each], ", ".join(named[each])) for each in named if named[each]]
    if rows:
        yield Facts(rows)


def loss_name(kind: str) -> str:
    """Return what a kind of loss is called, by its code."""
    return _WORDS[kind][0] if kind in _WORDS else kind.replace("-", " ").capitalize()


def loss_todo(kind: str) -> str:
    """Return what to do about a kind of loss, by its code."""
    return _WORDS.get(kind, ("", _TEXT))[1]


def loss_finding(loss: Loss, *, item: str, page: str, field: str) -> Finding:
    """Return a loss as a list shows it; `item` is a name, `page` a path."""
    return Finding(
        kind=loss_name(loss.kind),
        item=item,
        page=page,
        field=field,
        what=loss.what or loss.context,
        why=loss.why,
        todo=_LOOK if loss.severity is Severity.LAYOUT else loss_todo(loss.kind),
        severity=loss_severity(loss.kind, loss.severity),
    )
