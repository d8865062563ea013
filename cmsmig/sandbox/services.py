"""Both services put together: who answers which address."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cmsmig.sandbox.destination import starter
from cmsmig.sandbox.destination.api import ManagementApi
from cmsmig.sandbox.destination.assets.uploads import UploadHost
from cmsmig.sandbox.destination.delivery import AssetDelivery, DeliveryEdge, Journal
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.destination.stories.story_pages import StoryPages
from cmsmig.sandbox.destination.tokens import (
    ALL_SCOPES,
    READ_SCOPES,
    Credential,
    Credentials,
    TokenKind,
)
from cmsmig.sandbox.http.asgi import Call, Exchange, Next, Reply
from cmsmig.sandbox.http.rate_limits import (
    InFlight,
    MinuteWindow,
    SecondWindow,
    TokenWindows,
)
from cmsmig.sandbox.kept_requests import KeptRequests, RequestClock
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.origin.api import OriginApi
from cmsmig.sandbox.origin.content import read_content
from cmsmig.sandbox.origin.files import FileHost
from cmsmig.sandbox.origin.item_editor import ItemEditor
from cmsmig.sandbox.origin.item_edits import ItemEdits
from cmsmig.sandbox.origin.item_pages import ItemPages
from cmsmig.sandbox.origin.site_pages import SitePages


@dataclass(frozen=True, slots=True)
class Tokens:
    """The credentials that the sandbox accepts."""

    origin: str
    destination: str
    """A personal token with the scopes that the options name."""
    read_only: str
    """A personal token that may not write."""
    user: str
    """A personal token with all rights of its user, those without a scope included."""
    legacy: str
    """A personal token from before there were scopes."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Everything a running sandbox is made of."""

    origin: Exchange
    destination: Exchange
    origin_api: OriginApi
    api: ManagementApi
    space: Space
    tokens: Tokens
    announcement: dict[str, str]
    kept: KeptRequests | None = None
    """What outlives this sandbox."""

    @property
    def credential(self) -> Credential:
        """Return what the announced destination token may do; a test may change it."""
        return self.api.credentials.known[self.tokens.destination]


def build(
    options: SandboxOptions, content: Path, origin: str, destination: str
) -> Sandbox:
    """Return both services; the addresses are those of the two ports.

    Raises `CacheError` when the content folder is damaged.
    """
    kept, clock = None, options.clock
    if options.kept_in is not None:
        clock = RequestClock(options.clock)
        kept = KeptRequests(options.kept_in, clock)
    tokens = Tokens(
        options.origin_token or f"origin-{secrets.token_hex(16)}",
        options.destination_token or f"destination-{secrets.token_hex(16)}",
        f"read-only-{secrets.token_hex(16)}",
        f"user-{_drawn(options, 'user')}",
        f"legacy-{secrets.token_hex(16)}",
    )
    space = _space(options, clock, destination)
    api = ManagementApi(
        space,
        Credentials(_known(options, tokens), options.clock, options.end_of_unscoped),
        TokenWindows(options.rate, options.clock),
        InFlight(options.in_flight),
        options.latency,
    )
    named = "" if options.content is None else str(options.content.absolute())
    edits = ItemEdits(named) if kept is None else ItemEdits(named, kept.file)
    source = read_content(content, origin, edits)
    window = MinuteWindow(options.origin_rate, options.clock)
    origin_api = OriginApi(source, tokens.origin, window, options.latency)
    announcement = {
        "origin_api_url": origin,
        "origin_token": tokens.origin,
        "base_url": f"{destination}/v1",
        "destination_token": tokens.destination,
        "user_token": tokens.user,
        "space_id": str(space.space_id),
        "asset_base": space.asset_base,
    }
    return Sandbox(
        _origin(options, origin_api),
        _destination(options, api),
        origin_api,
        api,
        space,
        tokens,
        announcement,
        kept,
    )


def _space(
    options: SandboxOptions, clock: Callable[[], float], destination: str
) -> Space:
    space = Space(
        options.space_id,
        options.rate,
        clock,
        f"{destination}/a",
        options.unknowns,
        languages=options.languages,
        plugins=options.plugins,
        preview_token=f"preview-{_drawn(options, 'preview')}",
        public_token=f"public-{_drawn(options, 'public')}",
    )
    if options.demo_space:
        starter.fill(space)
    return space


def _drawn(options: SandboxOptions, name: str) -> str:
    """Return a part of a token: at random, or the same for the same given token."""
    if not options.destination_token:
        return secrets.token_hex(8)
    seed = f"{name} {options.destination_token}".encode()
    return hashlib.sha256(seed).hexdigest()[:16]


def _known(options: SandboxOptions, tokens: Tokens) -> dict[str, Credential]:
    scopes = ALL_SCOPES if options.scopes is None else options.scopes
    return {
        tokens.destination: Credential(scopes=scopes),
        tokens.read_only: Credential(scopes=READ_SCOPES),
        tokens.user: Credential(scopes=(), user_permission=True),
        tokens.legacy: Credential(TokenKind.LEGACY, scopes=()),
    }


def _origin(options: SandboxOptions, api: OriginApi) -> Exchange:
    files, pages = FileHost(api.content), SitePages(api.content)
    control = ItemPages(ItemEditor(api.content, options.clock))

    async def show(call: Call) -> Reply:
        reply = await files.answer(call)
        return await pages.answer(call) if reply.status == 404 else reply

    def choose(path: str) -> Next:
        if path == "/v2" or path.startswith("/v2/"):
            return api.answer
        return files.answer if path.startswith("/files/") else show

    return Exchange(choose, control.answer, options.middleware)


def _destination(options: SandboxOptions, api: ManagementApi) -> Exchange:
    space = api.space
    journal = Journal(space, options.delivery_lag, options.clock)
    window = SecondWindow(1, options.clock)
    by_head: dict[str, Next] = {
        "upload": UploadHost(space).answer,
        "a": AssetDelivery(space).answer,
        "v2": DeliveryEdge(journal, window, options.minimum_cache).answer,
    }

    def choose(path: str) -> Next:
        return by_head.get(path.split("/")[1] if "/" in path else "", api.answer)

    return Exchange(choose, StoryPages(space, api.apply).answer, options.middleware)
