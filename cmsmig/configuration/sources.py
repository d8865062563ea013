"""What was set, and where: the environment, `.env` and `cmsmig.toml`, merged in
that order and read value by value."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Annotated

from dotenv.parser import parse_stream
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from cmsmig.configuration import values
from cmsmig.configuration.ownership import readable_by_others
from cmsmig.configuration.plans import DESTINATION_PLANS, ORIGIN_RATES
from cmsmig.configuration.regions import (
    DESTINATION_VERSION,
    ORIGIN_API_URL,
    ORIGIN_VERSION,
)
from cmsmig.configuration.targets import (
    DESTINATION_SETTINGS,
    OWN,
    TABLE,
    Target,
    left_over,
    merged_for,
    read_targets,
    suffix_of,
)
from cmsmig.configuration.token_hosts import Placed, require_meant
from cmsmig.errors import SettingsError

PREFIX = "CMSMIG_"
TOKENS = ("origin_token", "destination_token")


class Given(BaseModel):
    """Every setting but the tokens, read; None or empty where it is not set.

    The names are those of the toml file; a variable's name is the same in upper
    case after `CMSMIG_`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    origin_api_url: Annotated[
        str, BeforeValidator(values.base_address(ORIGIN_VERSION, False))
    ] = ORIGIN_API_URL
    origin_plan: Annotated[str, BeforeValidator(values.plan(ORIGIN_RATES))] = ""
    origin_rate: Annotated[
        int | None,
        BeforeValidator(values.whole_number(1, 100_000, "requests per minute")),
    ] = None
    origin_token_for: Annotated[str, BeforeValidator(values.host)] = ""
    site_id: Annotated[str | None, BeforeValidator(values.site_id)] = None
    destination_base_url: Annotated[
        str, BeforeValidator(values.base_address(DESTINATION_VERSION, True))
    ] = ""
    destination_token_for: Annotated[str, BeforeValidator(values.host)] = ""
    space_id: Annotated[str, BeforeValidator(values.space_number)] = ""
    destination_plan: Annotated[
        str, BeforeValidator(values.plan(DESTINATION_PLANS))
    ] = ""
    destination_rate: Annotated[float | None, BeforeValidator(values.rate)] = None
    finish_uploads: Annotated[bool, BeforeValidator(values.switch)] = False
    asset_max_mb: Annotated[
        int, BeforeValidator(values.whole_number(1, 5000, "megabytes"))
    ] = 500
    file_hosts: Annotated[tuple[str, ...], BeforeValidator(values.hosts)] = ()
    in_flight: Annotated[
        int,
        BeforeValidator(
            values.whole_number(1, 29, "requests, below the service's own 30")
        ),
    ] = 12
    away_minutes: Annotated[
        int, BeforeValidator(values.whole_number(0, 1440, "minutes"))
    ] = 10
    state_dir: Annotated[Path | None, BeforeValidator(values.folder)] = None
    richtext: Annotated[dict[str, str], BeforeValidator(values.richtext)] = {}
    assumed: Annotated[dict[str, str], BeforeValidator(values.overrides)] = {}


@dataclass(frozen=True, slots=True)
class Sources:
    """What all sources together say."""

    given: Given
    tokens: Mapping[str, str]
    """By name."""
    warning: str
    """One sentence on something to put right, or empty."""
    targets: Mapping[str, Target]
    """The named destinations."""
    all_tokens: tuple[str, ...]
    """Those of other targets too: none of them is ever shown."""


def read_given(
    toml: Path, env: Path, environ: Mapping[str, str], target: str
) -> Sources:
    """Return the settings and the tokens that were given, for one target if named.

    Reads both files if they are there. A blank value counts as not given.
    Raises `SettingsError` naming the place of the first thing that is wrong,
    a file of another user and a token's way to a host that it is not meant
    for included.
    """
    table = _table(toml)
    targets = read_targets(table.pop(TABLE, None), toml)
    common, own = _by_target(
        _from_toml(table, toml, targets)
        | _from_env(env, targets)
        | _from_environ(environ, targets),
        targets,
    )
    merged = merged_for(targets.get(target), targets, common, own)
    tokens = {name: _token(name, merged[name]) for name in TOKENS if name in merged}
    rest = {name: placed for name, placed in merged.items() if name not in TOKENS}
    try:
        given = Given.model_validate(
            {name: placed.value for name, placed in rest.items()}
        )
    except ValidationError as error:
        raise _explained(error, rest) from None
    require_meant(
        merged, given.model_dump(include={"origin_token_for", "destination_token_for"})
    )
    found = [
        (name, placed)
        for each in (common, *own.values())
        for name, placed in each.items()
        if name in TOKENS
    ]
    in_file = any(placed.source == str(env) for _, placed in found)
    warning = readable_by_others(env) if in_file else ""
    return Sources(
        given,
        tokens,
        warning or (left_over(common, env) if targets else ""),
        targets,
        tuple(_token(name, placed) for name, placed in found),
    )


