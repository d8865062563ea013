"""The origin's error answers. Its token may not read pages."""

from __future__ import annotations

import re
from typing import NoReturn

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.http.asgi import AnsweredError, Call, Reply, json_reply

_PAGES = re.compile(r"/v2/sites/[^/]+/pages|/v2/pages/.+")


def failure(status: int, code: str, message: str, *details: Json) -> Reply:
    """Return an error answer in the origin's one shape."""
    body: JsonObject = {
        "message": message,
        "code": code,
        "externalReference": None,
        "details": [*details],
    }
    return json_reply(status, body)


def refuse(what: str) -> NoReturn:
    """End the request with 400 for a query parameter; the text says which."""
    raise AnsweredError(failure(400, "validation_error", "Validation Error", what))


def missing(what: str, code: str = "resource_not_found") -> NoReturn:
    """End the request with 404."""
    message = f"Requested resource not found: {what} was not found"
    raise AnsweredError(failure(404, code, message))


def no_route(call: Call) -> Reply:
    """Return the answer to a path that the sandbox does not serve."""
    if _PAGES.fullmatch(call.path.rstrip("/")):
        message = "OAuthForbidden: You are missing the following scopes - pages:read"
        return failure(403, "missing_scopes", message)
    return failure(404, "resource_not_found", "Requested resource not found: the path")
