"""Settings: where they come from, in which order, and the project folder.

The environment comes first, then `.env`, then `cmsmig.toml`. Tokens come from
the first two only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from cmsmig.configuration.ownership import require_own
from cmsmig.configuration.plans import (
    DESTINATION_PLANS,
    ORIGIN_RATES,
    destination_limits,
)
from cmsmig.configuration.regions import (
    DESTINATION_VERSION,
    ORIGIN_API_URL,
    ORIGIN_VERSION,
    base_of,
)
from cmsmig.configuration.sources import TOKENS, read_sources, read_targets, variable
from cmsmig.configuration.token_hosts import Placed, require_meant
from cmsmig.configuration.values import (
    Folder,
    Host,
    Hosts,
    OriginToken,
    RulesFile,
    SpaceId,
    Texts,
    Token,
    base_address,
    plan_of,
)
from cmsmig.errors import SettingsError, UsageError
from cmsmig.masking import hide

_WHERE_TOKENS_COME_FROM = {
    "origin_token": (
        "make a site token with the scopes sites:read and cms:read in the site's "
        "settings, under Apps and integrations, API access"
    ),
    "destination_token": (
        "make a personal access token that may read and write content and reaches "
        "the space, in the account's settings"
    ),
}
_TOML = "cmsmig.toml"
_LOCK = "ledger.lock"
_CONFLICTS = "conflicts.yaml"
_TARGETS = "targets"
_HOST = "write a bare host name, such as api.example.com"


class Settings(BaseModel):
    """Everything that is set outside the decisions.

    The names are those of `cmsmig.toml`; a variable's name is the same in upper case
    after `CMSMIG_`. A description says what to write.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, coerce_numbers_to_str=True, allow_inf_nan=False
    )

    origin_api_url: Annotated[str, base_address(ORIGIN_VERSION, keep=False)] = (
        ORIGIN_API_URL
    )
    """Without the version segment and without a trailing slash."""
    origin_token: OriginToken = SecretStr("")
    origin_token_for: Host = Field("", description=_HOST)
    origin_plan: Annotated[str, plan_of(ORIGIN_RATES)] = ""
    origin_rate: int | None = Field(
        default_factory=lambda given: ORIGIN_RATES.get(given["origin_plan"]),
        ge=1,
        le=100_000,
        description="write a whole number of requests per minute, 1 to 100000",
    )
    """None starts at 60 a minute and adopts the service's word."""
    site_id: str | None = Field(
        None,
        pattern="^[A-Za-z0-9_-]+$",
        description="write the site's id, letters and digits",
    )
    space_id: SpaceId = Field(
        "", description="write the number that the space's settings page shows"
    )
    destination_base_url: Annotated[
        str, base_address(DESTINATION_VERSION, keep=True)
    ] = Field(default_factory=lambda given: base_of(given["space_id"]))
    """Ends in `/v1`."""
    destination_token: Token = SecretStr("")
    destination_token_for: Host = Field("", description=_HOST)
    destination_plan: Annotated[str, plan_of(DESTINATION_PLANS)] = ""
    """A name in `DESTINATION_PLANS`, or empty when none was given."""
    # No plan named: the smallest plan's rate. The text of a 429 names the limit.
    destination_rate: float = Field(
        default_factory=lambda given: (
            destination_limits(given["destination_plan"]).rate
        ),
        gt=0,
        le=1000,
        description="write a number of requests per second, above 0, at most 1000",
    )
    """Requests per second."""
    in_flight: int = Field(
        12,
        ge=1,
        le=29,
        description="write a whole number of requests, 1 to 29, below the service's 30",
    )
    """How many destination requests may be open at once."""
    away_minutes: int = Field(
        10, ge=0, le=1440, description="write a whole number of minutes, 0 to 1440"
    )
    """How long a host that answered is waited for while it cannot be reached."""
    finish_uploads: bool = Field(False, description="write true or false")
    """Whether the optional finish call is sent; it costs one quota call a file."""
    asset_max_mb: int = Field(
        500, ge=1, le=5000, description="write a whole number of megabytes, 1 to 5000"
    )
    file_hosts: Hosts = Field(
        (), description="write bare host names, such as files.example.com"
    )
    """Hosts next to the known ones whose addresses are assets."""
    richtext_rules: RulesFile = ""
    """The file of the project's own rich text rules; empty: none."""
    state_dir: Folder = Field(
        default_factory=lambda: platformdirs.user_state_path("cmsmig"),
        description="write the path of a folder",
    )
    assumed: Texts = Field(
        {},
        description=(
            "write a table of names, each with a text or a number, in cmsmig.toml"
        ),
    )
    """Overrides of `destination/assumed.py` by name."""
    warning: str = ""
    """One sentence on something to put right before others find it, or empty. No
    setting."""

    @property
    def asset_max_bytes(self) -> int:
        """Return the size of the largest file to carry over."""
        return self.asset_max_mb * 1024 * 1024

    @property
    def away_seconds(self) -> float:
        """Return how long a host is waited for, see `away_minutes`."""
        return self.away_minutes * 60.0


