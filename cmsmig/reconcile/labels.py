"""What editors call components, fields, stories and values. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from cmsmig.canonical import Json
from cmsmig.destination.typed_records import StoryRow
from cmsmig.ledger.rows import ItemRow
from cmsmig.mapping.compare.component_fields import schema_of
from cmsmig.mapping.decisions.design import Design
from cmsmig.mapping.propose.component_payloads import component_bodies
from cmsmig.reconcile.kinds import Kind, Ref
from cmsmig.richtext.plain_text import visible_text

EMPTY: Final = "empty"
NAMING: Final = ("filename", "email", "cached_url", "url")
"""Keys that name a file or the target of a link."""
_FIELDS: Mapping[str, str] = {
    "first_published_at": "first published",
    "sort_by_date": "date",
    "group_id": "group of languages",
}


@dataclass(frozen=True, slots=True)
class Labels:
    """What editors call components, fields and stories."""

    components: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By component and key."""
    stories: Mapping[str, StoryRow] = field(default_factory=dict)
    """By full slug, and by uuid."""

    def item(self, path: str) -> str:
        """Return the name of a story with its path; the path where there is none."""
        row = self.stories.get(path)
        return f"{row.name} ({path})" if row else path

    def field_name(self, ref: Ref, name: str) -> str:
        """Return the label of a field of an object, as decisions name both."""
        _, _, path = name.partition(".")
        if not path:
            return _FIELDS.get(name, name)
        if ref.kind is Kind.STORY:
            row = self.stories.get(ref.key)
            return self.key(row.content_type if row else "", path)
        key, *rest = path.split(".")
        return " > ".join([self.key(ref.key, key), *rest])

    def key(self, component: str, key: str) -> str:
        """Return the label of a key of a component, with the language it is in."""
        name, _, language = key.partition("__i18n__")
        label = self.fields.get((component, name)) or name.replace("_", " ").strip()
        return f"{label} in {language.replace('_', '-')}" if language else label

    def value(self, value: Json) -> str:
        """Return a value in one line, without JSON and ids: `empty`, yes or no, a text
        as it is, the words of a body, and stories, blocks and files by name."""
        if value in (None, "", [], {}):
            return EMPTY
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str):
            row = self.stories.get(value)
            return row.name if row and row.uuid == value else value
        if isinstance(value, list):
            return ", ".join(map(self.value, value))
        return self._object(value) if isinstance(value, dict) else str(value)

    def _object(self, value: Mapping[str, Json]) -> str:
        if isinstance(name := value.get("component"), str):
            return self.components.get(name) or name
        if value.get("type") == "doc":
            return " ".join(visible_text(value).split()) or EMPTY
        uuid = value.get("id")
        if isinstance(uuid, str) and uuid in self.stories:
            return self.stories[uuid].name
        for key in NAMING:
            if (text := value.get(key)) and isinstance(text, str):
                return text.rpartition("/")[2] if key == "filename" else text
        if "fieldtype" in value:
            return EMPTY
        texts = map(self.value, value.values())
        return ", ".join(each for each in texts if each != EMPTY) or EMPTY


NO_LABELS: Final = Labels()


def labels_of(
    design: Design, stories: Iterable[StoryRow], items: Iterable[ItemRow]
) -> Labels:
    """Return the labels of the design and the names of the stories of the space, also
    by the paths that the ledger has of them."""
    bodies = component_bodies(design)
    rows = [row for row in stories if not row.is_folder]
    named = {name: row for row in rows for name in (row.full_slug, row.uuid)}
    records = [each.story_record for each in items if each.story_record]
    moved = {e.full_slug: named[e.uuid] for e in records if e.uuid in named}
    return Labels(
        {each.name: str(each.body.get("display_name") or "") for each in bodies},
        {
            (each.name, key): str(definition.get("display_name") or "")
            for each in bodies
            for key, definition in schema_of(each.body).items()
        },
        named | moved,
    )
