"""Findings one by one: what was found in which item, and what to do about it.

A finding is a loss, a link that stays, an item that failed, a file that is missing:
whatever an editor goes through one at a time. Each kind is explained once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field
from typing import Final

from cmsmig.counting import counted
from cmsmig.data_address import is_data
from cmsmig.mapping.select.reference_targets import DanglingCause
from cmsmig.mapping.select.routes import PageCause
from cmsmig.richtext.losses import Loss, LossCounts, Severity
from cmsmig.ui.doc import Doc, Facts, Fold, Link, Note, Part, Table, Text
from cmsmig.ui.report_file import csv_lines

_LONGEST = 200
"""Characters of what was found that a table shows; the CSV has all of it."""
DECIDED: Final = "decided"
"""The severity of what the operator left out."""
SEVERITIES: Mapping[str, str] = {
    Severity.CONTENT: "Content that readers saw or could click",
    Severity.MEANING: "Meaning: a property of content that is kept",
    Severity.LAYOUT: "Layout: how it looks",
    DECIDED: "Left out, as decided",
}
"""The severities of losses with their titles, what matters most first."""
_CSV_HEAD = ("Kind", "Item", "Page at the origin", "Field", "What", "Why", "What to do")
_LOOK = "Nothing. The new site has its own style."
_COPY = "Copy its code from the origin into the story by hand."
_EMBED = "Nothing, if it is not wanted; else change the embed policy in notebook 03."
_TEXT = "Compare the story with the old page, and add what is missing by hand."
_VIDEO = "Choose `video_block` in notebook 02; in design.yaml, `embed` needs the field."
_WORDS: Mapping[str, tuple[str, str]] = {
    "anchor": ("Jump mark", "Let links to it lead to the page itself."),
    "background": ("Picture behind a text", _TEXT),
    "caption": ("Caption of a video or embed", "Nothing, if it may stay a paragraph."),
    "component": ("Component left out", _EMBED),
    "description": ("Description", _TEXT),
    "dropped": ("Element left out", _TEXT),
    "embed": ("Embed left out", _EMBED),
    "empty-code": ("Empty code block", _COPY),
    "empty-embed": ("Empty embed", _COPY),
    "form-control": ("Form field", "Build the form in the new site."),
    "head": ("Part of the head of a page", "Nothing: no page shows it."),
    "hidden": ("Text that was hidden", "Delete it in the story if it is not to show."),
    "icon": ("Sign that the page draws", "Write it as a text or emoji in the story."),
    "iframe": ("Frame left out", _EMBED),
    "image": ("Picture without an address", "Add the picture to the story by hand."),
    "left-out-field": (
        "Field left out",
        "Nothing, if it is not wanted; else give it a field in notebook 02.",
    ),
    "link": ("Link", "Correct the address at the origin, or link it in the story."),
    "linked-image": ("Link of a picture", "Put the link next to the picture."),
    "media": ("Video or sound left out", _EMBED),
    "machine-data": (
        "Data for search engines",
        "Nothing, unless search engines are to read it on the new site.",
    ),
    "missing-file": (
        "Missing file",
        "Open the address; when the file is there, pull again, else correct the item.",
    ),
    "noscript": ("For browsers without scripts", "Nothing, if it is not wanted."),
    "odd-character": ("Odd character", "Write the emoji again in the story."),
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
    "style-sheet": ("Style sheet", _LOOK),
    "target": ("Window of a link", _LOOK),
    "time": (
        "Time of a date",
        "Choose `datetime` in notebook 02 where the time matters.",
    ),
    "unclosed-embed": (
        "Embed that never ends",
        "Close it in the origin's editor.",
    ),
    "unmapped-field": (
        "Field without a place",
        "Give it a field in notebook 02, if it is wanted.",
    ),
    "video": ("Video left out", _EMBED),
    "video-author": ("Author of a video", _VIDEO),
    "video-frame": ("Frame address of a video", _VIDEO),
    "video-thumbnail": ("Thumbnail of a video", _VIDEO),
    "widget": ("Widget", _TEXT),
    "video-title": ("Title of a video", _VIDEO),
}
"""By the code of a loss: what it is called, and what to do about it."""


REPLACE_PICTURE = "Replace the picture at the origin, then pull again."
"""What to do where an address itself should hold a picture."""
_DECIDED = (
    *("component", "embed", "iframe", "left-out-field"),
    *("linked-image", "media", "video"),
)
"""Kinds of loss that follow from the choices about embeds, blocks and fields."""
_REASONS: Mapping[str, str] = {
    "archived_live": "archived, its page still online",
    "collection_not_migrated": "collection not imported",
    "collection_unread": "collection that could not be read",
    "conflict_skipped": "place taken",
    "draft": "draft, not online",
    "in_primary_story": "translation, part of another story",
    "left_out": "left out one by one",
    "locale_not_listed": "language that the site does not list",
    "locale_not_migrated": "language not imported",
    "no_primary_language": "not imported in the primary language",
    "no_such_version": "without the version that was decided",
    "not_live": "not online",
    "not_selected": "no longer part of the import",
    "not_staged": "online, but gone for editors",
    "queued": "waiting to be published",
}
"""By the code of why an item is left out: what that is called."""
LINK_KINDS: Mapping[str, str] = {
    PageCause.STATIC: "Link to a static page",
    PageCause.TEMPLATE: "Link to a collection's own page",
    PageCause.UNLISTED: "Link to a page that is not imported",
    PageCause.LANGUAGE: "Link to a page in another language",
    PageCause.RAW_HTML: "Address in raw HTML",
    DanglingCause.TARGET_FAILED: "Link to an item that failed",
    DanglingCause.NOT_IN_PILOT: "Link to an item outside the pilot",
}
"""What links into the old site that stay are called, by cause."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that an editor should know, or do something about."""

    kind: str
    """What it is in an editor's words, the same for all of its kind."""
    item: str
    """The item's name."""
    page: str
    """The path of its page at the origin; empty where it has none."""
    field: str
    """Empty for what is said of the item as a whole."""
    what: str
    """The text, the address or the file that it is about."""
    why: str
    """One sentence."""
    todo: str
    """One sentence; empty where nothing has to be done."""
    severity: str = ""
    """Of a loss: one of `SEVERITIES`."""
    new_page: str = ""
    """The path of its page at the new site; empty where none is known."""
    since: str = ""
    """Of an item that is new since an import: that it is."""

    @property
    def rank(self) -> int:
        """Return its place in a list: what matters most is first."""
        return ["", *SEVERITIES].index(self.severity)


