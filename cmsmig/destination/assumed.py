"""What the specification does not show, assumed once each.

Every entry has a value, the gap that it fills, and where the value is known
from; the table `[assumed]` of the settings overrides any of them by name.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from cmsmig.errors import SettingsError


class Gap(StrEnum):
    """What the specification calls `not shown`, and what nobody has published."""

    STATES = "transitions between states"
    COMPONENT_CALL = "method and body of the components endpoint"
    COMPONENT_FIELDS = "fields of a component schema definition"
    STORY_PUT = "path and body of the story PUT request"
    STORY_FIELDS = "fields of a story response"
    SIGNING = "response fields of the asset signing request"
    FINISH = "path and body of the asset finish call"
    ASSET_FIELDS = "fields of an asset record"
    CREDENTIALS = "credential scheme of the destination"
    EVENTS = "events"
    ERRORS = "error body shape and status codes"
    DEPRECATION = "deprecation policy and change notification"
    CONTENT = "how content values are stored"
    """Not a gap of the specification: its sources disagree or are silent."""


def _assumed(
    default: str, gap: Gap, source: str, meaning: str, choices: tuple[str, ...] = ()
) -> str:
    value: str = field(
        default=default,
        metadata={"gap": gap, "source": source, "meaning": meaning, "choices": choices},
    )
    return value


_NEVER_READ = ("origin_sites_key", "origin_collections_key", "origin_items_key")
"""What settings of older versions may set: the origin publishes its lists' keys."""
_HTTP = ("POST", "PUT", "PATCH", "GET")
_YES = ("true", "false")


