"""From the destination's answers to records.

Strict about what the kit relies on (ids, names, addresses), tolerant about the
rest. Every reader raises `MalformedAnswerError` with the key that is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from sys import intern
from urllib.parse import urlsplit

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination import space_limits
from cmsmig.destination.typed_records import (
    BY_HAND,
    Asset,
    AssetFolder,
    Component,
    Datasource,
    DatasourceEntry,
    Release,
    SignedUpload,
    Space,
    Story,
    StoryRow,
    Webhook,
    content_url,
)
from cmsmig.errors import MalformedAnswerError

SERVICE = "destination"
EXTERNAL_ID = "ext_id"
"""The key, and the filter, of an asset's external id. Source: official client."""
_BEYOND = 2**63
"""The first number that no database, ours nor the service's, takes for an id."""
_DIGITS = 20
_BY_HAND = (
    *("title", "copyright", "source", "focus", "is_private", "locked"),
    *("publish_at", "expire_at", "internal_tag_ids"),
)
"""Keys of an asset that signing an upload leaves empty."""


def unwrapped(answer: Json, wrapper: str, *, bare: bool = False) -> JsonObject:
    """Return the record under `wrapper`; the answer itself if it may be `bare`."""
    record = _object(answer, "an object")
    inner = record.get(wrapper)
    if isinstance(inner, dict):
        return inner
    if bare and wrapper not in record:
        return record
    raise _missing(wrapper)


def rows(answer: Json, key: str) -> list[JsonObject]:
    """Return the records of a list answer."""
    listed = _object(answer, "an object").get(key)
    if not isinstance(listed, list):
        raise _missing(key)
    return [_object(row, key) for row in listed]


def preview_token(answer: Json) -> str:
    """Return the token by which the delivery side of a space is read; empty where the
    space shows none. Source: destination, scoped tokens."""
    return _text(unwrapped(answer, "space"), "first_token")


def space(record: JsonObject) -> Space:
    """Read a space, without its preview token."""
    return Space(
        space_id=str(_whole(record, "id")),
        name=_text(record, "name"),
        plan_level=_text(record, "plan_level"),
        languages=tuple(_languages(record)),
        plan=_text(record, "plan"),
        limits=space_limits.known_limits(record),
        upload_bytes=space_limits.upload_bytes(record),
        required_asset_fields=space_limits.required_asset_fields(record),
    )


def component(record: JsonObject) -> Component:
    """Read a component; its field definitions are under `schema`."""
    return Component(_whole(record, "id"), _named(record, "name"), dict(record))


def story_row(record: JsonObject) -> StoryRow:
    """Read a story or folder as a list or a single answer shows it."""
    content = record.get("content")
    root = content.get("component") if isinstance(content, dict) else None
    return StoryRow(
        story_id=_whole(record, "id"),
        uuid=_named(record, "uuid"),
        name=_text(record, "name"),
        slug=_text(record, "slug"),
        full_slug=_named(record, "full_slug").strip("/"),
        parent_id=_maybe_whole(record, "parent_id") or 0,
        is_folder=record.get("is_folder") is True,
        is_startpage=record.get("is_startpage") is True,
        published=record.get("published") is True,
        unpublished_changes=record.get("unpublished_changes") is True,
        updated_at=_text(record, "updated_at"),
        # One text for all stories of a type: a space may have very many.
        content_type=intern(
            root if isinstance(root, str) else _text(record, "content_type")
        ),
        trashed=bool(record.get("deleted_at")),
        group_id=_text(record, "group_id"),
        default_root=intern(_text(record, "default_root")),
        by_hand=tuple((name, record[name]) for name in BY_HAND if record.get(name)),
    )


def story(record: JsonObject) -> Story:
    """Read a story with its content; a folder may have none."""
    row = story_row(record)
    content = record.get("content")
    if not isinstance(content, dict):
        if not row.is_folder:
            raise _missing("content")
        content = {}
    return Story(row, content, record)


def signed_upload(record: JsonObject) -> SignedUpload:
    """Read the answer to a signing request; the order of the fields is kept."""
    listed = record.get("fields")
    if not isinstance(listed, dict) or not listed:
        raise _missing("fields")
    return SignedUpload(
        asset_id=_whole(record, "id"),
        post_url=_absolute(_named(record, "post_url")),
        fields=tuple((key, _verbatim(value, key)) for key, value in listed.items()),
        content_url=content_url(
            _text(record, "public_url") or _named(record, "pretty_url")
        ),
    )


