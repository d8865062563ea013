"""How a sandbox is set up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from cmsmig.sandbox.destination.space import Unknowns
from cmsmig.sandbox.destination.tokens import END_OF_UNSCOPED
from cmsmig.sandbox.http.asgi import Middleware


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """Everything that can be chosen; the defaults are the services' own."""

    content: Path | None = None
    """A content folder, or a project's `raw`; None: the sample site."""
    origin_port: int = 0
    destination_port: int = 0
    """0: any free port."""
    rate: int = 6
    """Management calls per second."""
    origin_rate: int = 60
    """Origin reads per minute."""
    demo_space: bool = False
    """Start with the service's starter content instead of an empty space."""
    latency: float = 0.0
    """Seconds that each API answer takes longer."""
    in_flight: int = 30
    """Management calls answered at once, at most."""
    space_id: int = 290512
    languages: tuple[str, ...] = ()
    plugins: frozenset[str] = frozenset()
    """Custom field types assigned to the space."""
    delivery_lag: float = 0.0
    """Seconds that the delivery side is behind the management side."""
    minimum_cache: int = 0
    """Seconds that a delivered answer is kept at least; cache versions come in such
    steps, and lag behind the space's version."""
    unknowns: Unknowns = field(default_factory=Unknowns)
    middleware: tuple[Middleware, ...] = ()
    clock: Callable[[], float] = time.time
    origin_token: str = ""
    destination_token: str = ""
    """Empty: drawn at random."""
    scopes: tuple[str, ...] | None = None
    """Of the destination token; None: every scope that a token can be given."""
    end_of_unscoped: float = END_OF_UNSCOPED
    """Unix time from which on tokens without scopes are refused."""
    kept_in: Path | None = None
    """A file that keeps what the destination did, so that a later sandbox with the same
    ports and tokens continues from there; None: it is forgotten."""
