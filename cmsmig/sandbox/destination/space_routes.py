"""The space itself: plan, limits, languages."""

from __future__ import annotations

from collections.abc import Mapping

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.exchange import Call, Reply, json_reply

_STARTER_RATE = 3


def show(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer the space."""
    return json_reply(200, {"space": document(space)})


def listing(space: Space, call: Call, parameters: Mapping[str, str]) -> Reply:
    """Answer the spaces that the token may see: this one."""
    return json_reply(200, {"spaces": [document(space)]})


def document(space: Space) -> JsonObject:
    """Return the space as the wire shows it."""
    starter = space.rate <= _STARTER_RATE
    present = [story for story in space.stories.values() if story.deleted_at is None]
    languages: list[Json] = [{"code": code, "name": code} for code in space.languages]
    return {
        "id": space.space_id,
        "name": "Sandbox",
        "domain": f"{space.asset_base.removesuffix('/a')}/",
        "plan": "starter" if starter else "growth",
        "plan_level": 0 if starter else 300,
        "limits": _limits(space, starter=starter),
        "region": "eu",
        "languages": languages,
        "options": {"languages": languages},
        "default_lang_name": "Default",
        "default_root": space.default_root or None,
        "first_token": space.preview_token,
        "owner_id": 1,
        "role": "admin",
        "stories_count": sum(not story.is_folder for story in present),
        "folders_count": sum(story.is_folder for story in present),
        "components_count": len(space.components),
        "assets_count": len(space.assets),
        "environments": [],
        "has_pending_tasks": False,
        "created_at": space.now(),
    }


def _limits(space: Space, *, starter: bool) -> JsonObject:
    return {
        "requests_per_second": space.rate,
        "requests_per_month": 100_000 if starter else 1_000_000,
        "components": 200 if starter else 600,
        "stories": 25_000 if starter else 40_000,
        "folders": 100 if starter else 500,
        "asset_bytes": 524_288_000,
        "seats": 1 if starter else 5,
    }
