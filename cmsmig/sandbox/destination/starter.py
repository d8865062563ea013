"""What a new space of the service starts with."""

from __future__ import annotations

import json

from cmsmig.canonical import JsonObject
from cmsmig.sandbox.destination.components import COMPONENTS
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.destination.stories import story_routes
from cmsmig.sandbox.http.asgi import Call

_BLOKS: JsonObject = {"type": "bloks", "pos": 0}
_TEXT: JsonObject = {"type": "text", "pos": 0}
_COMPONENTS: tuple[JsonObject, ...] = (
    {
        "name": "page",
        "is_root": True,
        "is_nestable": False,
        "schema": {"body": _BLOKS},
    },
    {"name": "teaser", "schema": {"headline": _TEXT}},
    {"name": "grid", "schema": {"columns": _BLOKS}},
    {"name": "feature", "schema": {"name": _TEXT}},
)


def fill(space: Space) -> None:
    """Add the starter components and the starter story."""
    for component in _COMPONENTS:
        COMPONENTS.create(space, _call({"component": component}))
    space.default_root = "page"
    features = [
        {"_uid": f"starter-feature-{number}", "component": "feature", "name": name}
        for number, name in enumerate(("Feature 1", "Feature 2", "Feature 3"))
    ]
    content = {
        "_uid": "starter-page",
        "component": "page",
        "body": [
            {"_uid": "starter-teaser", "component": "teaser", "headline": "Hello!"},
            {"_uid": "starter-grid", "component": "grid", "columns": features},
        ],
    }
    story = {"name": "Home", "slug": "home", "content": content}
    story_routes.create(space, _call({"story": story}))


def _call(body: object) -> Call:
    return Call("POST", "", "", (), {}, json.dumps(body).encode())
