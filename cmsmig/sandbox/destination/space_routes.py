"""The space itself: plan, limits, languages; and who the token belongs to."""

from __future__ import annotations

from cmsmig.canonical import Json, JsonObject
from cmsmig.sandbox.destination.space import OWNER, Space
from cmsmig.sandbox.http.asgi import Call, Reply, json_reply

_STARTER_RATE = 3


def show(space: Space, call: Call) -> Reply:
    """Answer the space."""
    return json_reply(200, {"space": document(space)})


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
        "limits": {},
        "feature_limits": None,
        "feature_limit_exceeded_flags": {},
        "custom_upload_limit_in_mb": None,
        # The service's own spelling.
        "required_assest_fields": None,
        "org": {
            "name": "Sandbox",
            "custom_upload_limit_in_mb": None,
        },
        "region": "eu",
        "languages": languages,
        "options": {"languages": languages},
        "default_lang_name": "Default",
        "default_root": space.default_root or None,
        "first_token": space.preview_token,
        "owner_id": OWNER,
        "owner": {"id": OWNER, "userid": "sandbox", "friendly_name": "Sandbox Editor"},
        "role": "admin",
        "trial": False,
        "uniq_domain": None,
        "parent_id": None,
        "routes": [],
        "space_roles": [],
        "collaborators": [],
        "has_slack_webhook": False,
        "request_count_today": 0,
        "api_requests": 0,
        "exceeded_requests": 0,
        "traffic_limit": 0,
        "development_mode": False,
        "assistance_mode": False,
        "stories_count": sum(not story.is_folder for story in present),
        "folders_count": sum(story.is_folder for story in present),
        "components_count": len(space.components),
        "assets_count": len(space.assets),
        "environments": [],
        "has_pending_tasks": False,
        "created_at": space.created_at,
        "updated_at": space.created_at,
    }
