"""What bodies lose, one by one: a list that is searched, sorted and saved."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.display.finding_list import Finding, findings_csv
from cmsmig.display.html_templates import fragment
from cmsmig.display.safe_html import NOTHING, joined, note, sheet
from cmsmig.evidence.redirects import write_text
from cmsmig.notebook.kit.finding_rows import COLUMNS, FindingFilter
from cmsmig.notebook.kit.live_controls import button, search, select, words
from cmsmig.notebook.kit.live_panel import Heard, Live, LiveBoard
from cmsmig.notebook.kit.widgets import Element
from cmsmig.notebook.preview.preview_html import bodies_html
from cmsmig.notebook.preview.previews import Previews

PAGE = 25
"""Losses that are shown at once."""
_FILE = ("lists", "losses.csv")
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
    "bodies_counts",
    "losses_search",
    "losses_kinds",
    "losses_steps",
    "losses_said",
    "losses_explained",
    "losses_list",
)
_made = partial(fragment, "notebook/preview/loss_list.html")


def bodies_board(previews: Previews) -> Element:
    """Return the counts of bodies and the list of losses, which follow the choices."""
    return _LossList(previews).element()


class _LossList:
    """Shows a page of the list, and handles its controls."""

    def __init__(self, previews: Previews) -> None:
        self._previews = previews
        self._rows = previews.losses
        self._wanted = FindingFilter()
        self._first = 0
        self._said = ""
        self._board = LiveBoard()
        self._live = Live(
            self._board,
            "Bodies and what they lose",
            _made("frame"),
            _REGIONS,
            self._heard(),
        )

    def element(self) -> Element:
        self._show()
        for each in (self._previews.watchers, self._previews.scanner.watchers):
            each["bodies"] = lambda: self._board.queue(self._renew)
        self._previews.scanner.start()
        return self._live

    def _heard(self) -> dict[str, Heard]:
        return {
            "losses-search": lambda value: self._want(
                replace(self._wanted, text=value)
            ),
            "losses-kind": lambda value: self._want(replace(self._wanted, kind=value)),
            "losses-sort": self._sort,
            "losses-back": lambda _: self._turn(-PAGE),
            "losses-on": lambda _: self._turn(PAGE),
            "losses-save": lambda _: self._save(),
        }

    # What people ask for.

    def _want(self, wanted: FindingFilter) -> None:
        self._wanted = wanted
        self._first, self._said = 0, ""
        self._show()

    def _sort(self, column: str) -> None:
        again = self._wanted.sort == column
        down = again and not self._wanted.descending
        self._want(replace(self._wanted, sort=column, descending=down))

    def _turn(self, by: int) -> None:
        count = self._rows.count(self._wanted)
        last = max(count - 1, 0) // PAGE * PAGE
        self._first, self._said = min(max(self._first + by, 0), last), ""
        self._show()

    def _save(self) -> None:
        path = self._previews.workspace.project.root.joinpath(*_FILE)
        tally = self._previews.scanner.tally()
        if self._previews.workspace.dry_run:
            self._said = f"This is a dry run: {path} is not written."
        else:
            write_text(path, findings_csv(self._rows.all(self._wanted)))
            count = self._rows.count(self._wanted)
            self._said = f"{counted(count, 'line')} written to {path}."
            if not tally.complete:
                self._said += " Bodies that are not looked through yet are left out."
        self._show()

    # What is shown.

    def _renew(self) -> None:
        self._show(calm=True)

    def _show(self, *, calm: bool = False) -> None:
        count = self._rows.count(self._wanted)
        kinds = self._rows.kinds()
        shown = {
            "bodies_counts": bodies_html(
                self._previews.body_index, self._previews.blocks
            ),
            "losses_search": search(
                "losses-search", "Search", self._wanted.text, hint="name, page or text"
            ),
            "losses_kinds": select(
                "losses-kind",
                "Kind",
                [
                    ("all", ""),
                    *((f"{kind} ({times:,})", kind) for kind, times, _, _ in kinds),
                ],
                self._wanted.kind,
            ),
            "losses_steps": self._steps(count),
            "losses_said": sheet(note(self._said, "good")) if self._said else NOTHING,
            "losses_explained": self._explained(kinds),
            "losses_list": self._list() if count else self._nothing(bool(kinds)),
        }
        self._live.show(shown, calm=calm)

    def _steps(self, count: int) -> Markup:
        last = min(self._first + PAGE, count)
        told = f"{self._first + 1:,} to {last:,} of {count:,}" if count else ""
        return joined(
            (
                button("losses-back", "Previous losses"),
                button("losses-on", "Next losses"),
                words(told),
                button("losses-save", "Save as CSV", enabled=count > 0),
            )
        )

    def _explained(self, kinds: list[tuple[str, int, str, str]]) -> Markup:
        for kind, _, why, todo in kinds:
            if kind == self._wanted.kind:
                return sheet(note(f"{kind}: {why} {todo}".replace("`", "'")))
        return NOTHING

    def _nothing(self, some: bool) -> Markup:
        if some:
            return sheet(note("No loss passes this choice."))
        if self._previews.scanner.tally().complete:
            return sheet(note("No body loses anything.", "good"))
        return sheet(note("No loss is found so far."))

    def _list(self) -> Markup:
        page = self._rows.page(self._wanted, self._first, PAGE)
        return _made(
            "table",
            columns=[self._head(name) for name in _HEADS],
            entries=[[(name, _cell(each, name)) for name in _HEADS] for each in page],
        )

    def _head(self, column: str) -> tuple[Markup, str]:
        way = ""
        if self._wanted.sort == column:
            way = "descending" if self._wanted.descending else "ascending"
        arrow = {"ascending": " ↑", "descending": " ↓"}.get(way, "")
        made = button(
            "losses-sort",
            f"{_HEADS[column]}{arrow}",
            value=column,
            row=str(COLUMNS.index(column)),
            about=f"Sort by {_HEADS[column]}",
            plain=True,
        )
        return made, way


def _cell(finding: Finding, name: str) -> str:
    text: str = getattr(finding, name)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