@dataclass(frozen=True, slots=True)
class Entry:
    """One assumption, for a person."""

    name: str
    value: str
    gap: Gap
    source: str
    """Where the value is known from."""
    meaning: str
    choices: tuple[str, ...]
    """The values it can have; empty: any text."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """Every assumption by name; `entries` says what each means.

    Values are text, since they come from a settings file; a yes or no is `true`
    or `false`.
    """

    credential_scheme: str = _assumed(
        "raw",
        Gap.CREDENTIALS,
        "authentication page; official client",
        "How a token that names no scheme is sent: as it is, or after `Bearer `.",
        ("raw", "bearer"),
    )
    components_key: str = _assumed(
        "components",
        Gap.COMPONENT_CALL,
        "official client",
        "The array in the list of components.",
    )
    component_wrapper: str = _assumed(
        "component",
        Gap.COMPONENT_CALL,
        "official client",
        "The key around a component in requests and answers.",
    )
    component_create_method: str = _assumed(
        "POST",
        Gap.COMPONENT_CALL,
        "official client",
        "The method that creates a component.",
        _HTTP,
    )
    component_update_method: str = _assumed(
        "PUT",
        Gap.COMPONENT_CALL,
        "official client",
        "The method that changes a component.",
        _HTTP,
    )
    component_schema_key: str = _assumed(
        "schema",
        Gap.COMPONENT_FIELDS,
        "official client",
        "The key of a component's field definitions.",
    )
    story_path: str = _assumed(
        "stories/{id}",
        Gap.STORY_PUT,
        "official client",
        "The path of one story below its space.",
    )
    story_wrapper: str = _assumed(
        "story",
        Gap.STORY_PUT,
        "official client; 422 for a missing wrapper",
        "The key around a story in requests and answers.",
    )
    put_replaces_content: str = _assumed(
        "true",
        Gap.CONTENT,
        "every tool sends the whole content; not documented",
        "Whether a PUT removes what it does not name. If `false`, each PUT is "
        "preceded by a GET, and what is to go is sent as null.",
        _YES,
    )
    unset_value: str = _assumed(
        "empty",
        Gap.CONTENT,
        "recorded stories of the official command line",
        "How an empty text in content is sent: as it is, as null, or not at all.",
        ("empty", "null", "omit"),
    )
    default_root_sent: str = _assumed(
        "true",
        Gap.STORY_FIELDS,
        "older documentation requires it, newer does not name it",
        "Whether a folder is sent with its `default_root`.",
        _YES,
    )
    stories_key: str = _assumed(
        "stories",
        Gap.STORY_FIELDS,
        "official client",
        "The array in the list of stories.",
    )
    story_path_key: str = _assumed(
        "full_slug",
        Gap.STORY_FIELDS,
        "official client",
        "The key of a story's full path.",
    )
    total_header: str = _assumed(
        "total",
        Gap.STORY_FIELDS,
        "official client",
        "The header that says how many rows a list has in all.",
    )
    published_key: str = _assumed(
        "published",
        Gap.STATES,
        "official client",
        "The key that says whether a story is published.",
    )
    unpublished_changes_key: str = _assumed(
        "unpublished_changes",
        Gap.STATES,
        "official client",
        "The key that says whether a published story was changed since.",
    )
    publish_in: str = _assumed(
        "body",
        Gap.STATES,
        "publishing page; the newest client sends it as a query",
        "Where `publish` stands when a write is to publish; it is never sent "
        "otherwise, since the service takes 0 for yes.",
        ("body", "query"),
    )
    publish_method: str = _assumed(
        "GET",
        Gap.STATES,
        "official client",
        "The method that publishes a story as it is.",
        _HTTP,
    )
    publish_path: str = _assumed(
        "stories/{id}/publish",
        Gap.STATES,
        "official client",
        "The path that publishes a story as it is.",
    )
    unpublish_path: str = _assumed(
        "stories/{id}/unpublish",
        Gap.STATES,
        "official client",
        "The path that takes a story from visitors, asked by `publish_method`.",
    )
    changed_key: str = _assumed(
        "updated_at",
        Gap.EVENTS,
        "official client",
        "The key that tells that a story was changed: nothing announces it.",
    )
    deleted_key: str = _assumed(
        "deleted_at",
        Gap.STATES,
        "official client",
        "The key that holds since when a story or an asset is in the trash.",
    )
    sign_in: str = _assumed(
        "body",
        Gap.SIGNING,
        "documentation; the newest client signs by query",
        "Where the signing request carries its fields.",
        ("body", "query"),
    )
    signed_id_key: str = _assumed(
        "id",
        Gap.SIGNING,
        "documentation",
        "The key of the new asset's id, a number or a text of digits.",
    )
    signed_public_key: str = _assumed(
        "public_url",
        Gap.SIGNING,
        "documentation",
        "The key of the address where the file will be.",
    )
    signed_pretty_key: str = _assumed(
        "pretty_url",
        Gap.SIGNING,
        "documentation",
        "The same address without its scheme, for when the other is missing.",
    )
    finish_method: str = _assumed(
        "GET",
        Gap.FINISH,
        "official client",
        "The method of the finish call.",
        _HTTP,
    )
    finish_path: str = _assumed(
        "assets/{id}/finish_upload",
        Gap.FINISH,
        "official client",
        "The path of the finish call; it has no body.",
    )
    assets_key: str = _assumed(
        "assets",
        Gap.ASSET_FIELDS,
        "official client",
        "The array in the list of assets.",
    )
    asset_wrapper: str = _assumed(
        "asset",
        Gap.ASSET_FIELDS,
        "documentation; the newest client reads assets without it",
        "The key around an asset; answers are read without it as well.",
    )
    asset_update_method: str = _assumed(
        "PUT",
        Gap.ASSET_FIELDS,
        "documentation; the newest client sends PATCH",
        "The method that changes an asset's record.",
        ("PUT", "PATCH"),
    )
    external_id_key: str = _assumed(
        "ext_id",
        Gap.ASSET_FIELDS,
        "official client",
        "The key, and the filter, of an asset's external id.",
    )
    asset_size_key: str = _assumed(
        "content_length",
        Gap.ASSET_FIELDS,
        "official client",
        "The key of an asset's size in bytes.",
    )
    asset_storage_prefix: str = _assumed(
        "s3.amazonaws.com/",
        Gap.ASSET_FIELDS,
        "official client",
        "What stands before the delivery host in an address and never in content.",
    )
    error_wrappers: str = _assumed(
        "error,errors,base",
        Gap.ERRORS,
        "official command line",
        "Keys of an error body that name no field.",
    )
    deprecation_headers: str = _assumed(
        "deprecation,sunset",
        Gap.DEPRECATION,
        "RFC 9745 and RFC 8594",
        "Headers by which a service announces that a call goes away.",
    )

    def entries(self) -> tuple[Entry, ...]:
        """Return every assumption with what is known of it."""
        return tuple(
            Entry(
                name=entry.name,
                value=getattr(self, entry.name),
                gap=entry.metadata["gap"],
                source=entry.metadata["source"],
                meaning=entry.metadata["meaning"],
                choices=entry.metadata["choices"],
            )
            for entry in dataclasses.fields(self)
        )

    def overridden(self, values: Mapping[str, str]) -> Assumed:
        """Return these assumptions with some replaced, by name.

        Raises `SettingsError` for a name that is none of them, a value that is
        no choice of it, and a path that lost its `{id}`.
        """
        known = {entry.name: entry for entry in self.entries()}
        for name, value in values.items():
            if name not in known:
                raise SettingsError(_unknown(name, known))
            _check(known[name], value)
        return dataclasses.replace(self, **values)


STANDARD = Assumed()
"""What is assumed unless the settings say otherwise."""


def _unknown(name: str, known: Mapping[str, Entry]) -> str:
    if name in _NEVER_READ:
        return (
            f"The table [assumed] sets {name}, which nothing reads: take it out. The "
            "origin publishes the keys of its lists."
        )
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "take it out."
    return f"The table [assumed] sets {name}, which is not known: {hint}"


def _check(entry: Entry, value: str) -> None:
    where = f"{entry.name} in the table [assumed]"
    if entry.choices and value not in entry.choices:
        raise SettingsError(
            f"{where} is {value!r}: write one of {', '.join(entry.choices)}."
        )
    if not value:
        raise SettingsError(f"{where} is empty: write a value or take the line out.")
    if "{id}" in entry.value and "{id}" not in value:
        raise SettingsError(f"{where} is {value!r}: it must hold {{id}}.")
