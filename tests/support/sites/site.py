"""The sample's site record: domains, locales, time zone."""

from __future__ import annotations

from cmsmig.canonical import JsonObject
from tests.support.sites.identity import FILES, short_id
from tests.support.sites.records import ENGLISH, FRENCH

HOST = "saltmarsh.example.com"
SHOP = "shop.saltmarsh.example.com"
PLATFORM = "saltmarsh-quarterly.webflow.io"
SITE_ID = short_id("site:saltmarsh-quarterly")
LAST_PUBLISHED = "2025-09-18T08:12:44.871Z"


def site_record() -> JsonObject:
    """Return the site as the sites list gives it."""
    return {
        "id": SITE_ID,
        "workspaceId": short_id("workspace:saltmarsh"),
        "createdOn": "2021-11-02T09:20:31.000Z",
        "displayName": "Saltmarsh Quarterly",
        "shortName": PLATFORM.split(".", 1)[0],
        "lastPublished": LAST_PUBLISHED,
        "lastUpdated": "2025-09-20T15:41:02.118Z",
        "previewUrl": f"{FILES}/{short_id('file:preview.png')}_preview.png",
        "timeZone": "Europe/Paris",
        "parentFolderId": None,
        "customDomains": [_domain(HOST), _domain(SHOP)],
        "locales": {
            "primary": {
                "id": short_id("locale record:en"),
                "cmsLocaleId": ENGLISH,
                "enabled": True,
                "displayName": "English",
                "displayImageId": None,
                "redirect": False,
                "subdirectory": "",
                "tag": "en",
            },
            "secondary": [
                {
                    "id": short_id("locale record:fr"),
                    "cmsLocaleId": FRENCH,
                    "enabled": True,
                    "displayName": "French (France)",
                    "displayImageId": None,
                    "subdirectory": "fr",
                    "tag": "fr-FR",
                }
            ],
        },
        "dataCollectionEnabled": False,
        "dataCollectionType": "disabled",
    }


def _domain(host: str) -> JsonObject:
    return {
        "id": short_id(f"domain:{host}"),
        "url": host,
        "lastPublished": LAST_PUBLISHED,
    }
