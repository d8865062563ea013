"""What the destination's documentation and its own clients disagree about.

Every entry has a value and where it is known from; the table `[assumed]` of the
settings overrides any of them by name. What all sources agree on is a constant in the
module that uses it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from cmsmig.errors import SettingsError


def _assumed(choices: tuple[str, ...], source: str, meaning: str) -> str:
    """Return a field whose default is the first of its `choices`."""
    value: str = field(
        default=choices[0],
        metadata={"choices": choices, "source": source, "meaning": meaning},
    )
    return value


@dataclass(frozen=True, slots=True)
class Entry:
    """One assumption, for a person."""

    name: str
    value: str
    source: str
    """Where the value is known from."""
    meaning: str
    choices: tuple[str, ...]
    """The values it can have."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """Every assumption by name; `entries` says what each means."""

    credential_scheme: str = _assumed(
        ("raw", "bearer"),
        "authentication page; official client",
        "How a token that names no scheme is sent: as it is, or after `Bearer `.",
    )
    publish_in: str = _assumed(
        ("body", "query"),
        "publishing page; the newest client sends it as a query",
        "Where `publish` is sent when a write is to publish; it is never sent "
        "for a draft, since the service takes 0 for yes.",
    )
    sign_in: str = _assumed(
        ("body", "query"),
        "documentation; the newest client signs by query",
        "Where the signing request carries its fields.",
    )
    asset_update_method: str = _assumed(
        ("PUT", "PATCH"),
        "documentation; the newest client sends PATCH",
        "The method that changes an asset's record.",
    )
    rate_limit_scope: str = _assumed(
        ("token", "space"),
        "design records of the service's delivery side; not documented",
        "What the requests per second count for: each token, or each space.",
    )

    def entries(self) -> tuple[Entry, ...]:
        """Return every assumption with what is known of it."""
        return tuple(
            Entry(entry.name, getattr(self, entry.name), **entry.metadata)
            for entry in dataclasses.fields(self)
        )

    def overridden(self, values: Mapping[str, str]) -> Assumed:
        """Return these assumptions with some replaced, by name.

        Raises `SettingsError` for a name that is none of them and for a value that is
        no choice of it.
        """
        known = {entry.name: entry for entry in self.entries()}
        for name, value in values.items():
            if name not in known:
                raise SettingsError(
                    f"The table [assumed] sets {name}, which is fixed now: take that "
                    f"line out. The table takes only {', '.join(known)}."
                )
            if value not in known[name].choices:
                raise SettingsError(
                    f"{name} in the table [assumed] is {value!r}: write one of "
                    f"{', '.join(known[name].choices)}."
                )
        return dataclasses.replace(self, **values)


STANDARD = Assumed()
"""What is assumed unless the settings override it."""
