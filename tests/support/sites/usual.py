"""A content folder as the usual site: without localization, with template pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

NO_FOLDERS: Mapping[str, str] = {}


def make_usual(folder: Path, folders: Mapping[str, str] = NO_FOLDERS) -> None:
    """Leave the primary locale, which is not enabled and has the subdirectory `en`, and
    list the template page of each collection, published at its slug or at the path
    that `folders` names. Items of other locales go."""
    path = folder / "sites.json"
    (site,) = json.loads(path.read_text())["sites"]
    locales = site.get("locales") or {}
    primary = {"id": "primary", "tag": "en", "displayName": "English"}
    primary |= {"cmsLocaleId": _locale(folder)} | (locales.get("primary") or {})
    primary |= {"enabled": False, "redirect": True, "subdirectory": "en"}
    site["locales"] = {"primary": primary, "secondary": []}
    path.write_text(json.dumps({"sites": [site]}))
    others = {each["cmsLocaleId"] for each in locales.get("secondary", [])}
    for file in (*folder.glob("items/*.json"), *folder.glob("live/*.json")):
        items = json.loads(file.read_text())["items"]
        kept = [each for each in items if each.get("cmsLocaleId") not in others]
        lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in kept)
        file.write_text(f'{{"items": [\n{lines}\n]}}\n')
    path = folder / "pages.json"
    listed = json.loads(path.read_text())["pages"] if path.exists() else []
    pages = [each for each in listed if not each.get("collectionId")]
    pages += _pages(folder, folders)
    path.write_text(json.dumps({"pages": pages}))


def _locale(folder: Path) -> str:
    """Return the locale of the first item that names one."""
    for file in sorted(folder.glob("items/*.json")):
        for item in json.loads(file.read_text())["items"]:
            if item.get("cmsLocaleId"):
                return str(item["cmsLocaleId"])
    return "cms-primary"


def _pages(folder: Path, folders: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    common = {"localeId": None, "parentId": None, "archived": False, "draft": False}
    home = {"id": "home", "title": "Home", "slug": None, "publishedPath": "/"}
    yield {**home, "collectionId": None, **common}
    for each in json.loads((folder / "collections.json").read_text())["collections"]:
        slug = each["slug"]
        yield {
            "id": f"template-{slug}",
            "title": f"{each['displayName']} Template",
            "slug": f"detail_{slug}",
            "collectionId": each["id"],
            "publishedPath": folders.get(slug, f"/{slug}"),
            **common,
        }
