"""Settings: where they come from, what the plans allow, and the project folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


class Secret:
    """A token that shows itself only when asked to."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

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
    finish_uploads: bool
    """Whether the optional finish call is sent; it costs one quota call a file."""
    asset_max_bytes: int
    file_hosts: tuple[str, ...]
    """Hosts beside the known ones whose addresses are assets."""
    in_flight: int
    """How many destination requests may be open at once."""
    state_folder: Path
    assumed: Mapping[str, str] = field(default_factory=dict)
    """Overrides of `destination/assumed.py` by name."""


@dataclass(frozen=True, slots=True)
class Project:
    """The project folder's paths."""

    root: Path

    @property
    def toml(self) -> Path:
        """Return the settings file."""
        return self.root / "cmsmig.toml"

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
    def files(self) -> Path:
        """Return the folder of downloaded asset bytes."""
        return self.root / "files"

    @property
    def ledger(self) -> Path:
        """Return the ledger's file."""
        return self.root / "ledger.sqlite"

    @property
    def lock(self) -> Path:
        """Return the file that the lease is held on."""
        return self.root / "ledger.lock"
