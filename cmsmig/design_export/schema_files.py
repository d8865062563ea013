"""The design written as files: for the official command line tool, for TypeScript, and
as a page to read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.design_export.languages import languages_file
from cmsmig.design_export.reference import reference_page
from cmsmig.design_export.typescript import typescript
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.propose.component_payloads import (
    component_bodies,
    datasource_bodies,
)
from cmsmig.mapping.uids import group_uuid
from cmsmig.steps.decide.decided_design import DecidedDesign
from cmsmig.ui.report_file import write_text

_SPACE: Final = "design"
"""What the tool has for the number of a space."""
_GROUPS: Final = ("Content types", "Blocks")


@dataclass(frozen=True, slots=True)
class SchemaFiles:
    """What was written, and of what."""

    paths: tuple[Path, ...]
    design: Design

    @property
    def lines(self) -> list[str]:
        """Return it for a person."""
        return [f"{path} written" for path in self.paths]

    def as_json(self) -> JsonObject:
        """Return the document that `schema --json` prints."""
        return {
            "written": [str(path) for path in self.paths],
            "content_types": [each.component for each in self.design.content_types],
            "components": [each.name for each in component_bodies(self.design)],
        }


def write_schema(decided: DecidedDesign, folder: Path) -> SchemaFiles:
    """Write all files of a design below `folder`; replaces those that are there.

    Raises `StorageError` when the disk refuses.
    """
    design = decided.design
    files = _component_files(design) | {"languages.json": languages_file(decided)}
    texts = {
        path: json.dumps(content, ensure_ascii=False, indent=2) + "\n"
        for path, content in files.items()
    }
    texts |= {
        "stories.d.ts": typescript(design),
        "reference.md": reference_page(decided),
    }
    paths = [write_text(folder / path, text) for path, text in texts.items()]
    return SchemaFiles(tuple(paths), design)


def _component_files(design: Design) -> dict[str, Json]:
    """Return the content of each file by its path; no file is empty.

    Source: destination, official CLI: `components pull` writes
    `components/SPACE/components.json` and `groups.json`, `datasources pull` writes
    `datasources/SPACE/datasources.json`; `push --from SPACE` reads the same files.
    """
    groups: list[Json] = [
        {
            "id": number,
            "name": name,
            "uuid": group_uuid(name),
            "parent_id": None,
            "parent_uuid": None,
        }
        for number, name in enumerate(_GROUPS, start=1)
    ]
    components: list[Json] = [_in_group(each.body) for each in component_bodies(design)]
    datasources: list[Json] = [
        {
            "name": each.name,
            "slug": each.slug,
            "dimensions": [],
            "entries": [
                {"name": name, "value": value, "dimension_value": ""}
                for name, value in each.entries
            ],
        }
        for each in datasource_bodies(design)
    ]
    files: dict[str, Json] = {
        f"components/{_SPACE}/components.json": components,
        f"components/{_SPACE}/groups.json": groups,
        f"datasources/{_SPACE}/datasources.json": datasources,
    }
    return {path: content for path, content in files.items() if content}


def _in_group(body: JsonObject) -> JsonObject:
    name = _GROUPS[0 if body["is_root"] else 1]
    return {**body, "component_group_uuid": group_uuid(name)}
