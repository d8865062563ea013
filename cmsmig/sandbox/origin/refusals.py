"""The origin's error answers, and what its token may not do: all but reading sites and
collections."""

from __future__ import annotations

import re
from typing import NoReturn

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.http.asgi import AnsweredError, Call, Reply, json_reply

_SITE = r"/v2/sites/[^/]+"
_READS = (
    (rf"{_SITE}/pages|/v2/pages/.+", "pages:read"),
    (rf"{_SITE}/(assets|asset_folders)|/v2/(assets|asset_folders)/.+", "assets:read"),
    (rf"{_SITE}/forms|/v2/(forms|form_submissions)/.+", "forms:read"),
    (rf"{_SITE}/components.*", "components:read"),
    (rf"{_SITE}/(custom_code|registered_scripts).*", "custom_code:read"),
    (rf"{_SITE}/comments.*", "comments:read"),
    (rf"{_SITE}/(products|orders|ecommerce)(/.*)?", "ecommerce:read"),
    (r"/v2/token/authorized_by", "authorized_user:read"),
)
_WRITES = (
    (rf"/v2/collections/.+|{_SITE}/collections", "cms:write"),
    (rf"{_SITE}(/.*)?", "sites:write"),
)


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
    wanted = call.path.rstrip("/")
    known = _READS if call.method in {"GET", "HEAD"} else _WRITES
    for pattern, scope in known:
        if re.fullmatch(pattern, wanted):
            message = f"OAuthForbidden: You are missing the following scopes - {scope}"
            return failure(403, "missing_scopes", message)
    if re.fullmatch(rf"{_SITE}/redirects(/.*)?", wanted):
        message = "The site is not on the plan that this needs"
        return failure(403, "not_enterprise_plan_site", message)
    return failure(404, "resource_not_found", "Requested resource not found: the path")
