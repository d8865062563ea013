"""Findings one by one before a person: a list that is searched, sorted and saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.evidence.redirects import write_pieces
from cmsmig.notebook.kit.finding_rows import COLUMNS, FindingFilter, FindingRows
from cmsmig.notebook.kit.live_controls import button, search, select, words
from cmsmig.notebook.kit.live_panel import Heard, Live, LiveBoard
from cmsmig.ui.documents.finding_list import Finding, findings_csv_lines
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, joined, note, paragraph, sheet, site_link

PAGE = 25
"""Findings that are shown at once."""
_HEADS = {
    "item": "Item",
    "page": "Page at the origin",
    "field": "Field",
    "kind": "Kind",
    "what": "What",
    "why": "Why",
    "todo": "What to do",
}
_LONGEST = 160
"""Characters of a cell; the CSV has all of it."""
_REGIONS = (
    "above", "progress", "search", "lists", "kinds", "steps", "said", "explained",
    "list",
)  # fmt: skip
_made = partial(fragment, "notebook/kit/finding_panel.html")


@dataclass(frozen=True, slots=True)
class FindingWords:
    """What a list of findings is called."""

    prefix: str
    """Of the names of its controls in the registry: `losses-search` and so on."""
    title: str
    one: str
    many: str
    """A finding, and several: `loss`, `losses`."""
    none: str
    """What is said when there is nothing."""
    not_yet: str
    """What is said while there is nothing so far."""
    left_out: str
    """What is said of a CSV that is written before all is found."""


@dataclass(slots=True)
class FindingSources:
    """Where a list of findings takes from what it shows."""

    rows: FindingRows
    folder: Path
    """Where CSV files go."""
    file: str
    """The name of its CSV file, without the ending."""
    dry_run: bool
    is_complete: Callable[[], bool]
    above: Callable[[], Markup] = lambda: NOTHING
    """What stands above the list."""
    progress: Callable[[], str] = lambda: ""
    """How far the search for findings is, in a sentence."""
    parts: Sequence[tuple[str, str]] = ()
    """What each part of the rows is called, and the name of its file."""
    site: str = ""
    """The address that pages are below; empty: pages are no links."""


class FindingPanel:
    """Shows a page of the list, and handles its controls."""

    def __init__(self, called: FindingWords, sources: FindingSources) -> None:
        self._called = called
        self._sources = sources
        self._wanted = FindingFilter()
        self._first = 0
        self._said = ""
        self.board = LiveBoard()
        self.live = Live(
            self.board,
            called.title,
            _made("frame", title=called.title, prefix=called.prefix),
            [f"{called.prefix}_{name}" for name in _REGIONS],
            {f"{called.prefix}-{name}": heard for name, heard in self._heard()},
        )

    def renew(self) -> None:
        """Show what came by itself."""
        self.show(calm=True)

    def show(self, *, calm: bool = False) -> None:
        """Show the list as it is now; `calm` when nobody asked for it."""
        count = self._sources.rows.count(self._wanted)
        kinds = self._sources.rows.kinds(self._wanted.part)
        progress = self._sources.progress()
        shown = {
            "above": self._sources.above(),
            "progress": sheet(paragraph(progress)) if progress else NOTHING,
            "search": search(
                self._name("search"),
                "Search",
                self._wanted.text,
                hint="name, page or text",
            ),
            "lists": self._lists(),
            "kinds": select(
                self._name("kind"),
                "Kind",
                [
                    ("all", ""),
                    *((f"{kind} ({times:,})", kind) for kind, times, _, _ in kinds),
                ],
                self._wanted.kind,
            ),
            "steps": self._steps(count),
            "said": sheet(note(self._said, "good")) if self._said else NOTHING,
            "explained": self._explained(kinds),
            "list": self._list() if count else self._nothing(bool(kinds)),
        }
        regions = {
            f"{self._called.prefix}_{name}": each for name, each in shown.items()
        }
        self.live.show(regions, calm=calm)

    def _heard(self) -> list[tuple[str, Heard]]:
        heard: list[tuple[str, Heard]] = [
            ("search", lambda value: self._want(replace(self._wanted, text=value))),
            ("kind", lambda value: self._want(replace(self._wanted, kind=value))),
            ("sort", self._sort),
            ("back", lambda _: self._turn(-PAGE)),
            ("on", lambda _: self._turn(PAGE)),
            ("save", lambda _: self._save()),
        ]
        return [*heard, ("list", self._choose)] if self._sources.parts else heard

    # What people ask for.

    def _want(self, wanted: FindingFilter) -> None:
        self._wanted = wanted
        self._first, self._said = 0, ""
        self.show()

    def _choose(self, value: str) -> None:
        part = int(value) if value else None
        self._want(replace(self._wanted, part=part, kind=""))

    def _sort(self, column: str) -> None:
        again = self._wanted.sort == column
        down = again and not self._wanted.descending
        self._want(replace(self._wanted, sort=column, descending=down))

    def _turn(self, by: int) -> None:
        count = self._sources.rows.count(self._wanted)
        last = max(count - 1, 0) // PAGE * PAGE
        self._first, self._said = min(max(self._first + by, 0), last), ""
        self.show()

    def _save(self) -> None:
        sources, part = self._sources, self._wanted.part
        name = sources.file if part is None else sources.parts[part][1]
        path = sources.folder / f"{name}.csv"
        if sources.dry_run:
            self._said = f"This is a dry run: {path} is not written."
        else:
            write_pieces(path, findings_csv_lines(sources.rows.all(self._wanted)))
            count = sources.rows.count(self._wanted)
            self._said = f"{counted(count, 'line')} written to {path}."
            if not sources.is_complete():
                self._said += f" {self._called.left_out}"
        self.show()

    # What is shown.

    def _name(self, control: str) -> str:
        return f"{self._called.prefix}-{control}"

    def _lists(self) -> Markup:
        if not self._sources.parts:
            return NOTHING
        listed = [
            (f"{title} ({self._sources.rows.count(FindingFilter(part=n)):,})", str(n))
            for n, (title, _) in enumerate(self._sources.parts)
        ]
        chosen = self._wanted.part
        value = "" if chosen is None else str(chosen)
        return select(self._name("list"), "List", [("all", ""), *listed], value)

    def _steps(self, count: int) -> Markup:
        last = min(self._first + PAGE, count)
        told = f"{self._first + 1:,} to {last:,} of {count:,}" if count else ""
        return joined(
            (
                button(self._name("back"), f"Previous {self._called.many}"),
                button(self._name("on"), f"Next {self._called.many}"),
                words(told),
                button(self._name("save"), "Save as CSV", enabled=count > 0),
            )
        )

    def _explained(self, kinds: list[tuple[str, int, str, str]]) -> Markup:
        for kind, _, why, todo in kinds:
            if kind == self._wanted.kind:
                return sheet(note(f"{kind}: {why} {todo}".replace("`", "'")))
        return NOTHING

    def _nothing(self, some: bool) -> Markup:
        if some or self._wanted != FindingFilter():
            return sheet(note(f"No {self._called.one} passes this choice."))
        if self._sources.is_complete():
            return sheet(note(self._called.none, "good"))
        return sheet(note(self._called.not_yet))

    def _list(self) -> Markup:
        page = self._sources.rows.page(self._wanted, self._first, PAGE)
        return _made(
            "table",
            title=self._called.title,
            columns=[self._head(name) for name in _HEADS],
            entries=[
                [(name, self._cell(each, name)) for name in _HEADS] for each in page
            ],
        )

    def _head(self, column: str) -> tuple[Markup, str]:
        way = ""
        if self._wanted.sort == column:
            way = "descending" if self._wanted.descending else "ascending"
        arrow = {"ascending": " ↑", "descending": " ↓"}.get(way, "")
        made = button(
            self._name("sort"),
            f"{_HEADS[column]}{arrow}",
            value=column,
            row=str(COLUMNS.index(column)),
            about=f"Sort by {_HEADS[column]}",
            plain=True,
        )
        return made, way

    def _cell(self, finding: Finding, name: str) -> str | Markup:
        if name == "page":
            return site_link(self._sources.site, finding.page)
        text: str = getattr(finding, name)
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