def variable(name: str, target: str = "") -> str:
    """Return the environment variable of a setting, or of a target's."""
    return PREFIX + name.upper() + suffix_of(target)


def read_targets_of(toml: Path) -> dict[str, Target]:
    """Return the named destinations of a project, without its other settings.

    Raises `SettingsError` when they cannot be read.
    """
    return read_targets(_table(toml).get(TABLE), toml)


def _explained(error: ValidationError, given: Mapping[str, Placed]) -> SettingsError:
    first = error.errors(include_url=False, include_input=False)[0]
    name = str(first["loc"][0])
    reason = first["msg"].removeprefix("Value error, ")
    placed = given[name]
    value = str(placed.value)
    # A long value, or one with an @, may be a token in the wrong place.
    harmless = len(value) <= 40 and "@" not in value
    shown = f" is {value!r}" if harmless else ""
    return SettingsError(f"{name} in {placed.place}{shown or ' is wrong'}: {reason}.")


def _table(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(_content(path))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path} is not readable as TOML: {error}.") from None


def _by_target(
    merged: Mapping[str, Placed], targets: Mapping[str, Target]
) -> tuple[dict[str, Placed], dict[str, dict[str, Placed]]]:
    """Take apart what no target owns and what each does, by the names' ends."""
    own = {
        target: {
            name: merged[name + suffix_of(target).lower()]
            for name in (*DESTINATION_SETTINGS.values(), "destination_token")
            if name + suffix_of(target).lower() in merged
        }
        for target in targets
    }
    names = {*_names(), *TOKENS}
    return {name: merged[name] for name in merged if name in names}, own


def _target_names(targets: Mapping[str, Target]) -> tuple[str, ...]:
    return tuple(
        name + suffix_of(target).lower()
        for target in targets
        for name in (*DESTINATION_SETTINGS.values(), "destination_token")
    )


def _from_toml(
    table: Mapping[str, object], path: Path, targets: Mapping[str, Target]
) -> dict[str, Placed]:
    for name in OWN:
        if targets and name in table:
            raise SettingsError(
                f"{path} has targets and sets {name} outside of them: move it to the "
                f"target that it belongs to, such as [targets.{min(targets)}]."
            )
    for name in table:
        if "token" in name.lower() and name not in _names():
            raise SettingsError(
                f"{path} holds {name}, but that file is made to be shared: move the "
                f"token to .env, and make a new one if the file was ever shared."
            )
        _refuse_unknown(name, f"{path}")
    return _given(table, str(path))


def _from_env(path: Path, targets: Mapping[str, Target]) -> dict[str, Placed]:
    found: dict[str, object] = {}
    for binding in parse_stream(StringIO(_content(path))):
        if binding.error:
            raise SettingsError(
                f"{path} cannot be read at line {binding.original.line}: write "
                "NAME=value there."
            )
        if binding.key is not None and binding.key.startswith(PREFIX):
            name = binding.key.removeprefix(PREFIX).lower()
            known = (*TOKENS, *_target_names(targets))
            _refuse_unknown(name, f"{path}", known, spelling=variable)
            found[name] = binding.value
    return _given(found, str(path))


def _from_environ(
    environ: Mapping[str, str], targets: Mapping[str, Target]
) -> dict[str, Placed]:
    names = {*_names(), *TOKENS, *_target_names(targets)}
    found = {name: environ.get(variable(name)) for name in sorted(names)}
    return {
        name: Placed(placed.value, f"the environment ({variable(name)})")
        for name, placed in _given(found, "").items()
    }


def _given(found: Mapping[str, object], place: str) -> dict[str, Placed]:
    return {
        name: Placed(value, place, place)
        for name, value in found.items()
        if value is not None and not (isinstance(value, str) and not value.strip())
    }


def _names() -> tuple[str, ...]:
    return tuple(Given.model_fields)


def _refuse_unknown(
    name: str,
    place: str,
    more: tuple[str, ...] = (),
    *,
    spelling: Callable[[str], str] = str,
) -> None:
    known = (*_names(), *more)
    if name in known:
        return
    plain = name.lower().removeprefix(PREFIX.lower())
    near = difflib.get_close_matches(plain, known, n=1, cutoff=0.5)
    hint = f"did you mean {spelling(near[0])}?" if near else "take it out."
    raise SettingsError(f"{place} sets {spelling(name)}, which is not known: {hint}")


def _token(name: str, placed: Placed) -> str:
    token = str(placed.value).strip()
    if not (token.isascii() and token.isprintable()):
        raise SettingsError(
            f"{variable(name)} in {placed.place} holds characters that no token has: "
            "copy it again."
        )
    return token


def _content(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not UTF-8 text: save it as UTF-8.") from None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from None