@dataclass(slots=True)
class _Group:
    """The findings of one severity."""

    kinds: dict[str, tuple[Finding, int]] = field(default_factory=dict)
    """By kind: the first of it, and how many."""
    first: list[Finding] = field(default_factory=list)


def findings_doc(
    findings: Iterable[Finding],
    caption: str,
    *,
    none: str,
    shown: int = 100,
    rest: str = "",
    site: str = "",
    new_site: str = "",
) -> Doc:
    """Return findings by severity: each kind explained once, then the first `shown` of
    each severity, folded.

    They are gone through once. `caption` is for what has no severity; `none` is said
    where there is nothing; `rest` says where the others are; `site` is the address that
    old pages are below, `new_site` that of new ones, which are not linked without it.
    What is layout alone is folded; of what was decided, only the kinds are counted.
    """
    groups = {name: _Group() for name in ("", *SEVERITIES)}
    for each in findings:
        group = groups[each.severity]
        first, count = group.kinds.get(each.kind, (each, 0))
        group.kinds[each.kind] = (first, count + 1)
        if len(group.first) < shown:
            group.first.append(each)
    parts = [
        part
        for name, group in groups.items()
        if group.kinds
        for part in _parts(
            name, group, SEVERITIES.get(name, caption), (site, new_site), rest
        )
    ]
    return parts or [Note(none, "good")]


