"""What the service refuses in a story, translated to the block and the field.

Source: destination, strict validation. The texts are known; where they name the
block is not, so every known name is looked for in all of a complaint.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from cmsmig.canonical import Json
from cmsmig.destination.content_places import Place, block_places
from cmsmig.destination.value_kinds import NAMES, is_refused, kind_of
from cmsmig.errors import FieldProblem, RejectedError

_MOST = 5
"""Refused values that are named of one story."""
_SHOWN = 60
"""Characters of a refused text that are shown."""
_WORD = re.compile(r"[\w-]+")
_VALUE = re.compile(
    r"value of the field [`'\"]?([\w-]+)[`'\"]? in the component [`'\"]?([\w-]+)",
    re.IGNORECASE,
)
_BARRED = re.compile(
    r"components?(?:\(s\))? (.+?) (?:is|are) not allowed in the field [`'\"]?([\w-]+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Rule:
    """One rule about values, as the service says it and as an editor reads it."""

    says: re.Pattern[str]
    shown: str
    breaks: Callable[[Json], bool]


def _of_type(field_type: str) -> Callable[[Json], bool]:
    return lambda value: is_refused(field_type, kind_of(value))


_RULES = (
    _Rule(
        re.compile("prosemirror document"),
        "must hold a rich text document",
        _of_type("richtext"),
    ),
    _Rule(
        re.compile("string with numbers"),
        "must hold a number, digits with `-` and `.` only",
        _of_type("number"),
    ),
    _Rule(
        re.compile("true or false|a boolean"), "must be yes or no", _of_type("boolean")
    ),
    _Rule(re.compile("an? (?:array|list)"), "must hold a list", _of_type("bloks")),
    _Rule(
        re.compile("an? (?:object|hash)"),
        "must hold a file or a link",
        _of_type("asset"),
    ),
    _Rule(
        re.compile("be blank|is required"),
        "is required and has no value",
        lambda value: value in (None, "", [], {}),
    ),
)


@contextmanager
def translated(content: Json) -> Iterator[None]:
    """Add to a refusal of this content which block and field it is about.

    Raises `RejectedError`: the translation before the service's text, which
    stays, or as it was where nothing of it is in the content.
    """
    try:
        yield
    except RejectedError as error:
        places = [*block_places(content)] if isinstance(content, dict) else []
        named = [*dict.fromkeys(_translations(error.problems, places))]
        if not named:
            raise
        more = f"; and {len(named) - _MOST} more" if len(named) > _MOST else ""
        message = f"{'; '.join(named[:_MOST])}{more}. {error}"
        raise error.reworded(message) from None


def _translations(
    problems: Sequence[FieldProblem], places: Sequence[Place]
) -> Iterator[str]:
    for problem in problems:
        text = f"{problem.field} {problem.message}"
        words = frozenset(_WORD.findall(text))
        named = [each for each in places if each.uid in words]
        if barred := _BARRED.search(text):
            yield from _barred(barred, named or places)
        else:
            yield from _value(text, words, named, places)


def _barred(barred: re.Match[str], places: Sequence[Place]) -> Iterator[str]:
    names, field = frozenset(_WORD.findall(barred[1])), barred[2]
    for place in places:
        if place.component in names and place.field == field:
            yield (
                f"{place.said[0].upper()}{place.said[1:]} is in a field that does not "
                "take this component"
            )


def _value(
    text: str, words: frozenset[str], named: Sequence[Place], places: Sequence[Place]
) -> Iterator[str]:
    rule = next((each for each in _RULES if each.says.search(text)), None)
    field, component = _names(text, words, named or places)
    if not field or (rule is None and not named):
        return
    found = named or [
        each
        for each in places
        if each.component == component or (not component and field in each.block)
    ]
    if rule is not None:
        # A component may have many blocks: those that break the rule are meant.
        broken = [each for each in found if rule.breaks(each.block.get(field))]
        found = broken or (found if named or component else [])
    for place in found:
        where = place.names(field)
        said = rule.shown if rule else "is refused"
        yield f"{where} {said}{_held(place.block.get(field))}"


def _names(
    text: str, words: frozenset[str], places: Sequence[Place]
) -> tuple[str, str]:
    """Return the field and the component that a complaint names; empty for neither."""
    if found := _VALUE.search(text):
        return found[1], found[2]
    component = next((p.component for p in places if p.component in words), "")
    fields = [
        word
        for word in _WORD.findall(text)
        for place in places
        if word in place.block and word not in ("component", "_uid")
    ]
    return (fields[-1] if fields else ""), component


def _held(value: Json) -> str:
    """Return what a field holds, as the rest of a sentence."""
    if value in (None, "", [], {}):
        return ""
    if isinstance(value, str | int | float):
        text = str(value)
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
        return f", and holds `{shown}`"
    return f", and holds {NAMES[kind_of(value)]}"
