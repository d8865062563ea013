"""What a field of the origin takes, for items that are edited by hand.

Source: origin, field object and `fieldData` values. A type that is not known takes
anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.origin.content import Content
from cmsmig.sandbox.values import list_of, object_of, text_of

LONG_TEXTS = frozenset({"PlainText", "RichText"})
TEXTS = LONG_TEXTS | {
    "Color",
    "Date",
    "DateTime",
    "Email",
    "ItemRef",
    "Link",
    "Phone",
    "Reference",
}
"""Types whose value is a text; of references it is an id."""
_SLUG = re.compile(r"\w[\w-]*")
_MOST = 256
"""Characters of a name and a slug. Source: origin, validations seen."""


def options_of(field: JsonObject) -> dict[str, str]:
    """Return the names of an option field's values by id."""
    listed = list_of(object_of(field.get("validations")).get("options"))
    return {
        text_of(each.get("id")): text_of(each.get("name"))
        for each in map(object_of, listed)
    }


def wrong_value(content: Content, field: JsonObject, value: Json) -> str:
    """Return what is wrong with the value of a field, empty when it fits."""
    slug = text_of(field.get("slug"))
    if value is None or value == "":
        needed = field.get("isRequired") is True or slug in ("name", "slug")
        return f"{slug}: a value is required" if needed else ""
    if slug == "slug" and not (isinstance(value, str) and _SLUG.fullmatch(value)):
        return "slug: letters, digits, `-` and `_` only, not `-` first"
    if slug in ("name", "slug") and len(text_of(value)) > _MOST:
        return f"{slug}: at most {_MOST} characters"
    check = _CHECKS.get(text_of(field.get("type")))
    wrong = check(content, field, value) if check else ""
    return f"{slug}: {wrong}" if wrong else ""


def _text(content: Content, field: JsonObject, value: Json) -> str:
    if not isinstance(value, str):
        return "a text is needed"
    limits = object_of(field.get("validations"))
    most, least = limits.get("maxLength"), limits.get("minLength")
    if isinstance(most, int) and len(value) > most:
        return f"at most {most} characters"
    if isinstance(least, int) and len(value) < least:
        return f"at least {least} characters"
    broken = limits.get("singleLine") is True and len(value.splitlines()) > 1
    return "one line only" if broken else ""


def _number(content: Content, field: JsonObject, value: Json) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "a number is needed"
    limits = object_of(field.get("validations"))
    if limits.get("format") == "integer" and value != int(value):
        return "a whole number is needed"
    if limits.get("allowNegative") is False and value < 0:
        return "not below 0"
    least, most = limits.get("minValue"), limits.get("maxValue")
    if isinstance(least, int | float) and value < least:
        return f"at least {least}"
    return f"at most {most}" if isinstance(most, int | float) and value > most else ""


def _switch(content: Content, field: JsonObject, value: Json) -> str:
    return "" if isinstance(value, bool) else "true or false is needed"


def _date(content: Content, field: JsonObject, value: Json) -> str:
    try:
        datetime.fromisoformat(text_of(value))
    except ValueError:
        return "a date such as 2026-11-27T00:00:00.000Z is needed"
    return ""


def _option(content: Content, field: JsonObject, value: Json) -> str:
    known = options_of(field)
    return "" if value in known else f"one of {', '.join(known)} is needed"


def _reference(content: Content, field: JsonObject, value: Json) -> str:
    target = text_of(object_of(field.get("validations")).get("collectionId"))
    if not isinstance(value, str):
        return "the id of an item is needed"
    if content.collection(target) is None:
        return ""
    known = content.variants(target, value, live=False)
    return "" if known else f"{value} is no item of collection {target}"


def _file(content: Content, field: JsonObject, value: Json) -> str:
    if text_of(object_of(value).get("url")):
        return ""
    return 'an object such as {"url": "https://...", "alt": null} is needed'


def _video(content: Content, field: JsonObject, value: Json) -> str:
    return "" if isinstance(value, str) else _file(content, field, value)


_Check = Callable[[Content, JsonObject, Json], str]


def _each(check: _Check) -> _Check:
    def checked(content: Content, field: JsonObject, value: Json) -> str:
        if not isinstance(value, list):
            return "a list is needed"
        return next(filter(None, (check(content, field, one) for one in value)), "")

    return checked


_CHECKS: dict[str, _Check] = {
    **dict.fromkeys(("PlainText", "RichText", "Email", "Phone", "Link"), _text),
    "Color": _text,
    "Number": _number,
    **dict.fromkeys(("Switch", "Bool"), _switch),
    **dict.fromkeys(("DateTime", "Date"), _date),
    "Option": _option,
    **dict.fromkeys(("Reference", "ItemRef"), _reference),
    **dict.fromkeys(("MultiReference", "ItemRefSet"), _each(_reference)),
    **dict.fromkeys(("Image", "ImageRef", "File", "FileRef", "ExtFileRef"), _file),
    **dict.fromkeys(("MultiImage", "ImageRefSet", "Set"), _each(_file)),
    **dict.fromkeys(("VideoLink", "Video"), _video),
}
