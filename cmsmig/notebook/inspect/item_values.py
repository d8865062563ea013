"""One value of an item as what it is: a picture, a colour, a date, a link."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from markupsafe import Markup

from cmsmig.canonical import Json
from cmsmig.data_address import file_key
from cmsmig.mapping.convert.asset_uploads import file_objects
from cmsmig.mapping.convert.field_values import target_ids
from cmsmig.mapping.dates import parse_moment, zone_of
from cmsmig.mapping.propose.field_facts import is_blank
from cmsmig.mapping.propose.field_types import Shown, field_type
from cmsmig.mapping.value_checks import number_text
from cmsmig.origin.files import FileRow
from cmsmig.origin.schema import Field
from cmsmig.survey.value_facts import SHOWN, file_name, size_text
from cmsmig.ui.html.html_templates import fragment
from cmsmig.ui.html.safe_html import NOTHING, code, escape, joined, stacked

_COLOUR = re.compile(
    r"#[0-9a-fA-F]{3,8}|(?:rgb|hsl)a?\([0-9.,%/ deg]{3,60}\)|[a-zA-Z]{3,20}"
)
_LINKED = re.compile(r"https?://[^\s\"'<>\\^`{|}]+", re.I)
_IN_MAIL = r"\s@<>\"'"
_MAIL = re.compile(rf"[^{_IN_MAIL}]++@[^{_IN_MAIL}][^{_IN_MAIL}.]*+\.[^{_IN_MAIL}]++")
_MOST_WORDS = 1500
"""Words beyond which two texts are not compared word by word."""
_MOST = 20_000
"""Characters of a value that are shown."""
_RESERVED = {
    "__wf_reserved_inherit": "alternative text of the file itself",
    "__wf_reserved_decorative": "decorative, without alternative text",
}
_made = partial(fragment, "notebook/inspect/item_page.html")


Opener: TypeAlias = Callable[[str, str], Markup]
"""Returns what opens the item with an id that a reference leads to, which stays empty
for a cause."""


@dataclass(frozen=True, slots=True)
class ValueContext:
    """What values are shown with."""

    time_zone: str
    files: Mapping[str, FileRow]
    """By address: those of the item."""
    thumbnail: Callable[[str], str | None]
    """Returns the thumbnail of a hash; None while it is being drawn."""
    causes: Mapping[tuple[str, str], str]
    """Why references would stay empty, by field and target."""
    opener: Opener


def value_html(field: Field, value: Json, context: ValueContext) -> Markup:
    """Return a value as what its field says it is; whatever it holds, it is shown."""
    if is_blank(value):
        return _made("missing", text="empty")
    made = _SHOWN.get(field_type(field.type).shown, _text)
    return made(field, value, context)


def moment_text(text: str, time_zone: str) -> str:
    """Return a point in time in words: `14 March 2024, 09:30 (Europe/Paris)`."""
    moment = parse_moment(text)
    if moment is None:
        return text
    try:
        there = moment.astimezone(zone_of(time_zone))
    except OverflowError:
        there = moment
    return f"{there.day} {there:%B %Y, %H:%M} ({time_zone})"


def words_html(before: str, after: str) -> Markup:
    """Return a text with what another one has marked as removed and added; nothing
    for very long ones."""
    one, two = before.split(), after.split()
    if len(one) > _MOST_WORDS or len(two) > _MOST_WORDS:
        return NOTHING
    return _made("words", pieces=list(_compared(one, two)))


def _compared(one: list[str], two: list[str]) -> Iterator[tuple[str, str]]:
    matcher = difflib.SequenceMatcher(None, one, two, autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            yield "", " ".join(one[a:b])
            continue
        if b > a:
            yield "del", " ".join(one[a:b])
        if d > c:
            yield "ins", " ".join(two[c:d])


def _text(field: Field, value: Json, context: ValueContext) -> Markup:
    if isinstance(value, str):
        shown = value if len(value) <= _MOST else f"{value[:_MOST]}…"
        return _made("long", text=shown) if len(value) > SHOWN else escape(value)
    text = json.dumps(value, ensure_ascii=False, indent=1)
    return _made("long", text=text[:_MOST])


def _number(field: Field, value: Json, context: ValueContext) -> Markup:
    return escape(number_text(value) or json.dumps(value)[:400])


def _switch(field: Field, value: Json, context: ValueContext) -> Markup:
    return escape("yes" if value is True else "no" if value is False else value)


def _date(field: Field, value: Json, context: ValueContext) -> Markup:
    if not isinstance(value, str):
        return _text(field, value, context)
    return escape(moment_text(value, context.time_zone))


def _option(field: Field, value: Json, context: ValueContext) -> Markup:
    labels = dict(field.options)
    if isinstance(value, str) and value in labels:
        return escape(labels[value])
    return _made("missing", text=f"{value}: no option of this field any more")


def _colour(field: Field, value: Json, context: ValueContext) -> Markup:
    text = value if isinstance(value, str) else json.dumps(value)
    css = text.strip() if _COLOUR.fullmatch(text.strip()) else ""
    return _made("colour", css=css, text=text)


def _link(field: Field, value: Json, context: ValueContext) -> Markup:
    address = value.get("url") if isinstance(value, dict) else value
    if not isinstance(address, str):
        return _text(field, value, context)
    # A link leads to the web and nowhere else.
    if _LINKED.fullmatch(address.strip()):
        return _made("link", address=address.strip(), text=address)
    return code(address)


def _mail(field: Field, value: Json, context: ValueContext) -> Markup:
    if isinstance(value, str) and _MAIL.fullmatch(value.strip()):
        return _made("link", address=f"mailto:{value.strip()}", text=value)
    return _text(field, value, context)


def _references(field: Field, value: Json, context: ValueContext) -> Markup:
    multiple = field_type(field.type).several
    parts = [
        context.opener(target, context.causes.get((field.slug, target), ""))
        for target in target_ids(value, multiple=multiple)
    ]
    return stacked(parts) if parts else _text(field, value, context)


def _files(field: Field, value: Json, context: ValueContext) -> Markup:
    parts = [
        _file(found.address, found.alt, field.type != "File", context)
        for found, _ in file_objects(value)
    ]
    return joined(parts) if parts else _text(field, value, context)


def _file(address: str, alt: str, picture: bool, context: ValueContext) -> Markup:
    row = context.files.get(file_key(address))
    name = file_name(address)
    if row is None or row.error or not row.sha256:
        why = row.detail or row.error if row else "no local copy"
        return _made(
            "picture", source="", name=name, about=why, alt="", drawn="not here"
        )
    about = size_text(row.size)
    if row.width and row.height:
        about = f"{row.width} × {row.height}, {about}"
    if not picture:
        return escape(f"{name} ({row.content_type or 'file'}, {about})")
    source = context.thumbnail(row.sha256)
    said = _RESERVED.get(alt.strip(), f"“{alt.strip()}”" if alt.strip() else "")
    return _made(
        "picture",
        source=source or "",
        name=name,
        about=f"{about}; {said or 'no alternative text'}",
        alt=alt or name,
        drawn="is being drawn" if source is None else "cannot be drawn here",
    )


_SHOWN: Mapping[Shown, Callable[[Field, Json, ValueContext], Markup]] = {
    Shown.NUMBER: _number,
    Shown.SWITCH: _switch,
    Shown.DATE: _date,
    Shown.OPTION: _option,
    Shown.COLOR: _colour,
    Shown.LINK: _link,
    Shown.EMAIL: _mail,
    Shown.REFERENCES: _references,
    Shown.FILES: _files,
}
