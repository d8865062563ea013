"""Notebook 01: the pages that are no items, listed when somebody asks for them."""

from __future__ import annotations

from markupsafe import Markup

from cmsmig.counting import counted
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.origin.static_pages import StaticPage
from cmsmig.steps.pull.origin_overview import read_static_pages
from cmsmig.ui.csv_text import csv_text
from cmsmig.ui.html.safe_html import more, note, paragraph, sheet, table
from cmsmig.ui.report_file import write_text

_HEAD = ("Title", "Path", "State", "Title for search engines", "Description")
_SHOWN = 100
_ABOUT = (
    "Static pages are no items: build them in the new site. The origin lists them to a "
    "token with the scope `pages:read`."
)


def static_page_list(workspace: Workspace, site_id: str) -> widgets.Element:
    """Return a button that reads the site's static pages, lists them and writes them
    as `lists/static-pages.csv`."""
    board, listed = widgets.Board(), widgets.Html(sheet(paragraph(_ABOUT)))

    async def read() -> None:
        if workspace.dry_run:
            board.say("This is a dry run: nothing is read. Set dry_run = False above.")
            return
        found = await read_static_pages(
            workspace.origin_settings, site_id, workspace.observer
        )
        path = workspace.project.root / "lists" / "static-pages.csv"
        write_text(path, csv_text(_HEAD, map(_row, found)))
        listed.show(sheet(paragraph(_ABOUT), _table(found)))
        board.say(f"{counted(len(found), 'line')} written to {path}.", "good")

    button = board.button("static-pages-read", "List the static pages", read)
    return widgets.column(listed, widgets.row(button), board.messages)


def _table(found: tuple[StaticPage, ...]) -> Markup:
    if not found:
        return note("The site has no static pages.", "good")
    rows = [_row(each) for each in found[:_SHOWN]]
    caption = f"Static pages ({len(found):,})"
    return table(_HEAD, rows, caption=caption) + more(len(found), len(rows))


def _row(page: StaticPage) -> tuple[str, ...]:
    return page.title, page.path, page.state, page.seo_title, page.description
