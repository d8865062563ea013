"""A list: rows of a relation, searched, narrowed, sorted, turned, opened and saved.

One search, one set of keys and one way back in every notebook. The cursor is the
browser's: only what needs other rows asks the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.ui import controls
from cmsmig.ui.action_queue import in_slices
from cmsmig.ui.controls import Copied
from cmsmig.ui.html.html_templates import breakable, fragment
from cmsmig.ui.html.safe_html import NOTHING, coded
from cmsmig.ui.query import EVERYTHING, Query, marked
from cmsmig.ui.relation import Column, Filter, Group, Page, Row, Source
from cmsmig.ui.report_file import csv_lines, write_pieces
from cmsmig.ui.view import View, action

PAGE = 25
"""Rows of a page."""
TITLE = "cmsmig-open-title"
"""The id of the heading of an open row, which gets the focus."""
_LONGEST = 160
"""Characters of a cell; the CSV has all of it."""
_made = partial(fragment, "ui/table.html")


@dataclass(frozen=True, slots=True)
class Place:
    """What of a list is shown."""

    query: Query = EVERYTHING
    first: int = 0
    key: str = ""
    """The row that the cursor is put on."""
    opened: bool = False
    """Whether that row is open."""


class TableView(View):
    """Shows a page of a list, or one of its rows."""

    opens = False
    """Whether rows can be opened."""
    title = ""
    """The heading above the list."""
    still_rows = PAGE
    """Rows that the form without controls lists."""
    group_by = ""
    """The column whose values are listed with their counts at first, where there are
    more rows than a page has; empty: none."""
    group_columns: Sequence[str] = ()
    """What is listed of a group besides."""
    quiet = ""
    """What is said above the groups that need no one, which are folded."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.source = source
        self.relation = source.relation
        self.at = Place()
        self.history: list[Place] = []
        """Where `b` leads back to, the last place last."""
        self.switched: set[str] = set()
        """Columns that are hidden or shown unlike at first."""
        self.progress = ""
        """How far what fills the list is, in a sentence."""

    def keep(self, before: View) -> None:
        """Show the place that the same list showed before it was made again."""
        if isinstance(before, TableView):
            self.at, self.switched = before.at, before.switched

    # What people ask for.

    @action("search", "Search", key="/")
    def search(self, value: str) -> None:
        """List the rows that hold all words."""
        self.narrow(replace(self.at.query, text=value))

    @action("filter")
    def filter(self, value: str) -> None:
        """List the rows that pass another value of a filter."""
        name, _, wanted = value.partition("=")
        self.narrow(self.relation.narrowed(self.at.query, name, wanted))

    @action("clear", "Clear", key="x", about="List everything again")
    def clear(self, _: str) -> None:
        """List everything again."""
        self.history.clear()
        self.narrow(EVERYTHING)

    @action("sort")
    def sort(self, column: str) -> None:
        """Sort by a column; again: the other way round."""
        query = self.at.query
        most = any(c.most_first for c in self._all() if c.name == column)
        down = not query.descending if query.sort == column else most
        self.narrow(replace(query, sort=column, descending=down))

    @action("turn")
    def turn(self, first: str) -> None:
        """Show the page that begins with a row."""
        self.go(replace(self.at, first=int(first), key="", opened=False))

    @action("column")
    def column(self, value: str) -> None:
        """Show a column, or hide it."""
        self.switched ^= {value.rpartition("=")[0]}
        self.show()

    @action("open")
    def open(self, key: str) -> None:
        """Open a row."""
        self.lead_to(replace(self.at, key=key, opened=True))

    @action("group", about="List these")
    def show_group(self, value: str) -> None:
        """List the rows of a group."""
        query = self.relation.narrowed(self.at.query, self.group_by, value)
        self.lead_to(Place(query))

    @action("previous", "Previous", key="p")
    def previous(self, _: str) -> None:
        """Open the row before the open one."""
        self._step(-1)

    @action("next", "Next", key="n")
    def next(self, _: str) -> None:
        """Open the row after the open one."""
        self._step(1)

    @action("back", key="b")
    def back(self, _: str) -> None:
        """Go back to where one came from."""
        last = self.history.pop() if self.history else Place(self.at.query)
        self.go(last if last.opened else replace(last, key=self.at.key))

    @action("save", "Save as CSV", key="e", about="Write what is listed as CSV")
    async def save(self, _: str) -> None:
        """Write the rows that are listed, below `lists` in the project folder."""
        query, columns = self.at.query, [each.name for each in self._shown()]
        path = self.source.folder / f"{self.relation.file(query)}.csv"
        if self.source.dry_run:
            self.say(f"This is a dry run: {path} is not written.")
            return
        lines = self.relation.csv(query, columns)
        rows = [row async for row in in_slices(lines)]
        write_pieces(path, csv_lines(rows[0], rows[1:]))
        self.say(
            f"{counted(len(rows) - 1, 'line')} written to {path}. {self.left_out()}",
            "good",
        )

    # Where it goes.

    def narrow(self, query: Query) -> None:
        """List the rows of another query."""
        self.go(Place(query))

    def lead_to(self, place: Place) -> None:
        """Show another place; `b` leads back."""
        self.history.append(self.at)
        self.go(place)

    def go(self, place: Place, *, moves_focus: bool = True) -> None:
        """Show a place; the focus moves to its title unless it is to stay."""
        self.at, self.said = place, ("", "")
        focus = TITLE if place.opened and moves_focus else ""
        if place.key and not place.opened:
            focus = controls.ident(self.named("open"), place.key)
        self.show(focus=focus)

    def _is_grouped(self) -> bool:
        query = self.at.query
        return bool(self.group_by) and not (
            query.text or query.sort or query.get(self.group_by)
        )

    def _step(self, by: int) -> None:
        if not self.at.opened:
            return
        other = self.relation.place(self.at.query, self.at.key, by)
        if other:
            self.go(replace(self.at, key=other))
        else:
            self.say("This is the last one of the list in this direction.")

    # What is shown.

    def detail(self, key: str) -> Markup:
        """Return an open row, without its title."""
        return NOTHING

    def name_of(self, key: str) -> str:
        """Return what a row is called."""
        return key

    def above(self) -> Markup:
        """Return what is above the list."""
        return NOTHING

    def nothing(self) -> str:
        """Return what is said where the whole list is empty."""
        return self.relation.nouns.none

    def is_quiet(self, group: Group) -> bool:
        """Return whether a group needs no one."""
        return False

    def left_out(self) -> str:
        """Return what a CSV that is written now does not hold yet."""
        return ""

    def renew(self) -> None:
        """Show what came by itself; an open row stays as it is."""
        self.show(calm=True)

    def html(self, *, live: bool) -> Markup:
        """Return the page of the list that is shown, or the open row."""
        if live and self.at.opened:
            return _made("opened", view=self, returning=self._returning(), title=TITLE)
        columns = self._shown()
        names = [each.name for each in columns]
        size = PAGE if live else self.still_rows
        page = self.relation.page(self.at.query, self.at.first, size, names)
        if page.first != self.at.first:
            self.at = replace(self.at, first=page.first)
        if live and page.count > PAGE and self._is_grouped():
            groups = self.relation.groups(self.at.query, self.group_by)
            loud = [each for each in groups if not self.is_quiet(each)]
            quiet = [each for each in groups if self.is_quiet(each)]
            return _made("grouped", view=self, page=page, loud=loud, quiet=quiet)
        return _made("listed", view=self, page=page, columns=columns, live=live)

    def bars(self) -> list[Markup]:
        """Return the controls that narrow the list, line by line."""
        query = self.at.query
        filters = self.relation.filters(query)
        lines: dict[int, list[Markup]] = {0: [self._search()]}
        for each in filters:
            lines.setdefault(each.row, []).append(self._control(each))
        if query != EVERYTHING or self.at.opened:
            lines[0].append(self.act("clear"))
        if self.history and not self.at.opened:
            lines[0].append(self.act("back", "Back"))
        return [controls.bar(*each) for _, each in sorted(lines.items())]

    def head(self, column: Column) -> Markup:
        """Return the heading of a column, which sorts by it."""
        way = {"ascending": " ↑", "descending": " ↓"}.get(self.way(column), "")
        return self.act(
            "sort",
            f"{column.title}{way}",
            value=column.name,
            row=column.name,
            about=f"Sort by {column.title}",
            plain=True,
            key="",
        )

    def way(self, column: Column) -> str:
        """Return how the list is sorted by a column; empty: it is not."""
        if self.at.query.sort != column.name:
            return ""
        return "descending" if self.at.query.descending else "ascending"

    def held(self, row: Row, column: str) -> str | Markup | Copied:
        """Return what a row holds in a column."""
        return row.cells[column]

    def span(self, row: Row, column: str) -> int:
        """Return how many columns a cell takes; 0: the cell before takes this one."""
        return 1

    def control(self, row: Row, column: str) -> Markup:
        """Return what a row has in a column to be worked with, in place of what it
        holds; here nothing. A list that is saved has none."""
        return NOTHING

    def cell(self, text: str | Markup | Copied, *, live: bool) -> Markup:
        """Return a cell, short, with what was searched for marked."""
        if isinstance(text, Copied):
            return text.button() if live else breakable(text.text)
        if isinstance(text, Markup):
            return text
        short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
        words = self.at.query.words
        return marked(short, words) if words else breakable(short)

    def steps(self, page: Page) -> Markup:
        """Return where the page is, and the ways to others."""
        last = (page.count - 1) // PAGE * PAGE
        before, after = page.first > 0, page.end < page.count
        moves = (
            ("first", "First page", 0, before, "", 0),
            ("back", "Previous page", page.first - PAGE, before, "[", -1),
            ("on", "Next page", page.first + PAGE, after, "]", 1),
            ("last", "Last page", last, after, "", 0),
        )
        buttons = [
            self.act(
                "turn", label, value=str(to), row=row, enabled=on, key=key, turn=by
            )
            for row, label, to, on, key, by in moves
            if page.count > PAGE
        ]
        return controls.bar(*buttons, self.act("save", enabled=page.count > 0))

    def summary(self, page: Page) -> str:
        """Return which rows are shown, of how many."""
        nouns = self.relation.nouns
        if not page.count:
            whole = self.at.query == EVERYTHING and self.nothing()
            return whole or f"No {nouns.one} passes this choice."
        if page.count == len(page.rows):
            return f"{nouns.counted(page.count)}."
        return f"{page.first + 1:,} to {page.end:,} of {nouns.counted(page.count)}."

    def summary_of(self, page: Page, groups: int) -> str:
        """Return how many rows there are, in how many groups."""
        title = self.title_of(self.group_by).lower()
        return f"{self.relation.nouns.counted(page.count)}, {counted(groups, title)}."

    def title_of(self, name: str) -> str:
        """Return the title of a column."""
        return next(each.title for each in self._all() if each.name == name)

    def alike(self, group: Group, name: str) -> Markup | str:
        """Return what all rows of a group hold in a column."""
        return coded(group.cells[name] or "see each")

    def ticks(self) -> list[Markup]:
        """Return the boxes that show columns and hide them."""
        return [
            controls.tick(
                self.named("column"),
                each.title,
                self._is_shown(each),
                value=each.name,
            )
            for each in self._all()
            if each.optional
        ]

    def _search(self) -> Markup:
        text = self.at.query.text
        return controls.search(self.named("search"), "Search", text, key="/")

    def _control(self, each: Filter) -> Markup:
        given: dict[str, object] = {
            "row": each.name,
            "key": each.key,
            "css": controls.dom_class(self.named(each.name.partition(":")[0])),
        }
        name = self.named("filter")
        if each.options is None:
            given["hint"] = each.hint
            return controls.text(name, each.label, each.value, **given)
        return controls.select(name, each.label, each.options, each.value, **given)

    def _returning(self) -> str:
        last = self.history[-1] if self.history else Place()
        return f"Back to {self.name_of(last.key) if last.opened else 'the list'}"

    def _all(self) -> Sequence[Column]:
        return self.relation.columns(self.at.query)

    def _shown(self) -> list[Column]:
        return [each for each in self._all() if self._is_shown(each)]

    def _is_shown(self, column: Column) -> bool:
        return column.hidden == (column.name in self.switched)
