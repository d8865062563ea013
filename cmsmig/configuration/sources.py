"""What was set, and where: the environment, `.env` and `cmsmig.toml`, in this order.

Here values are found, each with its place; `cmsmig.settings` reads what they mean.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from dotenv.parser import parse_stream

from cmsmig.configuration.ownership import readable_by_others
from cmsmig.configuration.regions import REGION_BASES
from cmsmig.configuration.token_hosts import Placed
from cmsmig.errors import SettingsError

ENTRIES = {
    "space_id": "space_id",
    "base_url": "destination_base_url",
    "region": "destination_base_url",
    "plan": "destination_plan",
    "rate": "destination_rate",
    "token_for": "destination_token_for",
}
"""Names under `[targets.NAME]`, and the settings that they are."""
OF_A_TARGET = (*dict.fromkeys(ENTRIES.values()), "destination_token")
OWN = frozenset(OF_A_TARGET) - {"destination_plan", "destination_rate"}
"""Settings that no target has from elsewhere; plan and rate may be common to all."""
_NAME = re.compile(r"(?!for(?:[_-]|$))[a-z][a-z0-9_-]{0,30}")
"""None that begins with `for`: `CMSMIG_DESTINATION_TOKEN_FOR_STAGING` confirms a host
for the target `staging`, and would be the token of `for-staging`."""


def suffix_of(target: str) -> str:
    """Return what the variables of a target end with, such as `_STAGING`."""
    return f"_{target.replace('-', '_').upper()}" if target else ""


def require_names(table: object, toml: Path) -> Mapping[str, object]:
    """Return the tables of the targets by name.

    Raises `SettingsError` for a name that cannot be one.
    """
    if not isinstance(table, dict):
        raise SettingsError(f"{toml}: name destinations as [targets.staging].")
    for name in table:
        if not _NAME.fullmatch(name):
            raise SettingsError(
                f"{toml}: {name!r} cannot be a target's name; write small letters, "
                "digits and hyphens, such as staging, and not for- at its beginning."
            )
    if len({suffix_of(name) for name in table}) < len(table):
        raise SettingsError(
            f"{toml} names two targets that differ in - and _ alone, so that their "
            "variables are the same; rename one."
        )
    return table


def base_of_region(region: object, place: str) -> str:
    """Return the base address of a region. Raises `SettingsError` for none."""
    base = REGION_BASES.get(str(region).lower())
    if base is None:
        known = ", ".join(REGION_BASES)
        raise SettingsError(f"region in {place}: the regions are {known}.")
    return base


PREFIX = "CMSMIG_"
TOKENS = ("origin_token", "destination_token")
_TARGETS = "targets"
_TABLES = {"richtext": {"rules": "richtext_rules"}}
"""Tables of `cmsmig.toml` whose entries are settings like all others."""


@dataclass(frozen=True, slots=True)
class Sources:
    """What all sources together say, by the variables of the settings."""

    placed: Mapping[str, Placed]
    targets: tuple[str, ...]
    """The named destinations."""
    env: str
    """The path of `.env`."""

    def chosen(self, names: Iterable[str], target: str) -> dict[str, Placed]:
        """Return the settings for one target, or for work that needs none."""
        chosen: dict[str, Placed] = {}
        for name in names:
            common = "" if self.targets and name in OWN else variable(name)
            placed = self.placed.get(variable(name, target), self.placed.get(common))
            if placed is not None:
                chosen[name] = placed
        return chosen

    @property
    def tokens(self) -> tuple[Placed, ...]:
        """Return the tokens, those of other targets too."""
        named = {
            variable(name, each) for name in TOKENS for each in ("", *self.targets)
        }
        return tuple(self.placed[each] for each in named & self.placed.keys())

    def warning(self) -> str:
        """Return one sentence on something to put right, or empty. Reads `.env`."""
        if any(token.source == self.env for token in self.tokens) and (
            readable := readable_by_others(Path(self.env))
        ):
            return readable
        for name in sorted(map(variable, OWN if self.targets else ())):
            if name in self.placed and self.placed[name].source == self.env:
                return (
                    f"{self.env} sets {name}, which is not used, since the project has "
                    f"targets; write {name}_STAGING and the like."
                )
        return ""


def read_sources(
    toml: Path, env: Path, environ: Mapping[str, str], names: Sequence[str]
) -> Sources:
    """Return what is set of the settings with these names.

    Reads both files if they are there. A blank value counts as not given. Raises
    `SettingsError` naming the place of the first thing that is wrong.
    """
    table = _table(toml)
    targets = require_names(table.pop(_TARGETS, {}), toml)
    placed = dict(_from_toml(table, toml, names, targets))
    for target, entries in targets.items():
        place = f"[{_TARGETS}.{target}] in {toml}"
        placed.update(_entries(entries, ENTRIES, place, toml, target))
    known = [variable(name) for name in names]
    known += [variable(name, each) for each in targets for name in OF_A_TARGET]
    for name, value in _lines(env):
        _refuse_unknown(name, str(env), known)
        placed.update(_placed(name, value, str(env), str(env)))
    for name in known:
        placed.update(_placed(name, environ.get(name), f"the environment ({name})"))
    _refuse_same_space(placed, targets)
    return Sources(placed, tuple(targets), str(env))


def variable(name: str, target: str = "") -> str:
    """Return the environment variable of a setting, or of a target's."""
    return PREFIX + name.upper() + suffix_of(target)


