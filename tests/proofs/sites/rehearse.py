"""Whole migrations of content folders against the sandbox, as a table.

usage: rehearse.py [--shaped] FOLDER_OF_SITES [WORK_FOLDER]

Each folder below FOLDER_OF_SITES that holds a `sites.json` is served by a
sandbox of its own and moved with the commands an operator would use, as it is and as
a site without localization: one locale, which is not enabled, and template pages. The
links to items are counted in the pulled values, apart from the kit and without those
in Markdown. Exits 1 when a site is not accounted for, differs, or breaks a rule of the
destination, when a link to an item becomes no story link, or when a redirect leads from
an address that never was.
With --shaped each collection gets a shape: folders by its first field that can name
them, tags by the next, and its first item as start page; the trees are written to
the work folder.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote, urljoin

from bs4 import BeautifulSoup

from cmsmig.mapping.redirects.address_map import Source
from tests.proofs.measuring.processes import project
from tests.proofs.measuring.results import print_table, tell
from tests.proofs.redirects.redirects import map_of
from tests.proofs.sites.ways import decide, items_in, stories_of
from tests.support.sites.usual import make_usual

RATE = 60
OF_PAGES = (Source.ITEM, Source.COLLECTION, Source.FORMER)
"""What old addresses are known from that had a page."""


def main() -> int:
    """Rehearse every site and print the table; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shaped", action="store_true")
    parser.add_argument("sites", type=Path)
    parser.add_argument("work", type=Path, nargs="?")
    asked = parser.parse_args()
    work = asked.work or Path(tempfile.mkdtemp())
    rows = []
    for each in sorted(asked.sites.glob("*/sites.json")):
        usual = work / "sites" / each.parent.name
        shutil.copytree(each.parent, usual)
        make_usual(usual)
        for site, name in ((each.parent, "as it is"), (usual, "usual")):
            tell(f"{each.parent.name}, {name}")
            to = work / name.replace(" ", "-") / f"{each.parent.name}-project"
            rows.append({"locale": name} | rehearse(site, to, shaped=asked.shaped))
    print_table(rows)
    return 0 if rows and all(map(is_fine, rows)) else 1


def is_fine(row: dict) -> bool:
    """Return whether a site moved without anything to explain."""
    return not any(
        row[name]
        for name in ("failed", "differences", "violations", "writes again", "never was")
    ) and (row["links to items"] <= row["story links"])


def rehearse(site: Path, work: Path, *, shaped: bool = False) -> dict:
    """Move one site and return its row."""
    started = time.monotonic()
    with project(work, site, rate=RATE) as here:
        decide(here, "shaped" if shaped else "whole")
        first = here.run("import", "--json", codes=(0, 1)).document
        again = here.run("import", "--json", codes=(0, 1)).document
        found = here.run("verify", "--json", codes=(0, 4)).document
        summary = here.served.summary()
        pages, links = pages_and_links(here.folder)
    if shaped:
        write_tree(here.folder)
    done = first["accounting"]
    return {
        "site": site.name,
        "items": done["in"],
        "created": done["created"],
        "skipped": done["skipped"],
        "failed": done["failed"] + first["failed_assets"],
        "assets": found["compared"]["assets"],
        "bodies": found["compared"]["documents"],
        "references": found["compared"]["relations"],
        "links to items": links,
        "story links": first["plan"]["internal_links"],
        "never was": sum(
            row.old not in pages
            for row in map_of(here.folder).rules
            if not row.is_pattern and row.sources[0] in OF_PAGES
        ),
        "dangling": listed(first["plan"]["dangling_by_cause"]),
        "differences": len([*found["differences"], *found["kept"]]),
        "violations": sum(summary["violations"].values()),
        "429s": summary["refused_for_rate"],
        "writes again": again["writes"],
        "seconds": round(time.monotonic() - started),
        "losses by kind": listed(first["plan"]["losses_by_kind"]),
    }


def pages_and_links(folder: Path) -> tuple[set[str], int]:
    """Return the paths of the old pages of items and collections, and how many links of
    migrated items lead to a migrated item."""
    raw = folder / "raw"
    (site,) = json.loads((raw / "sites.json").read_text())["sites"]
    locales = site.get("locales") or {}
    below = {e["cmsLocaleId"]: e["subdirectory"] for e in locales.get("secondary", [])}
    hosts = [each["url"] for each in site["customDomains"]]
    hosts += [f"{site['shortName']}.webflow.io"]
    named = "|".join(re.escape(each.removeprefix("www.")) for each in hosts)
    own_host = re.compile(rf"(?:https?:)?//(?:www\.)?(?:{named})(?::\d+)?(?=/)", re.I)
    schemas = {
        e.stem: json.loads(e.read_text()) for e in raw.glob("collections/*.json")
    }
    shown = {k: e["slug"] for k, e in schemas.items()} | _published_paths(raw)
    staged, live = items_in(raw / "items"), items_in(raw / "live")
    kept = stories_of(folder)

    def path(key: tuple[str, str, str], record: dict) -> str:
        slug = record["fieldData"]["slug"]
        parts = (below.get(key[2], ""), shown[key[0]], slug)
        return "/" + "/".join(filter(None, parts))

    items = {path(key, (live.get(key) or staged[key])) for key in kept}
    pages = {path(key, record) for key, record in live.items()}
    pages |= {each.rpartition("/")[0] for each in pages}
    known, links = {each.casefold() for each in items}, 0
    for key in kept:
        record = staged.get(key) or live[key]
        page = path(key, live.get(key) or record)
        for each in schemas[key[0]]["fields"]:
            value = record["fieldData"].get(each["slug"])
            for address in hrefs(each["type"], value):
                there = urljoin(page, own_host.sub("", address.strip()))
                old = unquote(re.split("[?#]", there)[0]).rstrip("/").casefold()
                links += old in known and not address.strip().startswith(("#", "?"))
    return pages, links


def _published_paths(raw: Path) -> dict[str, str]:
    """Return where the template page of a collection is published."""
    path = raw / "pages.json"
    listed = json.loads(path.read_text())["pages"] if path.exists() else []
    return {
        each["collectionId"]: each["publishedPath"].strip("/")
        for each in listed
        if each.get("collectionId") and each["publishedPath"]
    }


def hrefs(kind: str, value: object) -> list[str]:
    """Return where the links of a value lead."""
    if kind in ("Link", "File", "ExtFileRef") and isinstance(value, str) and value:
        return [value]
    if kind != "RichText" or not isinstance(value, str):
        return []
    found = BeautifulSoup(value, "html.parser").find_all("a", href=True)
    return [str(each["href"]) for each in found if str(each["href"]).strip()]


def write_tree(folder: Path) -> None:
    """Write the path that each story has, and the one that its page had."""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as db:
        rows = db.execute(
            "SELECT story_record.full_slug, item.name FROM item "
            "JOIN story_record ON story_record.id = record_id"
        )
        lines = sorted(f"{path}  ({name})" for path, name in rows)
    (folder / "tree.txt").write_text("\n".join(lines) + "\n")


def listed(counts: dict) -> str:
    """Return counts as one cell."""
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


if __name__ == "__main__":
    sys.exit(main())
