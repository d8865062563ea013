from __future__ import annotations


def test_head_is_a_get_without_a_body(desk):
    """HEAD answers the status and headers of the GET, on both services."""
    shown = desk.space.get("/stories")
    head = desk.space.head("/stories")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Total"] == shown.headers["Total"]
    assert desk.space.head("/stories/5").status_code == 404
    assert desk.origin.head("/v2/sites").status_code == 200


def test_a_preflight_needs_no_token_and_costs_nothing(desks, clock):
    """OPTIONS is answered for any page, before the token and beside the quota."""
    with desks(rate=1, clock=clock) as desk:
        asked = {
            "Origin": "https://editor.example",
            "Access-Control-Request-Method": "PATCH",
            "Access-Control-Request-Headers": "authorization,content-type",
        }
        for path in ("/v1/spaces/290512/stories", "/upload", "/a/f/x.png"):
            reply = desk.public.options(path, headers=asked)
            assert (reply.status_code, reply.content) == (204, b"")
            assert reply.headers["Access-Control-Allow-Origin"] == "*"
            assert "PATCH" in reply.headers["Access-Control-Allow-Methods"]
            allowed = reply.headers["Access-Control-Allow-Headers"]
            assert allowed == "authorization,content-type"
        assert desk.space.get("").status_code == 200


def test_a_page_may_read_the_paging(desk):
    """The paging headers are exposed to a page of another origin, and to no other."""
    origin = {"Origin": "https://editor.example"}
    reply = desk.space.get("/stories", headers=origin)
    assert reply.headers["Access-Control-Allow-Origin"] == "*"
    exposed = reply.headers["Access-Control-Expose-Headers"].lower()
    assert {"total", "per-page"} <= set(exposed.split(", "))
    refused = desk.public.get("/v1/spaces/290512", headers=origin)
    assert refused.status_code == 401
    assert refused.headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Origin" not in desk.space.get("/stories").headers


def test_the_history_hides_the_delivery_token(desk):
    """A token that stands in a query is not shown on the control page."""
    token = desk.space.get("").json()["space"]["first_token"]
    query = {"token": token}
    reply = desk.public.get("/v2/cdn/stories", params=query, follow_redirects=True)
    assert reply.status_code == 200
    assert token not in desk.public.get("/_sandbox/history").text
