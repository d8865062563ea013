from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from cmsmig.sandbox.options import SandboxOptions
from tests.support.sandbox.observed import SandboxHandle, running_sandbox

SITE, ARTICLES, AUTHORS = "a" * 24, "b" * 24, "c" * 24
ENGLISH, FRENCH = "1" * 24, "2" * 24


def item(number: int, locale: str) -> dict[str, Any]:
    """Return one item of the small content folder."""
    day = f"{number % 28 + 1:02d}"
    image = {"fileId": "f1", "url": "{origin_files}/f1_a%20b.png", "alt": None}
    return {
        "id": f"{number:024x}",
        "cmsLocaleId": locale,
        "lastPublished": None,
        "lastUpdated": f"2024-01-{day}T00:00:00.000Z",
        "createdOn": f"2023-01-{day}T00:00:00.000Z",
        "isArchived": False,
        "isDraft": False,
        "fieldData": {
            "name": f"Item {number}",
            "slug": f"item-{number}",
            "photo": image,
        },
    }


def write_documents(folder: Path, documents: dict[str, Any]) -> Path:
    for name, document in documents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=1), "utf-8")
    return folder


@pytest.fixture(scope="session")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A content folder: 120 articles in English, 3 also in French, and an author."""
    articles = [item(n, ENGLISH) for n in range(1, 121)]
    articles += [item(n, FRENCH) for n in range(1, 4)]
    primary = {"cmsLocaleId": ENGLISH, "tag": "en", "enabled": True}
    secondary = [{"cmsLocaleId": FRENCH, "tag": "fr", "enabled": True}]
    locales = {"primary": primary, "secondary": secondary}
    collections = [
        {"id": ARTICLES, "displayName": "Articles", "slug": "articles"},
        {"id": AUTHORS, "displayName": "Authors", "slug": "authors"},
    ]
    documents = {
        "sites.json": {
            "sites": [{"id": SITE, "shortName": "small", "locales": locales}]
        },
        "collections.json": {"collections": collections},
        f"collections/{ARTICLES}.json": {**collections[0], "fields": []},
        f"collections/{AUTHORS}.json": {**collections[1], "fields": []},
        f"items/{ARTICLES}.json": {"items": articles},
        f"live/{ARTICLES}.json": {"items": articles[:2]},
        f"items/{AUTHORS}.json": {"items": [item(900, ENGLISH)]},
        f"live/{AUTHORS}.json": {"items": []},
    }
    return write_documents(tmp_path_factory.mktemp("content"), documents)


class Served:
    """A sandbox on loopback and a client with its announced tokens."""

    def __init__(self, handle: SandboxHandle) -> None:
        self.handle = handle
        said = handle.announcement
        self.origin, self.root = said["origin_api_url"], said["base_url"][:-3]
        self.space = f"{said['base_url']}/spaces/{said['space_id']}"
        self._tokens = {
            self.origin: f"Bearer {said['origin_token']}",
            self.root: said["destination_token"],
        }

    def ask(self, method: str, address: str, **sent: Any) -> httpx.Response:
        """Make a request to a whole address, or to a path below the space."""
        url = address if address.startswith("http") else self.space + address
        own = next(t for base, t in self._tokens.items() if url.startswith(base))
        headers = {"Authorization": own} if "/upload" not in url else {}
        return httpx.request(method, url, headers=headers, trust_env=False, **sent)


@pytest.fixture(scope="session")
def serving(content: Path) -> Iterator[Callable[..., Served]]:
    """What starts a sandbox with the given options; all end with the session."""
    with ExitStack() as stack:

        def start(**choices: Any) -> Served:
            rates = {"rate": 10_000, "origin_rate": 10_000}
            options = SandboxOptions(**{"content": content, **rates, **choices})
            return Served(stack.enter_context(running_sandbox(options)))

        yield start


@pytest.fixture(scope="session")
def served(serving: Callable[..., Served]) -> Served:
    return serving()