@dataclass(frozen=True, slots=True)
class Project:
    """The project folder's paths, those of one target where it has targets."""

    root: Path
    target: str = ""
    """The chosen destination; empty: the only one, or none is needed."""
    targets: tuple[str, ...] = ()
    """All named destinations, once one was asked for."""

    @property
    def state_folder(self) -> Path:
        """Return the folder of what belongs to one destination."""
        return self._folder_of(self.target)

    def decision(self, name: str) -> Path:
        """Return a file of decisions; conflicts are each target's own."""
        folder = (
            self.state_folder if self.target and name == _CONFLICTS else self.decisions
        )
        return folder / name

    @property
    def locks(self) -> tuple[Path, ...]:
        """Return what a run holds that changes what all targets share."""
        names = self.targets or (self.target,)
        return tuple(self._folder_of(name) / _LOCK for name in names)

    def _folder_of(self, target: str) -> Path:
        return self.root / _TARGETS / target if target else self.root

    @property
    def toml(self) -> Path:
        """Return the settings file."""
        return self.root / _TOML

    @property
    def env(self) -> Path:
        """Return the file that may hold the tokens."""
        return self.root / ".env"

    @property
    def decisions(self) -> Path:
        """Return the folder of reviewed choices."""
        return self.root / "decisions"

    @property
    def raw(self) -> Path:
        """Return the folder of the origin's answers."""
        return self.root / "raw"

    @property
    def notebooks(self) -> Path:
        """Return the folder of the project's own copies of the notebooks."""
        return self.root / "notebooks"

    @property
    def sandbox(self) -> Path:
        """Return the folder of a rehearsal's sandbox: state, ports and tokens."""
        return self.root / "sandbox"

    @property
    def files(self) -> Path:
        """Return the folder of downloaded asset bytes."""
        return self.root / "files"

    @property
    def ledger(self) -> Path:
        """Return the ledger's file."""
        return self.state_folder / "ledger.sqlite"

    @property
    def derived(self) -> Path:
        """Return the file of what is derived from all the others; it may be deleted."""
        return self.root / "derived.sqlite"

    @property
    def baseline(self) -> Path:
        """Return the file of the pages that the old site showed."""
        return self.root / "baseline.sqlite"

    @property
    def lock(self) -> Path:
        """Return the file that the lease is held on."""
        return self.state_folder / _LOCK


def find_project(
    explicit: Path | None, environ: Mapping[str, str], cwd: Path | None = None
) -> Project:
    """Return the project folder; it need not exist yet.

    The first of: `explicit`, `$CMSMIG_PROJECT`, the nearest folder from `cwd`
    upwards that holds `cmsmig.toml`, `migration` in `cwd`. Raises `SettingsError`
    when its `cmsmig.toml` belongs to another user: then nothing there is used.
    """
    project = Project(_found(explicit, environ, (cwd or Path.cwd()).absolute()))
    require_own(project.toml)
    return project


def _found(explicit: Path | None, environ: Mapping[str, str], here: Path) -> Path:
    named = environ.get("CMSMIG_PROJECT", "")
    if explicit or named.strip():
        return here / Path(explicit or named).expanduser()
    for folder in (here, *here.parents):
        if (folder / _TOML).is_file():
            return folder
    return here / "migration"


