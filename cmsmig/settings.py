"""Settings: where they come from, in which order, and the project folder.

The environment comes first, then `.env`, then `cmsmig.toml`. Tokens come from
the first two only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import platformdirs

from cmsmig.configuration.ownership import require_own
from cmsmig.configuration.plans import ORIGIN_RATES, destination_limits
from cmsmig.configuration.regions import base_of
from cmsmig.configuration.sources import (
    Given,
    read_given,
    read_targets_of,
    variable,
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
_MEGABYTE = 1024 * 1024


class Secret:
    """A token that shows itself only when asked to.

    From when it is made it is masked in all that comes in and goes out.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value
        hide(value)

    def reveal(self) -> str:
        """Return the token, for the one request header that needs it."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(hidden)"

    __str__ = __repr__

    def __bool__(self) -> bool:
        return bool(self._value)


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that is set outside the decisions."""

    origin_api_url: str
    """Without the version segment and without a trailing slash."""
    origin_token: Secret
    origin_rate: int | None
    """Requests per minute; None starts at 60 and adopts the service's word."""
    site_id: str | None
    destination_base_url: str
    """Ends in `/v1`."""
    destination_token: Secret
    space_id: str
    destination_rate: float
    """Requests per second."""
    destination_plan: str
    """A name in `DESTINATION_PLANS`, or empty when none was given."""
    finish_uploads: bool
    """Whether the optional finish call is sent; it costs one quota call a file."""
    asset_max_bytes: int
    file_hosts: tuple[str, ...]
    """Hosts next to the known ones whose addresses are assets."""
    in_flight: int
    """How many destination requests may be open at once."""
    state_folder: Path
    away_seconds: float = 600.0
    """How long a host that answered is waited for while it cannot be reached."""
    rules: str = ""
    """The file of the project's own rich text rules; empty: none."""
    assumed: Mapping[str, str] = field(default_factory=dict)
    """Overrides of `destination/assumed.py` by name."""
    target: str = ""
    """The named destination; empty in a project of one."""
    warning: str = ""
    """One sentence on something to put right before others find it, or empty."""


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
    targets = read_targets_of(project.toml) if project.root.is_dir() else {}
    names = tuple(targets)
    if name and name not in targets:
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
    sources = read_given(project.toml, project.env, environ, project.target)
    given, tokens = sources.given, sources.tokens
    for token in sources.all_tokens:
        hide(token)
    if sources.targets and need_destination and not project.target:
        project = choose_target(project)
        return load_settings(project, environ, need_origin=need_origin)
    if need_origin:
        _require_token("origin_token", tokens, project)
    if need_destination:
        _require_token("destination_token", tokens, project)
        _require_space(given, project)
    return Settings(
        origin_api_url=given.origin_api_url,
        origin_token=Secret(_without_scheme(tokens.get("origin_token", ""))),
        origin_rate=given.origin_rate or ORIGIN_RATES.get(given.origin_plan),
        site_id=given.site_id,
        destination_base_url=given.destination_base_url or base_of(given.space_id),
        destination_token=Secret(tokens.get("destination_token", "")),
        space_id=given.space_id,
        # No plan named: the smallest plan's rate. The text of a 429 names the limit.
        destination_rate=(
            given.destination_rate or destination_limits(given.destination_plan).rate
        ),
        destination_plan=given.destination_plan,
        finish_uploads=given.finish_uploads,
        asset_max_bytes=given.asset_max_mb * _MEGABYTE,
        file_hosts=given.file_hosts,
        in_flight=given.in_flight,
        state_folder=_state_folder(given, project),
        away_seconds=given.away_minutes * 60.0,
        rules=given.richtext.get("rules", ""),
        assumed=given.assumed,
        target=project.target,
        warning=sources.warning,
    )


def read_tokens(project: Project, environ: Mapping[str, str]) -> None:
    """Have the project's tokens masked, where there are settings to read.

    What is wrong with them is reported where they are used.
    """
    with suppress(SettingsError):
        load_settings(project, environ, need_origin=False, need_destination=False)


def _state_folder(given: Given, project: Project) -> Path:
    if given.state_dir is None:
        return platformdirs.user_state_path("cmsmig")
    return project.root / given.state_dir.expanduser()


def _without_scheme(token: str) -> str:
    # The origin knows one scheme only, so a pasted header value means the same.
    scheme, _, rest = token.partition(" ")
    return rest.strip() if scheme.lower() == "bearer" else token


def _require_token(name: str, tokens: Mapping[str, str], project: Project) -> None:
    if name in tokens:
        return
    service = name.partition("_")[0]
    target = project.target if service == "destination" else ""
    whose = f"{service} {target}".strip()
    raise SettingsError(
        f"The token of the {whose} is missing: {_WHERE_TOKENS_COME_FROM[name]}, and "
        f"put it as {variable(name, target)} into {project.env} or the environment."
    )


def _require_space(given: Given, project: Project) -> None:
    if not given.space_id and project.target:
        raise SettingsError(
            f"The space of the target {project.target} is not named: put its number as "
            f"space_id under [targets.{project.target}] into {project.toml}, or as "
            f"{variable('space_id', project.target)} into the environment."
        )
    if not given.space_id:
        raise SettingsError(
            "The destination space is not named: put its number as space_id into "
            f"{project.toml}, or as {variable('space_id')} into the environment."
        )
