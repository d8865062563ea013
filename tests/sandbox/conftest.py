from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from cmsmig.sandbox.server import SandboxHandle, SandboxOptions, running_sandbox

SITE = "a" * 24
ARTICLES = "b" * 24
AUTHORS = "c" * 24
ENGLISH, FRENCH = "1" * 24, "2" * 24


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 1_790_000_000.25

    def __call__(self) -> float:
        return self.now


@dataclass
class Desk:
    """Clients for every side of one running sandbox."""

    handle: SandboxHandle
    origin: httpx.Client
    space: httpx.Client
    """Below `/spaces/{id}`, with a token that has all rights of its user."""
    public: httpx.Client
    """The destination's port without a token."""
    since: int = 0
    """Violations that were there before the test."""

    @property
    def kinds(self) -> list[str]:
        violations = self.handle.state.recorder.violations
        return [found.kind for found in violations[self.since :]]

    def unknown(self, **readings: Any) -> None:
        """Switch undocumented behaviour to these readings, until the test ends."""
        space = self.handle.state.space
        space.unknowns = replace(space.unknowns, **readings)

    def component(self, name: str, schema: dict[str, Any], **flags: Any) -> int:
        body = {"name": name, "is_root": True, "schema": schema, **flags}
        reply = self.space.post("/components", json={"component": body})
        assert reply.status_code == 201, reply.text
        return int(reply.json()["component"]["id"])

    def story(self, slug: str, content: dict[str, Any], **more: Any) -> httpx.Response:
        body = {"name": slug or "x", "slug": slug, "content": content, **more}
        return self.space.post("/stories", json={"story": body})

    def folder(self, slug: str, **more: Any) -> int:
        body = {"name": slug, "slug": slug, "is_folder": True, **more}
        reply = self.space.post("/stories", json={"story": body})
        assert reply.status_code == 201, reply.text
        return int(reply.json()["story"]["id"])

    def sign(self, name: str = "a.png", **more: Any) -> dict[str, Any]:
        reply = self.space.post("/assets", json={"filename": name, **more})
        assert reply.status_code == 200, reply.text
        signed: dict[str, Any] = reply.json()
        return signed

    def upload(
        self,
        signed: dict[str, Any],
        parts: list[tuple[str, str]] | None = None,
        data: bytes = b"bytes",
        headers: dict[str, str] | None = None,
    ) -> httpx.Response:
        """Post a form with the parts in the given order; `file` among them or last."""
        parts = list(signed["fields"].items()) if parts is None else parts
        if all(name != "file" for name, _ in parts):
            parts = [*parts, ("file", "")]
        kind = signed["fields"]["Content-Type"]
        body = b"".join(_part(name, value, kind, data) for name, value in parts)
        sent = {"Content-Type": "multipart/form-data; boundary=mark", **(headers or {})}
        body += b"--mark--\r\n"
        return self.public.post(signed["post_url"], content=body, headers=sent)


def _part(name: str, value: str, kind: str, data: bytes) -> bytes:
    head = f'--mark\r\nContent-Disposition: form-data; name="{name}"'
    if name == "file":
        head += f'; filename="a.png"\r\nContent-Type: {kind}\r\n\r\n'
        return head.encode() + data + b"\r\n"
    return f"{head}\r\n\r\n{value}\r\n".encode()


def item(number: int, locale: str, **more: Any) -> dict[str, Any]:
    """Return one item of the small content folder."""
    return {
        "id": f"{number:024x}",
        "cmsLocaleId": locale,
        "lastPublished": None,
        "lastUpdated": f"2024-01-{number % 28 + 1:02d}T00:00:00.000Z",
        "createdOn": f"2023-01-{number % 28 + 1:02d}T00:00:00.000Z",
        "isArchived": False,
        "isDraft": False,
        "fieldData": {"name": f"Item {number}", "slug": f"item-{number}", **more},
    }


def write_content(folder: Path) -> Path:
    """Write a content folder: 120 articles in English, 3 also in French."""
    image = {"fileId": "f1", "url": "{origin_files}/f1_a%20b.png", "alt": None}
    articles = [item(n, ENGLISH, photo=image) for n in range(1, 121)]
    articles += [item(n, FRENCH) for n in range(1, 4)]
    primary = {"cmsLocaleId": ENGLISH, "tag": "en", "enabled": True}
    secondary = [{"cmsLocaleId": FRENCH, "tag": "fr", "enabled": True}]
    locales = {"primary": primary, "secondary": secondary}
    sites = [{"id": SITE, "shortName": "small", "locales": locales}]
    collections = [
        {"id": ARTICLES, "displayName": "Articles", "slug": "articles"},
        {"id": AUTHORS, "displayName": "Authors", "slug": "authors"},
    ]
    documents = {
        "sites.json": {"sites": sites},
        "collections.json": {"collections": collections},
        f"items/{ARTICLES}.json": {"items": articles},
        f"live/{ARTICLES}.json": {"items": articles[:2]},
        f"items/{AUTHORS}.json": {"items": [item(900, ENGLISH)]},
        f"live/{AUTHORS}.json": {"items": []},
    }
    for collection in collections:
        name = f"collections/{collection['id']}.json"
        documents[name] = {**collection, "fields": []}
    for name, document in documents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=1), "utf-8")
    return folder


def _client(base: str, headers: dict[str, str]) -> httpx.Client:
    # Nothing here is encrypted, and reading the certificates takes its time.
    return httpx.Client(base_url=base, headers=headers, verify=False)


@contextmanager
def open_desk(options: SandboxOptions) -> Iterator[Desk]:
    """Run a sandbox and open a client for each of its sides."""
    with running_sandbox(options) as handle:
        said = handle.announcement
        bearer = {"Authorization": f"Bearer {said['origin_token']}"}
        token = {"Authorization": handle.state.tokens.user}
        base = f"{said['base_url']}/spaces/{said['space_id']}"
        root = said["base_url"].removesuffix("/v1")
        with (
            _client(said["origin_api_url"], bearer) as origin,
            _client(base, token) as space,
            _client(root, {}) as public,
        ):
            yield Desk(handle, origin, space, public)


@pytest.fixture(scope="session")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_content(tmp_path_factory.mktemp("content"))


@pytest.fixture(scope="session")
def desks(content: Path) -> Callable[..., AbstractContextManager[Desk]]:
    def opened(**choices: Any) -> AbstractContextManager[Desk]:
        chosen = {"content": content, "rate": 10_000, "origin_rate": 10_000, **choices}
        return open_desk(SandboxOptions(**chosen))

    return opened


@pytest.fixture(scope="session")
def shared_desk(content: Path) -> Iterator[Desk]:
    options = SandboxOptions(
        content=content, rate=10_000, origin_rate=10_000, languages=("fr", "pt-br")
    )
    with open_desk(options) as opened:
        yield opened


@pytest.fixture
def desk(shared_desk: Desk) -> Iterator[Desk]:
    """One sandbox for all tests; each uses names of its own."""
    state = shared_desk.handle.state
    unknowns = state.space.unknowns
    yield replace(shared_desk, since=len(state.recorder.violations))
    state.space.unknowns = unknowns


@pytest.fixture
def clock() -> Clock:
    return Clock()
