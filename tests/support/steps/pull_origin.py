"""An origin in memory, as the wire shows it; and what a pull from it needs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from pydantic import SecretStr

from cmsmig.settings import Project, Settings
from cmsmig.wire.session import Session
from tests.support.wire.sessions import impatient

API = "https://api.origin.test"
TOKEN = "tok-5f1e-secret"
FILES = "https://cdn.prod.website-files.com"


def item(number: int, *, locale: str | None = "loc-en", **data: Any) -> dict[str, Any]:
    """Return an item record; the number orders it by age."""
    return {
        "id": f"i{number:04d}",
        "cmsLocaleId": locale,
        "createdOn": f"2024-01-01T00:00:00.{number:04d}Z",
        "lastUpdated": "2024-02-01T00:00:00.000Z",
        "lastPublished": None,
        "isArchived": False,
        "isDraft": False,
        "fieldData": {"name": f"Item {number}", "slug": f"item-{number}", **data},
    }


@dataclass
class FakeOrigin:
    """Serves sites, collections and items; hooks may change it between requests."""

    staged: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    live: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    locales: tuple[str, ...] = ()
    is_localized: bool = True
    site_ids: tuple[str, ...] = ("site-1",)
    fields: list[dict[str, Any]] = field(default_factory=list)
    requests: list[httpx.Request] = field(default_factory=list)
    before: Callable[[httpx.Request], httpx.Response | None] = lambda request: None
    refuses_order: bool = False
    """Whether it is older than the order by creation, and has its own."""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        """Answer one request of the API."""
        self.requests.append(request)
        early = self.before(request)
        if early is not None:
            return early
        parts = request.url.path.strip("/").split("/")
        assert parts[0] == "v2"
        return self._answer(request, parts[1:])

    def page_requests(self, collection_id: str, *, live: bool = False) -> list[int]:
        """Return the offsets asked for in one set, in the order they were."""
        path = f"/v2/collections/{collection_id}/items" + ("/live" if live else "")
        return [
            int(request.url.params["offset"])
            for request in self.requests
            if request.url.path == path
        ]

    def _answer(self, request: httpx.Request, parts: list[str]) -> httpx.Response:
        match parts:
            case ["sites"]:
                return _json({"sites": [self._site(each) for each in self.site_ids]})
            case ["sites", _, "collections"]:
                return _json({"collections": [_listed(each) for each in self.staged]})
            case ["collections", found]:
                return _json({**_listed(found), "fields": self.fields})
            case ["collections", found, "items"]:
                return self._page(request, self.staged[found])
            case ["collections", found, "items", "live"]:
                return self._page(request, self.live.get(found, []))
            case ["collections", found, "items", wanted]:
                return self._single(request, self.staged[found], wanted)
        return httpx.Response(404, json={"code": "item_not_found", "message": "no"})

    def _site(self, site_id: str) -> dict[str, Any]:
        body: dict[str, Any] = {"id": site_id, "displayName": site_id.upper()}
        if self.locales:
            primary, *others = [
                {"cmsLocaleId": each, "enabled": self.is_localized}
                for each in self.locales
            ]
            body["locales"] = {"primary": primary, "secondary": others}
        return body

    def _page(
        self, request: httpx.Request, items: list[dict[str, Any]]
    ) -> httpx.Response:
        params = request.url.params
        if self.refuses_order and "sortBy" in params:
            message = "sortBy must be one of lastPublished, name, slug"
            return httpx.Response(400, json={"code": "bad_request", "message": message})
        if not self.refuses_order:
            assert params["sortBy"] == "createdOn"
            assert params["sortOrder"] == "asc"
        wanted = params.get("cmsLocaleId")
        if self.locales:
            chosen = wanted.split(",") if wanted else [self.locales[0], None]
            items = [each for each in items if each["cmsLocaleId"] in chosen]
        offset, limit = int(params["offset"]), int(params["limit"])
        assert limit <= 100
        page = items[offset : offset + limit]
        return _json(
            {
                "items": page,
                "pagination": {"limit": limit, "offset": offset, "total": len(items)},
            }
        )

    def _single(
        self, request: httpx.Request, items: list[dict[str, Any]], wanted: str
    ) -> httpx.Response:
        locale = request.url.params.get("cmsLocaleId")
        for each in items:
            if each["id"] == wanted and each["cmsLocaleId"] in (locale, None):
                return _json(each)
        return httpx.Response(404, json={"code": "item_not_found", "message": "no"})


def session(
    handler: Callable[[httpx.Request], httpx.Response],
    service: str = "origin",
    **more: Any,
) -> Session:
    """Return a session over a function."""
    token = f"Bearer {TOKEN}" if service == "origin" else None
    transport = httpx.MockTransport(handler)
    return impatient(service, authorization=token, transport=transport, **more)


def settings(folder: Path, **more: Any) -> Settings:
    """Return settings for a pull into `folder`."""
    values: dict[str, Any] = {
        "origin_api_url": API,
        "origin_token": SecretStr(TOKEN),
        "destination_base_url": "https://mapi.test/v1",
        "destination_token": SecretStr("other-secret"),
        "space_id": "1",
        "destination_rate": 6.0,
        "asset_max_mb": 1,
        "in_flight": 4,
        "state_dir": folder / "state",
    }
    return Settings(**(values | more))


def project(folder: Path) -> Project:
    """Return a project in `folder`."""
    return Project(folder / "project")


def tree(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder by their names."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def no_files(request: httpx.Request) -> httpx.Response:
    """Hold no file."""
    return httpx.Response(404)


def _listed(collection_id: str) -> dict[str, Any]:
    name = collection_id.title()
    return {"id": collection_id, "displayName": name, "slug": collection_id}


def _json(body: dict[str, Any]) -> httpx.Response:
    return httpx.Response(200, content=json.dumps(body).encode())
