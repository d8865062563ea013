"""Notebook 01: every item of the site in a list, searched, narrowed and opened.

The kernel holds a page at a time: items stand in the catalogue on disk, which is made
while the panel works already.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import monotonic

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.errors import CmsmigError
from cmsmig.evidence.redirects import write_text
from cmsmig.notebook.inspect.item_csv import csv_path, csv_rows
from cmsmig.notebook.inspect.item_filters import (
    facets_html,
    field_html,
    filters_html,
    parse_day,
    search_html,
    with_collection,
    with_facet,
)
from cmsmig.notebook.inspect.item_list import (
    PAGE,
    Shown,
    columns_html,
    default_columns,
    frame_html,
    steps_html,
    table_html,
    told_html,
)
from cmsmig.notebook.inspect.item_page import TITLE, ItemPage, item_page
from cmsmig.notebook.inspect.site_catalogue import (
    decisions_print,
    open_catalogue,
    outcomes_of,
)
from cmsmig.notebook.kit.live_controls import ident
from cmsmig.notebook.kit.live_panel import Heard, Live, LiveBoard
from cmsmig.notebook.kit.slices import in_slices
from cmsmig.notebook.kit.widgets import Element
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.origin.files import FileRow
from cmsmig.survey.body_notices import look_through_bodies
from cmsmig.survey.catalogue import Catalogue
from cmsmig.survey.catalogue_build import build
from cmsmig.survey.catalogue_filter import Wanted, asked, with_finding, with_order
from cmsmig.survey.catalogue_outcomes import is_decided, keep_outcomes
from cmsmig.survey.item_browser import ItemBrowser, Page
from cmsmig.survey.thumbnails import Thumbnails
from cmsmig.ui.csv_text import csv_text
from cmsmig.ui.html.safe_html import NOTHING, note, paragraph, sheet

REGIONS = (
    "progress", "search", "filters", "field", "facets", "said", "steps", "list", "item",
    "columns",
)  # fmt: skip
_log = logging.getLogger(__name__)
_LABEL = "Browser of the site's items"
_TOLD = 0.7
"""Seconds between two times that the background says how far it is."""


def explorer(workspace: Workspace) -> Element:
    """Return the browser before a person."""
    return Explorer(workspace, open_catalogue(workspace)).element()


@dataclass(slots=True)
class _View:
    """What of the site is on show."""

    columns: tuple[str, ...]
    wanted: Wanted = field(default_factory=Wanted)
    first: int = 0
    current: int = 0
    """The entry that keys act on."""
    opened: list[int] = field(default_factory=list)
    """The entry on show last, before it those that led there; empty: the list."""


class Explorer:
    """Shows a page of the list, or an item, and handles the controls."""

    def __init__(self, workspace: Workspace, catalogue: Catalogue) -> None:
        self._workspace = workspace
        self._catalogue = catalogue
        self._browser = ItemBrowser(catalogue)
        self._thumbnails = Thumbnails(catalogue.files, catalogue.derived)
        self._view = _View(default_columns(catalogue))
        self._said = ""
        self._progress = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self._board = LiveBoard()
        self._live = Live(self._board, _LABEL, frame_html(), REGIONS, self._heard())

    def element(self) -> Element:
        """Show the list, and make it complete in the background."""
        self._show()
        self._start(self._complete())
        self._workspace.item_lists.shown_by = self.show_finding
        return self._live

    @property
    def busy(self) -> bool:
        """Return whether something goes on in the background."""
        return bool(self._tasks)

    def _heard(self) -> dict[str, Heard]:
        def narrowed(name: str) -> Heard:
            return lambda value: self._narrow(asked(self._view.wanted, name, value))

        return {
            "explore-collection": self._choose_collection,
            "explore-search": narrowed("text"),
            "explore-state": narrowed("state"),
            "explore-locale": narrowed("locale"),
            "explore-finding": self._choose_finding,
            "explore-since": self._choose_day,
            "explore-field": narrowed("field"),
            "explore-test": narrowed("test"),
            "explore-value": narrowed("value"),
            "explore-facet": self._choose_value,
            "explore-clear": lambda _: self._narrow(Wanted()),
            "explore-column": self._choose_column,
            "explore-sort": self._sort,
            "explore-order": self._order,
            "explore-first": lambda _: self._turn(0),
            "explore-back": lambda _: self._turn(self._view.first - PAGE),
            "explore-on": lambda _: self._turn(self._view.first + PAGE),
            "explore-last": lambda _: self._turn(1 << 60),
            "explore-up": lambda _: self._step(-1),
            "explore-down": lambda _: self._step(1),
            "explore-open": self._open,
            "explore-copy": self._copied,
            "explore-return": lambda _: self._return(),
            "explore-pointing": self._list_pointing,
            "explore-save": lambda _: self._save(),
        }

    # What people ask for.

    def _narrow(self, wanted: Wanted) -> None:
        self._view.wanted = wanted
        self._view.first, self._view.current = 0, 0
        self._view.opened.clear()
        self._tell("")

    def _choose_collection(self, value: str) -> None:
        columns = self._view.columns
        self._view.columns = tuple(c for c in columns if not c.startswith("field:"))
        self._narrow(with_collection(self._view.wanted, value))

    def _choose_finding(self, value: str) -> None:
        self._narrow(with_finding(self._view.wanted, value))

    def show_finding(self, finding: str) -> None:
        """Show all items with a finding, for another panel."""
        self._narrow(with_finding(Wanted(), finding))
        self._step(1)

    def _choose_day(self, value: str) -> None:
        self._narrow(replace(self._view.wanted, since=parse_day(value)))

    def _choose_value(self, value: str) -> None:
        row, _, chosen = value.partition("=")
        facets = self._browser.facets(self._view.wanted)
        name = facets[int(row)].field.slug
        self._narrow(with_facet(self._view.wanted, name, chosen))

    def _choose_column(self, value: str) -> None:
        name, _, ticked = value.rpartition("=")
        kept = tuple(each for each in self._view.columns if each != name)
        self._view.columns = (*kept, name) if ticked == "1" else kept
        self._tell("")

    def _sort(self, column: str) -> None:
        wanted = self._view.wanted
        again = wanted.sort == column and not wanted.descending
        self._view.wanted = replace(wanted, sort=column, descending=again)
        self._turn(0)

    def _order(self, column: str) -> None:
        self._view.wanted = with_order(self._view.wanted, column)
        self._turn(0)

    def _turn(self, first: int) -> None:
        self._view.first, self._view.current = first, 0
        self._tell("")

    def _step(self, by: int) -> None:
        view = self._view
        if view.opened:
            other = self._browser.place(view.wanted, view.opened[-1], by)
            if other is None:
                self._tell("This is the last item of the list in this direction.")
            else:
                view.opened = [other.entry_id]
                self._tell("", focus=TITLE)
            return
        page = self._page()
        ids = [each.entry_id for each in page.entries]
        if not ids:
            self._tell("No item passes this choice.")
            return
        at = ids.index(view.current) + by if view.current in ids else 0
        if at not in range(len(ids)):
            first = view.first + (PAGE if at > 0 else -PAGE)
            if first not in range(page.count):
                self._tell("This is the end of the list.")
                return
            view.first = first
            ids = [each.entry_id for each in self._page().entries]
            at = 0 if by > 0 else -1
        view.current = ids[at]
        self._tell("", focus=ident("explore-open", str(view.current)))

    def _open(self, value: str) -> None:
        entry_id = int(value)
        self._catalogue.entry(entry_id)
        if not self._view.opened:
            self._view.current = entry_id
        self._view.opened.append(entry_id)
        self._tell("", focus=TITLE)

    def _return(self) -> None:
        view = self._view
        left = view.opened.pop() if view.opened else 0
        if view.opened:
            self._tell("", focus=TITLE)
            return
        ids = [each.entry_id for each in self._page().entries]
        view.current = left if left in ids else next(iter(ids), 0)
        self._tell("", focus=ident("explore-open", str(view.current)))

    def _list_pointing(self, item_id: str) -> None:
        title = self._catalogue.entry(self._view.opened[-1]).title
        self._narrow(Wanted(target=item_id))
        self._tell(f"Listed: the items that refer to {title}. Clear lists all again.")

    def _copied(self, item_id: str) -> None:
        self._tell(f"Copied: {item_id}")

    async def _save(self) -> None:
        wanted, columns = self._view.wanted, self._view.columns
        path = csv_path(self._browser, self._workspace.project.root, wanted)
        if self._workspace.dry_run:
            self._tell(f"This is a dry run: {path} is not written.")
            return
        rows = [
            row async for row in in_slices(csv_rows(self._browser, wanted, columns))
        ]
        write_text(path, csv_text(rows[0], rows[1:]))
        self._tell(f"{counted(len(rows) - 1, 'line')} written to {path}.")

    # What is shown.

    def _page(self) -> Page:
        page = self._browser.page(self._view.wanted, self._view.first, PAGE)
        self._view.first = page.first
        return page

    def _tell(self, said: str, *, focus: str = "") -> None:
        self._said = said
        self._show(focus=focus)

    def _show(self, *, focus: str = "") -> None:
        said = sheet(note(self._said)) if self._said else NOTHING
        page = self._page()
        shown = {
            "said": said,
            "progress": self._progress_html(),
            **self._choices(page),
            **(self._item() if self._view.opened else self._list(page)),
        }
        self._live.show(shown, focus=focus)

    def _choices(self, page: Page) -> dict[str, Markup]:
        wanted, browser = self._view.wanted, self._browser
        return {
            "search": search_html(wanted),
            "filters": filters_html(browser, wanted),
            "field": field_html(self._catalogue, wanted),
            "facets": facets_html(browser.facets(wanted)),
            "columns": columns_html(browser, self._shown(page)),
        }

    def _list(self, page: Page) -> dict[str, Markup]:
        shown = self._shown(page)
        if not shown.current and page.entries:
            shown = replace(shown, current=page.entries[0].entry_id)
        table = table_html(self._browser, shown) if page.entries else NOTHING
        return {
            "steps": steps_html(page),
            "list": told_html(self._view.wanted, page) + table,
            "item": NOTHING,
        }

    def _shown(self, page: Page) -> Shown:
        view = self._view
        return Shown(page, view.columns, view.wanted, view.current)

    def _item(self) -> dict[str, Markup]:
        made = self._made()
        if made.undrawn:
            self._start(self._draw(made.undrawn))
        return {"steps": NOTHING, "list": NOTHING, "item": made.html}

    def _made(self) -> ItemPage:
        opened = self._view.opened
        returning = "Back to the list"
        if len(opened) > 1:
            returning = f"Back to {self._catalogue.entry(opened[-2]).title}"
        entry = self._catalogue.entry(opened[-1])
        return item_page(self._browser, entry, self._files, self._thumbnails, returning)

    @cached_property
    def _files(self) -> Mapping[str, FileRow]:
        return self._catalogue.files.rows()

    def _progress_html(self) -> Markup:
        return sheet(paragraph(self._progress)) if self._progress else NOTHING

    # What goes on in the background.

    async def _complete(self) -> None:
        """Make the catalogue, then find what becomes of items, then their losses."""
        await self._follow(
            lambda: build(self._catalogue),
            lambda n: f"{n:,} items are in the list so far; it goes on growing.",
        )
        decisions = decisions_print(self._workspace)
        if not is_decided(self._catalogue, decisions):
            found = await asyncio.to_thread(outcomes_of, self._workspace)
            async for _ in in_slices(keep_outcomes(self._catalogue, found, decisions)):
                pass
        self._renew()
        await self._follow(
            lambda: look_through_bodies(self._catalogue),
            lambda n: f"Bodies: {counted(n, 'item')} still to be looked through.",
        )
        self._progress = ""
        self._renew()

    async def _follow(
        self, work: Callable[[], Iterator[int]], told: Callable[[int], str]
    ) -> None:
        last = 0.0
        async for number in in_slices(work()):
            if monotonic() - last > _TOLD:
                last = monotonic()
                self._progress = told(number)
                self._renew()

    def _renew(self) -> None:
        """Show what the background brought; an open item stays as it is."""
        page = self._page()
        shown = {"progress": self._progress_html(), **self._choices(page)}
        if not self._view.opened:
            shown |= self._list(page)
        self._live.show(shown, calm=True)

    async def _draw(self, hashes: tuple[str, ...]) -> None:
        """Draw the thumbnails of the item on show, then show it again."""
        opened = [*self._view.opened]
        async for _ in in_slices(map(self._thumbnails.draw, hashes)):
            if self._view.opened != opened:
                return
        self._live.show({"item": self._made().html}, calm=True)

    def _start(self, work: Coroutine[None, None, None]) -> None:
        """Let something go on beside the panel; its error shows in it."""

        async def guarded() -> None:
            try:
                await work
            except CmsmigError as error:
                self._board.say(str(error), "bad")
            except Exception as error:
                _log.exception("What goes on beside the list failed")
                self._board.say(
                    "The list is not complete, which should not happen "
                    f"({type(error).__name__}: {error}); run the cell again.",
                    "bad",
                )

        task = asyncio.get_running_loop().create_task(guarded())
        # The loop itself holds its tasks only weakly.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
