"""Named destinations: `[targets.NAME]` of `cmsmig.toml`, and their variables.

Where a project names some, each setting of a destination belongs to one of them:
nothing is written anywhere because a value of another destination was left over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cmsmig.configuration.regions import REGION_BASES
from cmsmig.configuration.token_hosts import Placed
from cmsmig.errors import SettingsError

TABLE = "targets"
DESTINATION_SETTINGS = {
    "space_id": "space_id",
    "base_url": "destination_base_url",
    "plan": "destination_plan",
    "rate": "destination_rate",
    "token_for": "destination_token_for",
}
"""Names under `[targets.NAME]`, and the settings that they are."""
OWN = ("space_id", "destination_base_url", "destination_token_for")
"""Settings that no target has from elsewhere; plan and rate may be common to all."""
_TOKEN = "destination_token"
_OTHER_SPELLINGS = {"space": "space_id", "host": "base_url"}
_NAME = re.compile(r"(?!for(?:[_-]|$))[a-z][a-z0-9_-]{0,30}")
"""None that begins with `for`: `CMSMIG_DESTINATION_TOKEN_FOR_STAGING` confirms a host
for the target `staging`, and would be the token of `for-staging`."""


@dataclass(frozen=True, slots=True)
class Target:
    """One named destination, as `cmsmig.toml` has it."""

    name: str
    given: Mapping[str, Placed]
    """By the names of the settings."""


def suffix_of(target: str) -> str:
    """Return what the variables of a target end with, such as `_STAGING`."""
    return f"_{target.replace('-', '_').upper()}" if target else ""


def read_targets(table: object, toml: Path) -> dict[str, Target]:
    """Return the targets by name; none where the file names none.

    Raises `SettingsError` for a name or an entry that cannot be one.
    """
    if table is None:
        return {}
    if not isinstance(table, dict) or not table:
        raise SettingsError(f"{toml}: name destinations as [targets.staging].")
    targets = {
        str(name): _target(str(name), each, toml) for name, each in table.items()
    }
    suffixes = {suffix_of(name) for name in targets}
    if len(suffixes) < len(targets):
        raise SettingsError(
            f"{toml} names two targets that differ in - and _ alone, so that their "
            "variables are the same; rename one."
        )
    return targets


def merged_for(
    target: Target | None,
    targets: Mapping[str, Target],
    common: Mapping[str, Placed],
    own: Mapping[str, Mapping[str, Placed]],
) -> dict[str, Placed]:
    """Return the settings for one target, or for work that needs none of them.

    `common` are those without a target's name, `own` those of variables, by target.
    Raises `SettingsError` when two targets are one space.
    """
    if not targets:
        return dict(common)
    kept = {
        name: placed for name, placed in common.items() if name not in (*OWN, _TOKEN)
    }
    whole = {name: {**each.given, **own[name]} for name, each in targets.items()}
    _refuse_same_space(whole)
    return kept | whole[target.name] if target is not None else kept


def left_over(common: Mapping[str, Placed], env: Path) -> str:
    """Return one sentence on a destination's setting in `.env` that no target has."""
    names = [
        name
        for name, placed in common.items()
        if name in (*OWN, _TOKEN) and placed.source == str(env)
    ]
    if not names:
        return ""
    return (
        f"{env} sets CMSMIG_{names[0].upper()}, which is not used, since the project "
        f"has targets; write CMSMIG_{names[0].upper()}_STAGING and the like."
    )


def _target(name: str, table: object, toml: Path) -> Target:
    if not _NAME.fullmatch(name):
        raise SettingsError(
            f"{toml}: {name!r} cannot be a target's name; write small letters, digits "
            "and hyphens, such as staging, and not for- at its beginning."
        )
    if not isinstance(table, dict):
        raise SettingsError(f"{toml}: write [targets.{name}] and its settings below.")
    return Target(name, dict(_entries(name, table, toml)))


def _entries(
    target: str, table: Mapping[str, object], toml: Path
) -> Iterator[tuple[str, Placed]]:
    place = f"{toml} ([targets.{target}])"
    for entry, value in table.items():
        plain = entry.removeprefix("destination_")
        plain = _OTHER_SPELLINGS.get(plain, plain)
        if plain == "token":
            raise SettingsError(
                f"{place} holds a token, but that file is made to be shared: move it "
                f"to .env as CMSMIG_DESTINATION_TOKEN{suffix_of(target)}."
            )
        if plain == "region":
            yield "destination_base_url", Placed(_base(value, place), place, str(toml))
        elif plain in DESTINATION_SETTINGS:
            yield DESTINATION_SETTINGS[plain], Placed(value, place, str(toml))
        else:
            known = ", ".join((*DESTINATION_SETTINGS, "region"))
            raise SettingsError(f"{place} sets {entry}, which is not known: {known}.")


def _base(region: object, place: str) -> str:
    base = REGION_BASES.get(str(region).lower())
    if base is None:
        known = ", ".join(REGION_BASES)
        raise SettingsError(f"region in {place}: the regions are {known}.")
    return base


def _refuse_same_space(targets: Mapping[str, Mapping[str, Placed]]) -> None:
    spaces: dict[tuple[str, str], str] = {}
    for name, given in targets.items():
        if "space_id" not in given:
            continue
        address = given.get("destination_base_url")
        base = str(address.value) if address else ""
        space = str(given["space_id"].value).strip().removeprefix("#")
        place = (base.rstrip("/").removesuffix("/v1"), space)
        if place in spaces:
            raise SettingsError(
                f"The targets {spaces[place]} and {name} are one space ({space}, in "
                f"{given['space_id'].place}): give each its own, or take one away."
            )
        spaces[place] = name