def asset(record: JsonObject) -> Asset:
    """Read an asset's record."""
    filename, meta = _named(record, "filename"), record.get("meta_data")
    return Asset(
        asset_id=_whole(record, "id"),
        filename=filename,
        content_url=content_url(filename),
        ext_id=_text(record, EXTERNAL_ID),
        alt=_text(record, "alt"),
        asset_folder_id=_maybe_whole(record, "asset_folder_id"),
        content_length=_maybe_whole(record, "content_length"),
        trashed=bool(record.get("deleted_at")),
        meta_data=meta if isinstance(meta, dict) else {},
        filled=tuple(_filled(record)),
    )


def _filled(record: JsonObject) -> Iterator[str]:
    """Yield the keys of an asset that an editor filled in.

    Source: destination, assets: `meta_data` repeats the texts of the default language.
    """
    yield from (key for key in _BY_HAND if record.get(key))
    meta = record.get("meta_data")
    if isinstance(meta, dict) and any(
        text not in (None, "", record.get("alt"), record.get(name))
        for name, text in meta.items()
    ):
        yield "meta_data"


def asset_folder(record: JsonObject) -> AssetFolder:
    """Read a folder of assets."""
    return AssetFolder(
        _whole(record, "id"),
        _text(record, "name"),
        _maybe_whole(record, "parent_id"),
        bool(record.get("deleted_at")),
    )


def datasource(record: JsonObject) -> Datasource:
    """Read a datasource."""
    return Datasource(
        _whole(record, "id"), _text(record, "name"), _named(record, "slug")
    )


def datasource_entry(record: JsonObject) -> DatasourceEntry:
    """Read one entry of a datasource."""
    return DatasourceEntry(
        _whole(record, "id"), _text(record, "name"), _text(record, "value")
    )


def webhook(record: JsonObject) -> Webhook:
    """Read a webhook; one that does not say that it is off counts as on."""
    listed = record.get("actions")
    actions = listed if isinstance(listed, list) else []
    return Webhook(
        name=_text(record, "name"),
        host=_host(_text(record, "endpoint")),
        actions=frozenset(each for each in actions if isinstance(each, str)),
        activated=record.get("activated") is not False,
    )


def parse_time(text: Json) -> datetime | None:
    """Return a time of the service; None where the text is none."""
    try:
        found = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if found and found.tzinfo is None else found


def release(record: JsonObject) -> Release:
    """Read a release; one that does not say that it was deployed is pending."""
    return Release(
        release_id=_whole(record, "id"),
        name=_text(record, "name"),
        released=record.get("released") is True,
        release_at=_text(record, "release_at"),
    )


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _absolute(url: str) -> str:
    return f"https:{url}" if url.startswith("//") else url


def _languages(record: JsonObject) -> Iterator[str]:
    options = record.get("options")
    nested = options.get("languages") if isinstance(options, dict) else None
    listed = record.get("languages") or nested
    for language in listed if isinstance(listed, list) else []:
        if isinstance(language, dict) and isinstance(language.get("code"), str):
            yield _text(language, "code")
        elif isinstance(language, str):
            yield language


def _object(value: Json, what: str) -> JsonObject:
    if not isinstance(value, dict):
        raise _missing(what)
    return value


def _whole(record: JsonObject, key: str) -> int:
    number = _maybe_whole(record, key)
    if number is None:
        raise _missing(key)
    return number


def _maybe_whole(record: JsonObject, key: str) -> int | None:
    value = record.get(key)
    if isinstance(value, str) and len(value) < _DIGITS and value.isascii():
        value = int(value) if value.isdigit() else None
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if abs(value) < _BEYOND else None


def _named(record: JsonObject, key: str) -> str:
    text = _text(record, key)
    if not text:
        raise _missing(key)
    return text


def _text(record: JsonObject, key: str) -> str:
    value = record.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""


def _verbatim(value: Json, key: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise _missing(f"fields.{key}")


def _missing(key: str) -> MalformedAnswerError:
    return MalformedAnswerError(
        f"An answer of the destination reports success but lacks `{key}`. Check that "
        "destination_base_url is the address of its management API; if it is, that API "
        "has changed, and this version of cmsmig cannot read it.",
        service=SERVICE,
    )