def _parts(
    name: str, group: _Group, title: str, sites: tuple[str, str], rest: str
) -> Iterator[Part]:
    count = sum(count for _, count in group.kinds.values())
    if name == DECIDED:
        named = (f"{kind} {many:,}" for kind, (_, many) in group.kinds.items())
        yield Text(f"{title}: {', '.join(named)}.")
        return
    kinds = Table(
        ("Kind", "Times", "Why", "What to do"),
        [
            (kind, many, Text(first.why), Text(first.todo))
            for kind, (first, many) in group.kinds.items()
        ],
        f"{title} ({count:,})" if title and name != Severity.LAYOUT else "",
        shown=len(group.kinds),
    )
    rows = [
        (
            each.item,
            _pages(each, *sites),
            each.field,
            each.kind,
            _found(each, group.kinds[each.kind][0].why),
        )
        for each in group.first
    ]
    pages = "Old and new page" if sites[1] else "Page at the origin"
    head = ("Item", pages, "Field", "Kind", "What")
    listed = Table(head, rows, shown=len(rows), total=count, rest=rest)
    each_one = Fold(f"{counted(count, 'finding')}, one by one", (listed,))
    if name == Severity.LAYOUT:
        yield Fold(f"{title} ({count:,})", (kinds, each_one))
    else:
        yield kinds
        yield each_one


def findings_csv_lines(
    findings: Iterable[Finding], to_fill_in: str = ""
) -> Iterator[str]:
    """Yield findings as the lines of a CSV file; no cell is a formula.

    `to_fill_in` is the name of a last column, which is empty.
    """
    width, empty = len(_CSV_HEAD), [to_fill_in] if to_fill_in else []
    rows = ([*astuple(each)[:width], *("" for _ in empty)] for each in findings)
    return csv_lines([*_CSV_HEAD, *empty], rows)


def _pages(finding: Finding, site: str, new_site: str) -> Link | tuple[Link, ...]:
    old, new = Link(finding.page, site), Link(finding.new_page, new_site)
    return (old, new) if new_site and finding.new_page else old


def _found(finding: Finding, usual: str) -> str | Text:
    """Return what was found, and why where that is not what its kind says."""
    what = finding.what
    short = what if len(what) <= _LONGEST else f"{what[:_LONGEST]}…"
    if finding.why == usual:
        return short
    return Text(f"{short}: {finding.why}" if short else finding.why)


def loss_severity(kind: str, severity: Severity) -> str:
    """Return one of `SEVERITIES` for a loss: its own, but for what was decided."""
    return DECIDED if kind in _DECIDED else str(severity)


def loss_facts(counts: LossCounts) -> Iterator[Facts]:
    """Yield the number of losses of each kind, by severity; nothing without any."""
    named: dict[str, list[str]] = {severity: [] for severity in SEVERITIES}
    for severity, kinds in counts.items():
        for kind, count in sorted(kinds.items(), key=lambda pair: -pair[1]):
            at = loss_severity(kind, severity)
            named[at].append(f"{loss_name(kind)} {count:,}")
    rows = [(SEVERITIES[each], ", ".join(named[each])) for each in named if named[each]]
    if rows:
        yield Facts(rows)


def loss_name(kind: str) -> str:
    """Return what a kind of loss is called, by its code."""
    return _WORDS[kind][0] if kind in _WORDS else kind.replace("-", " ").capitalize()


def loss_todo(kind: str, what: str) -> str:
    """Return what to do about a loss of a kind, by its code; `what` is lost."""
    if kind == "missing-file" and is_data(what):
        return REPLACE_PICTURE
    return _WORDS.get(kind, ("", _TEXT))[1]


def reason_name(code: str) -> str:
    """Return why an item is left out in a few words, by its code."""
    return _REASONS.get(code, code.replace("_", " "))


def loss_finding(loss: Loss, **about: str) -> Finding:
    """Return a loss as a list shows it; `about` is what a finding says of its item and
    field."""
    return Finding(
        kind=loss_name(loss.kind),
        what=loss.what or loss.context,
        why=loss.why,
        todo=_LOOK
        if loss.severity is Severity.LAYOUT
        else loss_todo(loss.kind, loss.what),
        severity=loss_severity(loss.kind, loss.severity),
        **about,
    )