def choose_target(project: Project, name: str = "", *, needed: bool = True) -> Project:
    """Return the project with the paths of a target. Reads `cmsmig.toml` only.

    Without a name, the only target is meant. Raises `UsageError` for a name that is
    none, and, where one is `needed`, for none among several.
    """
    # What cannot be a project folder is reported by what reads it.
    names = read_targets(project.toml) if project.root.is_dir() else ()
    if name and name not in names:
        raise UsageError(_unknown_target(project, name, names))
    if not name and len(names) > 1 and needed:
        raise UsageError(
            f"This project has the destinations {' and '.join(names)}, and this would "
            f"not know which is meant: say it with --target {names[0]} (in a notebook, "
            f'target = "{names[0]}").'
        )
    chosen = name or (names[0] if len(names) == 1 else "")
    return replace(project, target=chosen, targets=names)


def _unknown_target(project: Project, name: str, names: Sequence[str]) -> str:
    if not names:
        return (
            f"There is no target {name}: this project has one destination; name others "
            f"as [targets.{name}] in {project.toml}, or leave --target out."
        )
    return f"There is no target {name}; {project.toml} names {' and '.join(names)}."


def load_settings(
    project: Project,
    environ: Mapping[str, str],
    *,
    need_origin: bool = True,
    need_destination: bool = True,
) -> Settings:
    """Return the settings of a project. Reads `cmsmig.toml` and `.env` only.

    A side that is not needed may lack its token and its ids; they are empty
    then. Raises `SettingsError` with one sentence that names the place.
    """
    names = tuple(name for name in Settings.model_fields if name != "warning")
    sources = read_sources(project.toml, project.env, environ, names)
    for token in sources.tokens:
        hide(str(token.value))
    if sources.targets and need_destination and not project.target:
        project = choose_target(project)
    given = sources.chosen(names, project.target)
    values = {name: placed.value for name, placed in given.items()}
    values["warning"] = sources.warning()
    try:
        settings = Settings.model_validate(values, context=project.root)
    except ValidationError as error:
        raise _explained(error, given) from None
    require_meant(given, settings.model_dump())
    if need_origin and not settings.origin_token:
        raise _missing_token("origin_token", project)
    if need_destination and not settings.destination_token:
        raise _missing_token("destination_token", project)
    if need_destination and not settings.space_id:
        raise _missing_space(project)
    return settings


def _explained(error: ValidationError, given: Mapping[str, Placed]) -> SettingsError:
    first = error.errors(include_url=False)[0]
    name = str(first["loc"][0])
    reason = Settings.model_fields[name].description
    if not reason and first["type"] == "value_error":
        reason = str(first["ctx"]["error"])
    placed = given[name]
    value = str(placed.value)
    # A long value, or one with an @, may be a token in the wrong place.
    harmless = len(value) <= 40 and "@" not in value and name not in TOKENS
    shown = f"is {value!r}" if harmless else "is wrong"
    return SettingsError(
        f"{name} in {placed.place} {shown}: {reason or 'write a text or a number'}."
    )


def read_tokens(project: Project, environ: Mapping[str, str]) -> None:
    """Have the project's tokens masked, where there are settings to read.

    What is wrong with them is reported where they are used.
    """
    with suppress(SettingsError):
        load_settings(project, environ, need_origin=False, need_destination=False)


def _missing_token(name: str, project: Project) -> SettingsError:
    service = name.partition("_")[0]
    target = project.target if service == "destination" else ""
    whose = f"{service} {target}".strip()
    return SettingsError(
        f"The token of the {whose} is missing: {_WHERE_TOKENS_COME_FROM[name]}, and "
        f"put it as {variable(name, target)} into {project.env} or the environment."
    )


def _missing_space(project: Project) -> SettingsError:
    place = f"under [targets.{project.target}] " if project.target else ""
    whose = f"space of the target {project.target}" if place else "destination space"
    return SettingsError(
        f"The {whose} is not named: put its number as space_id {place}into "
        f"{project.toml}, or as {variable('space_id', project.target)} into the "
        "environment."
    )
