from __future__ import annotations

import json

import httpx
import pytest

from cmsmig.sandbox.destination.space import Unknowns
from cmsmig.sandbox.destination.tokens import AVAILABLE, READ_SCOPES, TokenKind

UNSUPPORTED = "This endpoint does not support this token type"
OTHER_SPACE = "This token does not have access to this space"
SOME_SPACES = "This token is restricted to specific spaces"
NOVEMBER_29, NOVEMBER_30 = 1_795_996_799.0, 1_795_996_800.0


def needs(scope):
    return f"Insufficient scope: {scope} is required"


class Caller:
    """Calls the management side with the announced token, or with another."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.token = sandbox.handle.announcement["destination_token"]
        self.credential = sandbox.handle.state.credential

    def reply(self, method, path, **more):
        base = self.sandbox.handle.announcement["base_url"]
        headers = {"Authorization": self.token}
        return httpx.request(method, f"{base}{path}", headers=headers, **more)

    def said(self, method, path, **more):
        """Return the text of a 403, None for an answer that is none."""
        space = self.sandbox.handle.announcement["space_id"]
        reply = self.reply(method, f"/spaces/{space}{path}", **more)
        return reply.json()["error"] if reply.status_code == 403 else None


@pytest.fixture
def caller(desks):
    with desks() as sandbox:
        yield Caller(sandbox)


def needed_scopes(caller, calls):
    """Return what each call says that it needs, of a token with a scope of no use."""
    caller.credential.scopes = ("comments:read",)
    return [caller.said(method, path, json={}) for method, path in calls]


def test_every_route_names_the_scope_that_it_needs(caller):
    """Reads need `read`, writes `write`, and what publishes `publish`."""
    expected = {
        ("GET", ""): "spaces:read",
        ("GET", "/stories"): "stories:read",
        ("POST", "/stories"): "stories:write",
        ("GET", "/stories/1"): "stories:read",
        ("PUT", "/stories/1"): "stories:write",
        ("DELETE", "/stories/1"): "stories:write",
        ("PUT", "/stories/1/move"): "stories:write",
        ("PUT", "/stories/1?publish=0"): "stories:publish",
        ("GET", "/stories/1/publish"): "stories:publish",
        ("GET", "/stories/1/unpublish"): "stories:publish",
        ("POST", "/components"): "components:write",
        ("GET", "/datasources"): "datasources:read",
        ("POST", "/datasource_entries"): "datasource_entries:write",
        ("POST", "/assets"): "assets:write",
        ("GET", "/assets/1/finish_upload"): "assets:write",
        ("PATCH", "/assets/1"): "assets:write",
        ("DELETE", "/asset_folders/1"): "asset_folders:write",
        ("GET", "/webhook_endpoints"): "webhooks:read",
        ("GET", "/releases"): "releases:read",
        ("GET", "/workflow_stages"): "workflows:read",
    }
    said = needed_scopes(caller, expected)
    assert said == [needs(scope) for scope in expected.values()]
    body = {"story": {}, "publish": 1}
    assert caller.said("POST", "/stories", json=body) == needs("stories:publish")
    assert caller.said("GET", "/nothing") is None


def test_routes_that_declare_no_scope_refuse_scoped_tokens(desks):
    """Access tokens, presets, tags and groups are for tokens without scopes."""
    paths = ("/api_keys", "/presets", "/internal_tags", "/component_groups")
    with desks() as sandbox:
        caller = Caller(sandbox)
        for path in paths:
            assert caller.said("GET", path) == UNSUPPORTED
            assert sandbox.space.get(path).status_code == 200
        caller.token = f"Bearer {sandbox.handle.state.tokens.oauth}"
        assert caller.said("GET", "/api_keys") == UNSUPPORTED
        caller.token = sandbox.handle.state.tokens.legacy
        assert caller.said("GET", "/api_keys") is None
    unknowns = Unknowns(groups_resource="components")
    with desks(unknowns=unknowns, scopes=("components:read",)) as sandbox:
        caller = Caller(sandbox)
        assert caller.said("GET", "/component_groups") is None
        body = {"component_group": {"name": "a"}}
        said = caller.said("POST", "/component_groups", json=body)
        assert said == needs("components:write")


def test_publish_implies_write_and_write_implies_read(desks):
    """A token is narrowed and widened while the sandbox runs."""
    with desks(scopes=("stories:publish", "components:read")) as sandbox:
        caller = Caller(sandbox)
        body = {"story": {"name": "a", "slug": "a", "is_folder": True}}
        assert caller.said("GET", "/stories") is None
        assert caller.said("POST", "/stories", json=body) is None
        assert caller.said("GET", "/components") is None
        refused = caller.said("POST", "/components", json={"component": {}})
        assert refused == needs("components:write")
        assert caller.said("GET", "/assets") == needs("assets:read")
        caller.credential.scopes = ("stories:write",)
        refused = caller.said("POST", "/stories", json={**body, "publish": 1})
        assert refused == needs("stories:publish")
        assert caller.said("GET", "/stories/1/publish") == needs("stories:publish")
        caller.credential.scopes = ("stories:read",)
        assert caller.said("GET", "/stories") is None
        assert caller.said("POST", "/stories", json=body) == needs("stories:write")
        assert len(sandbox.handle.state.space.stories) == 1
        caller.credential.user_permission = True
        assert caller.said("GET", "/api_keys") is None


def test_a_token_can_be_restricted_to_spaces(desks):
    """Another space, and a path without one, are refused before any scope is."""
    with desks(token_spaces=(7,)) as sandbox:
        caller = Caller(sandbox)
        assert caller.said("GET", "/stories") == OTHER_SPACE
        assert caller.said("GET", "/api_keys") == OTHER_SPACE
        for path in ("/spaces", "/users/me"):
            reply = caller.reply("GET", path)
            assert (reply.status_code, reply.json()) == (403, {"error": SOME_SPACES})
        assert caller.reply("GET", "/spaces/7").status_code == 404
        assert caller.reply("GET", "/tokens/validate").json()["space_ids"] == [7]
        caller.credential.space_ids = (7, sandbox.handle.state.space.space_id)
        assert caller.said("GET", "/stories") is None


def test_validate_tells_what_a_token_is(desks):
    """It needs no scope, and draws on the rate as other calls do."""
    with desks(scopes=("stories:publish",), token_expires=1_900_000_000.0) as sandbox:
        caller = Caller(sandbox)
        reply = caller.reply("GET", "/tokens/validate")
        shown = reply.json()
        assert caller.token not in reply.text
        assert caller.token.endswith(shown.pop("token_display")[1:])
        assert shown == {
            "valid": True,
            "type": "pat",
            "scopes": ["stories:publish"],
            "user_permission": False,
            "space_ids": [],
            "expires_at": "2030-03-17T17:46:40.000Z",
        }
        assert sandbox.handle.state.recorder.entries[-1].quota
        caller.token = "unknown"
        refused = caller.reply("GET", "/tokens/validate")
        assert (refused.status_code, refused.json()) == (401, {"error": "Unauthorized"})
        kinds = {}
        for token in (
            sandbox.handle.state.tokens.user,
            f"Bearer {sandbox.handle.state.tokens.oauth}",
            sandbox.handle.state.tokens.legacy,
        ):
            caller.token = token
            shown = caller.reply("GET", "/tokens/validate").json()
            kinds[shown["type"], shown["user_permission"]] = "scopes" in shown
        assert kinds == {
            ("pat", True): False,
            ("oauth_app", False): True,
            ("legacy_token", False): False,
        }
    unknowns = Unknowns(lists_implied_scopes=True)
    with desks(scopes=("stories:publish",), unknowns=unknowns) as sandbox:
        listed = Caller(sandbox).reply("GET", "/tokens/validate").json()["scopes"]
        assert listed == ["stories:publish", "stories:read", "stories:write"]


def test_the_scopes_that_there_are_can_be_listed(caller):
    """The live list names each resource with its actions, to every token."""
    caller.credential.scopes = ()
    listed = caller.reply("GET", "/personal_access_tokens/metadata").json()
    found = {row["resource"]: row["actions"] for row in listed["available_scopes"]}
    assert found == json.loads(json.dumps(dict(AVAILABLE)))
    assert found["stories"] == ["read", "write", "publish"]
    assert found["statistics"] == ["read"]
    assert not {"api_keys", "presets", "internal_tags"} & found.keys()


def test_tokens_end(desks, clock):
    """A token is refused from its expiry on, one without scopes from 30 November."""
    clock.now = NOVEMBER_29
    with desks(clock=clock, token_expires=NOVEMBER_29 + 60) as sandbox:
        caller = Caller(sandbox)
        own, legacy = caller.token, sandbox.handle.state.tokens.legacy
        assert caller.reply("GET", "/spaces").status_code == 200
        caller.token = legacy
        assert caller.reply("GET", "/spaces").status_code == 200
        clock.now = NOVEMBER_30
        assert caller.reply("GET", "/spaces").status_code == 401
        assert caller.reply("GET", "/tokens/validate").status_code == 401
        caller.token = own
        assert caller.reply("GET", "/spaces").status_code == 200
        clock.now = NOVEMBER_29 + 60
        assert caller.reply("GET", "/spaces").status_code == 401
        caller.credential.expires_at = None
        assert caller.reply("GET", "/spaces").status_code == 200
        caller.credential.kind = TokenKind.LEGACY
        assert caller.reply("GET", "/spaces").status_code == 401
    with desks(clock=clock, end_of_unscoped=NOVEMBER_30 + 1000) as sandbox:
        caller = Caller(sandbox)
        caller.token = sandbox.handle.state.tokens.legacy
        assert caller.reply("GET", "/spaces").status_code == 200


def test_a_token_that_may_only_read_changes_nothing(desks):
    """All reads of the announced token, and no write."""
    with desks(scopes=READ_SCOPES) as sandbox:
        caller = Caller(sandbox)
        assert caller.said("GET", "/stories") is None
        body = {"story": {"name": "a", "slug": "a"}}
        assert caller.said("POST", "/stories", json=body) == needs("stories:write")
        assert not sandbox.handle.state.space.stories


def test_each_token_has_a_rate_of_its_own(desks, clock):
    """Unless the space counts for all of them."""
    for shared, expected in ((False, [200, 429, 200, 429]), (True, [200] + 3 * [429])):
        with desks(rate=1, clock=clock, rate_per_space=shared) as sandbox:
            caller = Caller(sandbox)
            statuses = []
            for token in (caller.token, sandbox.handle.state.tokens.user):
                caller.token = token
                statuses += [caller.reply("GET", "/spaces").status_code for _ in "ab"]
            assert statuses == expected
            peak = sandbox.public.get("/_sandbox/summary").json()["fullest_second"]
            assert peak == (4 if shared else 2)
