"""Tokens of the management side: their kinds, scopes and spaces, and who is refused.

Source: destination, scoped tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply
from cmsmig.sandbox.values import moment

_BOTH = ("read", "write")
_ALL = ("read", "write", "publish")
AVAILABLE: Mapping[str, tuple[str, ...]] = {
    "asset_folders": _BOTH,
    "assets": _BOTH,
    "collaborators": _BOTH,
    "comments": _BOTH,
    "components": _BOTH,
    "datasource_entries": _BOTH,
    "datasources": _BOTH,
    "releases": _ALL,
    "spaces": _BOTH,
    "statistics": ("read",),
    "stories": _ALL,
    "tags": _BOTH,
    "taxonomies": _BOTH,
    "users": _BOTH,
    "webhooks": _BOTH,
    "workflows": _BOTH,
}
"""The actions that a scope can name, by resource."""
ALL_SCOPES = tuple(f"{name}:{each}" for name in AVAILABLE for each in AVAILABLE[name])
READ_SCOPES = tuple(f"{name}:read" for name in AVAILABLE)
END_OF_UNSCOPED = datetime(2026, 11, 30, tzinfo=UTC).timestamp()
"""From this Unix time on, no token without scopes is accepted."""
_IMPLIED = {"publish": _ALL, "write": _BOTH}


@lru_cache(maxsize=64)
def _with_implied(scopes: tuple[str, ...]) -> frozenset[str]:
    pairs = (scope.partition(":")[::2] for scope in scopes)
    return frozenset(
        f"{name}:{implied}"
        for name, action in pairs
        for implied in _IMPLIED.get(action, (action,))
    )


class TokenKind(StrEnum):
    """The kinds of token, as the service names them."""

    PAT = "pat"
    LEGACY = "legacy_token"
    """A personal token without scopes."""


@dataclass(slots=True)
class Credential:
    """What one token may do; a test may change it while the sandbox runs."""

    kind: TokenKind = TokenKind.PAT
    scopes: tuple[str, ...] = ALL_SCOPES
    space_ids: tuple[int, ...] = ()
    """Empty: every space of the user."""
    expires_at: float | None = None
    user_permission: bool = False
    """All rights of the user; the scopes do not count."""

    @property
    def scoped(self) -> bool:
        """Return whether scopes and spaces limit it."""
        return self.kind is not TokenKind.LEGACY and not self.user_permission

    @property
    def granted(self) -> frozenset[str]:
        """Return its scopes and those that they imply."""
        return _with_implied(self.scopes)

    def space_refusal(self, space_id: int) -> str:
        """Return why it may not call a path of this space, empty when it may."""
        if not self.scoped or not self.space_ids or space_id in self.space_ids:
            return ""
        return "This token does not have access to this space"

    def scope_refusal(self, scope: str) -> str:
        """Return why it may not call an endpoint, empty when it may.

        `scope`: what the endpoint declares, empty when it declares nothing.
        """
        if not self.scoped or scope in self.granted:
            return ""
        if not scope:
            return "This endpoint does not support this token type"
        return f"Insufficient scope: {scope} is required"


@dataclass(frozen=True, slots=True)
class Credentials:
    """The tokens that are accepted."""

    known: Mapping[str, Credential]
    """By the exact value of the `Authorization` header."""
    clock: Callable[[], float]
    end_of_unscoped: float = END_OF_UNSCOPED

    def of(self, call: Call) -> Credential | None:
        """Return what the token of a call may do, None for one that is not valid."""
        found = self.known.get(call.headers.get("authorization", ""))
        if found is None:
            return None
        legacy = found.kind is TokenKind.LEGACY
        ends = [found.expires_at, self.end_of_unscoped if legacy else None]
        now = self.clock()
        return None if any(end is not None and now >= end for end in ends) else found

    def validate(self, call: Call) -> Reply:
        """Answer what the token of the call is; needs neither scope nor space."""
        found = self.of(call)
        if found is None:
            return unauthorized()
        body: JsonObject = {
            "valid": True,
            "type": found.kind.value,
            "token_display": f"…{call.headers['authorization'][-4:]}",
            "user_permission": found.user_permission,
            "space_ids": [*found.space_ids],
            "expires_at": moment(found.expires_at) if found.expires_at else None,
        }
        if found.scoped:
            body["scopes"] = [*found.scopes]
        return json_reply(200, body)


def unauthorized() -> Reply:
    """Return the answer to a token that is not valid."""
    return json_reply(401, {"error": "Unauthorized"})
