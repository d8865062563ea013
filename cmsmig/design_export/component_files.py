"""The design in the files of the official command line tool.

Source: destination, official CLI: `components pull` writes
`components/SPACE/components.json` and `groups.json`, `datasources pull` writes
`datasources/SPACE/datasources.json`; `push --from SPACE` reads the same files.
"""

from __future__ import annotations

from typing import Final

from cmsmig.canonical import Json, JsonObject
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.propose.component_payloads import (
    component_bodies,
    datasource_bodies,
)
from cmsmig.mapping.uids import group_uuid

SPACE: Final = "design"
"""What the tool has for the number of a space."""
_GROUPS: Final = ("Content types", "Blocks")


def component_files(design: Design) -> dict[str, Json]:
    """Return the content of each file by its path; no file is empty."""
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
        f"components/{SPACE}/components.json": components,
        f"components/{SPACE}/groups.json": groups,
        f"datasources/{SPACE}/datasources.json": datasources,
    }
    return {path: content for path, content in files.items() if content}


def _in_group(body: JsonObject) -> JsonObject:
    name = _GROUPS[0 if body["is_root"] else 1]
    return {**body, "component_group_uuid": group_uuid(name)}
