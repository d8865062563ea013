"""From the shapes of error bodies to complaints about fields, and to a sentence.

Bodies seen: an array of texts; a text, an array or an object under `error`;
an object under `errors`; fields at the top; plain text, HTML and XML of a
gateway or the upload host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cmsmig.errors import FieldProblem, ServiceError

_LONGEST = 300
_WRAPPERS = frozenset({"error", "errors", "base"})
"""Keys that group complaints and name no field. Source: official command line."""
_MISSING_PARAMETER = re.compile(r"param is missing or the value is empty: (\w+)")
_REFUSED_COMPONENT = re.compile(r"not allowed in the field [`'\"]?([\w-]+)")
_TAG = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_XML = re.compile(r"<(Code|Message)>([^<]*)</\1>")


def problems_of(content: object) -> tuple[FieldProblem, ...]:
    """Return the complaints in an error body: parsed JSON, or text.

    Nested fields are joined by dots. Takes any value and never raises.
    """
    if isinstance(content, str):
        return _of_text(content)
    found = _of_json(content, ())
    return tuple(dict.fromkeys(found))


def explained(
    error: ServiceError,
    what: str,
    *,
    advice: str,
    problems: tuple[FieldProblem, ...],
) -> ServiceError:
    """Return the same kind of error, as one sentence about what was attempted."""
    reason = "; ".join(str(each).rstrip(".") for each in problems)
    said = f"{error.status}: {reason}" if reason else f"{error.status}"
    message = f"The destination refused to {what} ({said}); {advice}."
    return error.reworded(message, problems)


def _of_json(
    value: object, path: tuple[str, ...], depth: int = 0
) -> Iterator[FieldProblem]:
    if depth > 20:
        return
    if isinstance(value, str):
        yield _complaint_about(".".join(path), value)
    elif isinstance(value, list):
        for part in value:
            yield from _of_json(part, path, depth + 1)
    elif isinstance(value, dict):
        for key, part in value.items():
            inner = path if key in _WRAPPERS else (*path, str(key))
            yield from _of_json(part, inner, depth + 1)
    elif value is not None:
        yield _complaint_about(".".join(path), str(value))


def _complaint_about(field: str, text: str) -> FieldProblem:
    message = " ".join(text.split())[:_LONGEST]
    for pattern in (_MISSING_PARAMETER, _REFUSED_COMPONENT):
        named = pattern.search(message)
        if named and not field:
            return FieldProblem(named.group(1), message)
    return FieldProblem(field, message)


def _of_text(text: str) -> tuple[FieldProblem, ...]:
    coded = [found.group(2) for found in _XML.finditer(text)]
    plain = ": ".join(coded) or _TAG.sub(" ", text[: _LONGEST * 20])
    message = " ".join(plain.split())[:_LONGEST]
    return (FieldProblem("", message),) if message else ()
