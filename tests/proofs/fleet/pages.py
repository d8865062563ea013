"""The engine's pages in a browser that reaches nothing but this machine."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Route, sync_playwright

from tests.proofs.fleet.engine import HOST, Engine
from tests.support.browser.chromium import chromium

VIEW = {"width": 1480, "height": 1000}


def take_pictures(engine: Engine, folder: Path) -> list[str]:
    """Keep a picture of the runs, of a site's own and of the table; say what is wrong.

    Each page has to show the text that it is opened for.
    """
    folder.mkdir(parents=True, exist_ok=True)
    top = engine.api.removesuffix("/api")
    runs = engine.runs()
    asked = {"artifacts": {"key": {"any_": ["all-sites"]}}, "sort": "CREATED_DESC"}
    table = engine.ask("/artifacts/filter", asked)[0]["id"]
    wanted = {
        "runs": ("/runs", "elm-street"),
        "table": (f"/artifacts/artifact/{table}", "elm-street"),
        "waiting": (
            f"/runs/flow-run/{runs.get('dunes', runs['all-sites'])['id']}",
            "Suspended" if "dunes" in runs else "Completed",
        ),
    }
    wrong, outside = [], []

    def admit(route: Route) -> None:
        if urlsplit(route.request.url).hostname == HOST:
            route.continue_()
        else:
            outside.append(urlsplit(route.request.url).hostname)
            route.abort()

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport=VIEW)
        page.route("**/*", admit)
        for name, (path, text) in wanted.items():
            page.goto(top + path)
            shown = page.get_by_text(text).first
            try:
                shown.wait_for(timeout=30_000)
            except Exception:
                wrong.append(f"the page {path} shows {text}")
            page.wait_for_timeout(2000)  # Pictures and charts come after the text.
            page.screenshot(path=folder / f"fleet-{name}.png")
        browser.close()
    print(
        f"pictures in {folder}; asked for outside: {sorted(set(outside)) or 'nothing'}"
    )
    return wrong
