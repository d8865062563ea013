"""The recorded outputs of the official converter, by category."""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "richtext" / "official"


@dataclass(frozen=True, slots=True)
class Case:
    """One input, and what the official package made of it."""

    name: str
    source: str
    markdown: bool
    document: Any
    rendered: str
    deviations: tuple[str, ...]
    """Those that make our document another one."""


def recorded() -> list[Case]:
    """Return every recorded case; a name is its category and its own name."""
    found: list[Case] = []
    for path in sorted(FOLDER.glob("*.json")):
        for case in json.loads(path.read_text(encoding="utf-8")):
            markdown = "markdown" in case
            source = case["markdown"] if markdown else case["html"]
            name = f"{path.stem}/{case['name']}"
            found.append(
                Case(
                    name,
                    source,
                    markdown,
                    case["document"],
                    case["rendered"],
                    tuple(case.get("deviations", ())),
                )
            )
    return found


def difference(wanted: str, found: str, name: str) -> str:
    """Return a diff of two JSON texts or two of HTML for a person, with a heading."""
    pages = (_readable(wanted), _readable(found))
    lines = list(difflib.unified_diff(*pages, "recorded", "found", "", "", 3))
    return "\n".join([name, *lines[:80]])


def _readable(text: str) -> list[str]:
    if text.startswith(("{", "[")):
        text = json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    return text.replace("><", ">\n<").splitlines()
