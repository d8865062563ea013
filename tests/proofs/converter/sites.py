"""The bodies of real sites: each folder below one that holds a `sites.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from cmsmig.steps.decide.cross_check import SiteBody

SIGNS = ("\n# ", "\n## ", "\n- ", "**", "](")
"""What a plain text that reads as Markdown has one of."""


def bodies_of_sites(folder: Path) -> dict[str, list[SiteBody]]:
    """Return the bodies of each content folder, by its name."""
    found = sorted(folder.glob("*/sites.json"))
    return {path.parent.name: list(_bodies(path.parent)) for path in found}


def _bodies(site: Path) -> Iterator[SiteBody]:
    """Yield the filled bodies: staged, and live where it differs."""
    for path in sorted((site / "collections").glob("*.json")):
        schema = json.loads(path.read_text("utf-8"))
        kinds = {field["slug"]: field["type"] for field in schema["fields"]}
        staged: dict[str, str] = {}
        for part in ("items", "live"):
            file = site / part / path.name
            held = json.loads(file.read_text("utf-8"))["items"] if file.exists() else []
            for item in held:
                locale = item.get("cmsLocaleId") or ""
                for slug, text in item["fieldData"].items():
                    key = "/".join(
                        filter(None, (schema["slug"], item["id"], locale, slug))
                    )
                    if not _is_body(kinds.get(slug), text) or staged.get(key) == text:
                        continue
                    staged.setdefault(key, text)
                    name = key if part == "items" else f"{key} (live)"
                    yield SiteBody(name, name, text, kinds[slug] == "PlainText")


def _is_body(kind: str | None, text: object) -> bool:
    if not isinstance(text, str) or not text.strip():
        return False
    marked = kind == "PlainText" and any(sign in text for sign in SIGNS)
    return kind == "RichText" or marked