def read_targets(toml: Path) -> tuple[str, ...]:
    """Return the names of a project's destinations, without its other settings.

    Raises `SettingsError` when they cannot be read.
    """
    return tuple(require_names(_table(toml).get(_TARGETS, {}), toml))


def _placed(
    name: str, value: object, place: str, source: str = ""
) -> Iterator[tuple[str, Placed]]:
    if isinstance(value, bool):
        # As in a variable: a switch takes it, a number does not.
        value = str(value).lower()
    if isinstance(value, str):
        value = value.strip()
    if value not in (None, ""):
        yield name, Placed(value, place, source)


def _from_toml(
    table: Mapping[str, object],
    toml: Path,
    names: Iterable[str],
    targets: Iterable[str],
) -> Iterator[tuple[str, Placed]]:
    for name, value in table.items():
        if name in _TABLES:
            yield from _entries(value, _TABLES[name], f"[{name}] in {toml}", toml)
            continue
        _refuse_token(name, str(toml))
        _refuse_unknown(name, str(toml), names)
        if targets and name in OWN:
            raise SettingsError(
                f"{toml} has targets and sets {name} outside of them: move it to the "
                f"target that it belongs to, such as [{_TARGETS}.{min(targets)}]."
            )
        yield from _placed(variable(name), value, str(toml), str(toml))


def _entries(
    table: object, names: Mapping[str, str], place: str, toml: Path, target: str = ""
) -> Iterator[tuple[str, Placed]]:
    for name, value in table.items() if isinstance(table, dict) else [("", table)]:
        _refuse_token(name, place, f" as {variable('destination_token', target)}")
        if name not in names:
            raise SettingsError(f"{place} takes {', '.join(names)}, and nothing else.")
        if name == "region":
            value = base_of_region(value, place)
        yield from _placed(variable(names[name], target), value, place, str(toml))


def _refuse_token(name: str, place: str, to: str = "") -> None:
    if "token" in name.lower() and not name.endswith("token_for"):
        raise SettingsError(
            f"{place} holds {name}, but that file is made to be shared: move the token "
            f"to .env{to}, and make a new one if the file was ever shared."
        )


def _refuse_unknown(name: str, place: str, known: Iterable[str]) -> None:
    spelled = {each.removeprefix(PREFIX).lower(): each for each in known}
    if name in spelled.values():
        return
    plain = name.lower().removeprefix(PREFIX.lower())
    near = difflib.get_close_matches(plain, spelled, n=1, cutoff=0.5)
    hint = f"did you mean {spelled[near[0]]}?" if near else "take it out."
    raise SettingsError(f"{place} sets {name}, which is not known: {hint}")


def _refuse_same_space(placed: Mapping[str, Placed], targets: Iterable[str]) -> None:
    spaces: dict[tuple[str, str], str] = {}
    for name in targets:
        space = placed.get(variable("space_id", name))
        if space is None:
            continue
        address = placed.get(variable("destination_base_url", name))
        base = str(address.value) if address else ""
        number = str(space.value).removeprefix("#")
        other = spaces.setdefault((base.rstrip("/").removesuffix("/v1"), number), name)
        if other != name:
            raise SettingsError(
                f"The targets {other} and {name} are one space ({number}, in "
                f"{space.place}): give each its own, or take one away."
            )


def _lines(path: Path) -> Iterator[tuple[str, str | None]]:
    """Yield the variables of `.env` that are ours, nothing in them expanded."""
    for binding in parse_stream(StringIO(_content(path))):
        if binding.error:
            raise SettingsError(
                f"{path} cannot be read at line {binding.original.line}: write "
                "NAME=value there."
            )
        if binding.key is not None and binding.key.startswith(PREFIX):
            yield binding.key, binding.value


def _table(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(_content(path))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not readable as TOML: {error}.") from None


def _content(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not UTF-8 text: save it as UTF-8.") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from None
