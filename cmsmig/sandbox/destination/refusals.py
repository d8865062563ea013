"""The destination's error answers; their shapes differ as the service's do."""

from __future__ import annotations

from typing import NoReturn

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.http.asgi import AnsweredError, Call, Reply, json_reply
from cmsmig.sandbox.values import object_of


def refuse(field: str, message: str) -> NoReturn:
    """End the request with 422 `{"field": ["message"]}`."""
    raise AnsweredError(json_reply(422, {field: [message]}))


def refuse_base(message: str) -> NoReturn:
    """End the request with 422 `{"error": {"base": ["message"]}}`."""
    raise AnsweredError(json_reply(422, {"error": {"base": [message]}}))


def missing() -> NoReturn:
    """End the request with 404, whose body is an array."""
    raise AnsweredError(not_found())


def not_found() -> Reply:
    """Return the 404 answer."""
    return json_reply(404, ["This record could not be found"])


def wrapped(call: Call, key: str) -> JsonObject:
    """Return the object under `key` of a body.

    Ends the request with 422 when the wrapper is missing or empty.
    """
    body = object_of(call.document().get(key))
    if not body:
        message = f"param is missing or the value is empty: {key}"
        raise AnsweredError(json_reply(422, {"error": message}))
    return body


def unwrapped(call: Call, key: str) -> JsonObject:
    """Return the object under `key`, else the body itself, else the query."""
    body = call.document()
    inner = body.get(key)
    if isinstance(inner, dict):
        return {**call.parameters(), **inner}
    return {**call.parameters(), **body}
