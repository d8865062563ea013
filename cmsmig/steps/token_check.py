"""Which scopes of the destination's token the commands need, and which are missing.

Source: destination, scoped tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Final

from cmsmig.counting import counted, noun_for
from cmsmig.destination.token_rights import SETTINGS, TokenRights
from cmsmig.errors import CredentialsError

_SOON = timedelta(days=30)
_READING = ("plan", "verify", "changes", "rebuild")
_WRITING = ("import", "prepare", "create", "link", "publish", "rollback")
_ALL = (*_READING, *_WRITING)
_MAKING = ("import", "prepare", "rollback")
_PUBLISHING = ("import", "publish")

NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "spaces:read": _ALL,
    "stories:read": _ALL,
    "stories:write": _WRITING,
    "stories:publish": _PUBLISHING,
    "components:read": _ALL,
    "components:write": _MAKING,
    "datasources:read": _ALL,
    "datasources:write": _MAKING,
    "datasource_entries:read": _ALL,
    "datasource_entries:write": ("import", "prepare"),
    "assets:read": _ALL,
    "assets:write": _MAKING,
    "asset_folders:read": _ALL,
    "asset_folders:write": _MAKING,
    "releases:read": ("import", "prepare", "create", "link", "publish"),
    "webhooks:read": _PUBLISHING,
}
"""The commands that need a scope, by scope. The scopes of one resource are together,
the strongest last; it implies the others."""
ONLY_TO_PUBLISH: Final = frozenset(("stories:publish", "webhooks:read"))
"""What is needed only where something is published."""


@dataclass(frozen=True, slots=True)
class MissingScope:
    """A scope that the token lacks."""

    scope: str
    """The strongest that is needed of its resource."""
    commands: tuple[str, ...]
    """The commands that need it, or a weaker one that is missing, too."""
    only_to_publish: bool
    """Whether it is needed only where something is published."""


def documented_scopes() -> tuple[str, ...]:
    """Return the scopes that a token for everything has to have, the implied ones
    left out."""
    strongest = {scope.partition(":")[0]: scope for scope in NEEDED}
    return tuple(strongest.values())


def missing_scopes(
    rights: TokenRights, command: str = "", *, publishes: bool = True
) -> tuple[MissingScope, ...]:
    """Return the scopes that the token lacks for a command; for all without one.

    One finding for each resource. What is needed only to publish is left out unless
    something is published.
    """
    found: dict[str, MissingScope] = {}
    for scope, commands in NEEDED.items():
        only = scope in ONLY_TO_PUBLISH
        if rights.allows(scope) or (only and not publishes):
            continue
        if command and command not in commands:
            continue
        resource = scope.partition(":")[0]
        weaker = found.get(resource)
        known = weaker.commands if weaker else ()
        both = tuple(each for each in _ALL if each in known or each in commands)
        only = only and (weaker is None or weaker.only_to_publish)
        found[resource] = MissingScope(scope, both, only)
    return tuple(found.values())


def ends_soon(rights: TokenRights, now: datetime) -> bool:
    """Return whether the token expires within thirty days, or has."""
    return rights.expiry is not None and rights.expiry - now < _SOON


def expiry_sentences(rights: TokenRights, calls: int, rate: float) -> Iterator[str]:
    """Yield when the token ends, where that is soon, next to the time that a run of so
    many calls takes at a rate. It does not change while the time passes."""
    if (end := rights.expiry) is None or not ends_soon(rights, datetime.now(UTC)):
        return
    minutes = counted(ceil(calls / rate / 60), "minute")
    yield (
        f"The token ends on {end:%Y-%m-%d at %H:%M %Z}; this import with one "
        f"verification takes about {minutes}, bodies and files aside. Make a new token "
        f"in {SETTINGS} first where that could be too late."
    )


def missing_sentences(
    rights: TokenRights, space_id: str, command: str, *, publishes: bool = True
) -> Iterator[str]:
    """Yield what a command lacks of the token, a sentence each."""
    if not rights.reaches(space_id):
        yield (
            f"The token does not cover space {space_id} (it covers "
            f"{', '.join(sorted(rights.spaces))}); make one that does in {SETTINGS}, "
            "or correct space_id."
        )
    for each in missing_scopes(rights, command, publishes=publishes):
        yield f"The token lacks the scope {each.scope}; {needed_by((command,))}."


def needed_by(commands: tuple[str, ...]) -> str:
    """Return which commands need a scope, and where it is added."""
    named = ", ".join(f"`cmsmig {each}`" for each in commands)
    verb = "needs" if len(commands) == 1 else "need"
    return f"{named} {verb} it: make a token that has it in {SETTINGS}"


def refuse_missing_scopes(
    rights: TokenRights, space_id: str, command: str, *, publishes: bool = True
) -> None:
    """Raise `CredentialsError` where the token lacks what a command needs."""
    missing = missing_scopes(rights, command, publishes=publishes)
    lacking = []
    if not rights.reaches(space_id):
        lacking.append(f"does not cover space {space_id}")
    if missing:
        noun = noun_for(len(missing), "scope")
        lacking.append(f"lacks the {noun} {', '.join(each.scope for each in missing)}")
    if lacking:
        raise CredentialsError(
            f"The token {' and '.join(lacking)}, which `cmsmig {command}` needs, so "
            f"nothing was written; make a token that is complete in {SETTINGS}.",
            service="destination",
        )
