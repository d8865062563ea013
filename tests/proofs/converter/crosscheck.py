"""Every body of every site against the official converter, as a table.

usage: crosscheck.py FOLDER_OF_SITES

Each folder below FOLDER_OF_SITES that holds a `sites.json` is read as content: its
filled RichText values, and plain texts that read as Markdown, of the staged items
and of the live ones where they differ. Needs Node; the official package is installed
on demand, as pinned. Exits 1 when there are defects, 2 without Node or bodies.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from cmsmig.errors import OfficialError
from cmsmig.steps.decide.cross_check import CrossCheck, SiteBody, Verdict, cross_check

COLUMNS = ("site", "bodies", *Verdict)
SIGNS = ("\n# ", "\n## ", "\n- ", "**", "](")
"""What a plain text that reads as Markdown has one of."""


def main(sites: Path) -> int:
    """Compare, print; return the exit code."""
    try:
        found = asyncio.run(checked(sites))
    except OfficialError as error:
        print(error, file=sys.stderr)
        return 2
    print(table(found))
    for name, check in found.items():
        print(f"\n{name}: deviations")
        for each in check.deviations():
            print(f"  {each.bodies:5} {each.name}, for example {each.example.key}")
        tell(check)
    if not any(check.bodies for check in found.values()):
        print(f"There are no bodies in {sites}.", file=sys.stderr)
        return 2
    return int(any(check.count(Verdict.DEFECT) for check in found.values()))


async def checked(sites: Path) -> dict[str, CrossCheck]:
    """Return what came of each site."""
    return {
        path.parent.name: await cross_check(tuple(bodies(path.parent)))
        for path in sorted(sites.glob("*/sites.json"))
    }


def table(found: dict[str, CrossCheck]) -> str:
    """Return a row for each site."""
    rows = [f"| {' | '.join(COLUMNS)} |", "|" + "---|" * len(COLUMNS)]
    for name, check in found.items():
        counts = " | ".join(str(check.count(verdict)) for verdict in Verdict)
        rows.append(f"| {name} | {check.bodies} | {counts} |")
    return "\n".join(rows)


def tell(check: CrossCheck) -> None:
    """Print what failed, and each defect with where it shows."""
    for each in check.of(Verdict.OFFICIAL_FAILED):
        print(f"  OFFICIAL FAILED {each.key}: {each.why}")
    for each in check.of(Verdict.DEFECT):
        for defect in each.defects:
            print(f"  DEFECT {each.key}: {defect.fault} at {defect.path}")
            print(f"    ours     {defect.ours}\n    official {defect.official}")


def bodies(site: Path) -> Iterator[SiteBody]:
    """Yield the bodies of a content folder: staged, and live where it differs."""
    for path in sorted((site / "collections").glob("*.json")):
        schema = json.loads(path.read_text("utf-8"))
        kinds = {field["slug"]: field["type"] for field in schema["fields"]}
        staged: dict[str, str] = {}
        for part in ("items", "live"):
            file = site / part / path.name
            held = json.loads(file.read_text("utf-8"))["items"] if file.exists() else []
            for item in held:
                for slug, text in item["fieldData"].items():
                    marked = kinds.get(slug) == "PlainText" and like_markdown(text)
                    if not isinstance(text, str) or not text.strip():
                        continue
                    if kinds.get(slug) != "RichText" and not marked:
                        continue
                    locale = item.get("cmsLocaleId") or ""
                    key = "/".join(
                        filter(None, (schema["slug"], item["id"], locale, slug))
                    )
                    if part == "live":
                        if staged.get(key) == text:
                            continue
                        key += " (live)"
                    staged[key] = text
                    yield SiteBody(key, key, text, marked)


def like_markdown(text: object) -> bool:
    """Say whether a text reads as Markdown."""
    return isinstance(text, str) and any(sign in text for sign in SIGNS)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
