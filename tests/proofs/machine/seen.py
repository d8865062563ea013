"""What the sandbox's space holds, read from its state and not from any ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.proofs.machine.site import FOLDER, Key
from tests.proofs.machine.stage import CODE
from tests.proofs.world.world import World

NAME, SLUG, FOLDER_ID, TAGS = "name", "slug", "folder", "tags"
LINE, TEXT = "content.line", "content.text"
PICTURE, MOOD = "content.picture", "content.mood"
FRENCH_LINE = f"content.line__i18n__{CODE.replace('-', '_')}"
FRENCH_NAME, FRENCH_SLUG = f"name in {CODE}", f"slug in {CODE}"
PUBLISHED, TRASHED = "published", "trashed"
PLAIN = (
    "first_published_at",
    "sort_by_date",
    "publish_at",
    "expire_at",
    "pinned",
)


@dataclass(frozen=True)
class Seen:
    """A story of a note."""

    story_id: int
    key: Key
    """The item and the language that it was made of."""
    path: str
    values: Mapping[str, Any]
    shown: Mapping[str, Any] | None
    """What visitors get of it; None: it is not public."""
    trashed: bool
    asset_ids: frozenset[int]
    """Of the pictures in all languages."""

    def holds(self, field: str, value: Any) -> bool:
        """Return whether an editor's value is there."""
        if field == TAGS:
            return value in self.values[TAGS]
        if field == PUBLISHED:
            return (self.shown is not None) is value
        if field == TRASHED:
            return self.trashed is value
        return bool(self.values.get(field) == value)


Space = Mapping[int, Seen]


def look(world: World) -> dict[int, Seen]:
    """Return the stories of notes, also those in the trash."""
    found = {}
    for own, stored in world.space.stories.items():
        content = stored.content
        if stored.is_folder or content.get("component") != FOLDER.removesuffix("s"):
            continue
        letter, language = str(content["mark"]).split()
        shown = stored.published_content
        found[own] = Seen(
            own,
            (letter, language),
            # As decisions and visitors name it; a start page's ends in a slash.
            world.space.full_slug(stored).strip("/"),
            {
                NAME: stored.name,
                SLUG: stored.slug,
                FOLDER_ID: stored.parent_id,
                TAGS: tuple(stored.body.get("tag_list") or ()),
                **{each: stored.body.get(each) for each in PLAIN},
                **_french(stored.translations()),
                **_content(content),
            },
            None
            if shown is None
            else {
                NAME: stored.published_name,
                **_french(stored.translations(public=True)),
                **_content(shown),
            },
            stored.deleted_at is not None,
            frozenset(
                picture["id"]
                for field, picture in content.items()
                if field.startswith("picture") and picture and picture.get("id")
            ),
        )
    return found


def pick(choices: Sequence[Any], number: int) -> Any:
    """Return one of several; None of none."""
    return choices[number % len(choices)] if choices else None


def _french(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the name and the slug in French, if there are any."""
    found = next((each for each in rows if each["lang"] == CODE), None)
    if found is None:
        return {}
    return {FRENCH_NAME: found.get("name"), FRENCH_SLUG: found.get("slug")}


def _content(content: Mapping[str, Any]) -> dict[str, Any]:
    shown = content.get("picture") or {}
    return {
        LINE: content.get("line") or "",
        FRENCH_LINE: content.get(FRENCH_LINE.removeprefix("content.")) or "",
        TEXT: _words_of(content.get("text")),
        MOOD: content.get("mood") or "",
        PICTURE: str(shown.get("filename") or "").rpartition("/")[2],
    }


def _words_of(text: Any) -> str:
    if isinstance(text, dict):
        below = text.get("content") or ()
        return str(text.get("text") or "") + "".join(map(_words_of, below))
    return ""
