from __future__ import annotations

import pytest

SITE = "a" * 24
ARTICLES = "b" * 24
AUTHORS = "c" * 24
ENGLISH, FRENCH = "1" * 24, "2" * 24
ITEMS = f"/v2/collections/{ARTICLES}/items"


@pytest.mark.parametrize("header", [None, "", "Bearer wrong", "raw"])
def test_a_wrong_token_is_refused_in_the_documented_shape(desk, header):
    """Without the bearer token every read is answered 401 with the error shape."""
    headers = {"Authorization": header} if header is not None else {}
    url = f"{desk.handle.announcement['origin_api_url']}/v2/sites"
    reply = desk.public.get(url, headers=headers)
    assert reply.status_code == 401
    assert reply.json() == {
        "message": "Request not authorized",
        "code": "not_authorized",
        "externalReference": None,
        "details": [],
    }


def test_sites_collections_and_schema_have_their_documented_wrappers(desk):
    """The lists are wrapped, one site and one collection are bare."""
    assert desk.origin.get("/v2/sites").json()["sites"][0]["id"] == SITE
    assert desk.origin.get(f"/v2/sites/{SITE}").json()["shortName"] == "small"
    listed = desk.origin.get(f"/v2/sites/{SITE}/collections").json()["collections"]
    assert [one["slug"] for one in listed] == ["articles", "authors"]
    assert desk.origin.get(f"/v2/collections/{ARTICLES}").json()["fields"] == []


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/v2/sites/none", "resource_not_found"),
        ("/v2/sites/none/collections", "resource_not_found"),
        ("/v2/collections/none", "collection_not_found"),
        ("/v2/collections/../sites", "collection_not_found"),
        ("/v2/collections/none/items", "collection_not_found"),
        (f"{ITEMS}/none", "item_not_found"),
        ("/v2/anything", "resource_not_found"),
    ],
)
def test_what_is_not_there_is_404_with_its_code(desk, path, code):
    """Each unknown record is answered 404 with the code of its kind."""
    reply = desk.origin.get(path.replace("..", "%2E%2E"))
    assert reply.status_code == 404
    if "%2E" not in reply.request.url.raw_path.decode() and ".." not in path:
        assert reply.json()["code"] == code


def test_pages_follow_limit_and_offset(desk):
    """Two pages hold every primary item once and both name the total."""
    first = desk.origin.get(ITEMS).json()
    second = desk.origin.get(ITEMS, params={"offset": 100, "limit": 100}).json()
    assert first["pagination"] == {"limit": 100, "offset": 0, "total": 120}
    assert second["pagination"] == {"limit": 100, "offset": 100, "total": 120}
    ids = [one["id"] for one in first["items"] + second["items"]]
    assert len(ids) == len(set(ids)) == 120


@pytest.mark.parametrize(
    "query",
    [
        {"limit": 101},
        {"limit": 0},
        {"limit": "x"},
        {"offset": -1},
        {"sortBy": "size"},
        {"sortOrder": "up"},
    ],
)
def test_bad_arguments_are_refused(desk, query):
    """A limit beyond 100 and other unusable arguments are answered 400."""
    reply = desk.origin.get(ITEMS, params=query)
    assert reply.status_code == 400
    assert reply.json()["code"] == "validation_error"
    assert reply.json()["details"]


def test_locales_are_chosen_by_parameter(desk):
    """Without the parameter only the primary locale comes, with it those named."""
    both = desk.origin.get(ITEMS, params={"cmsLocaleId": f"{ENGLISH},{FRENCH}"})
    french = desk.origin.get(ITEMS, params={"cmsLocaleId": FRENCH}).json()
    assert desk.origin.get(ITEMS).json()["pagination"]["total"] == 120
    assert both.json()["pagination"]["total"] == 123
    assert {one["cmsLocaleId"] for one in french["items"]} == {FRENCH}
    one = f"{ITEMS}/{2:024x}"
    assert desk.origin.get(one).json()["cmsLocaleId"] == ENGLISH
    found = desk.origin.get(one, params={"cmsLocaleId": FRENCH}).json()
    assert found["cmsLocaleId"] == FRENCH


def test_the_live_set_is_a_set_of_its_own(desk):
    """The live list and the live single read know only published items."""
    assert desk.origin.get(f"{ITEMS}/live").json()["pagination"]["total"] == 2
    assert desk.origin.get(f"{ITEMS}/{1:024x}/live").status_code == 200
    assert desk.origin.get(f"{ITEMS}/{9:024x}/live").status_code == 404
    assert desk.origin.get(f"{ITEMS}/{9:024x}").status_code == 200


def test_sorting_and_filters(desk):
    """Items come sorted by an envelope key and filtered by slug, name or time."""
    query = {"sortBy": "createdOn", "sortOrder": "desc", "limit": 3}
    dates = [
        i["createdOn"] for i in desk.origin.get(ITEMS, params=query).json()["items"]
    ]
    assert dates == sorted(dates, reverse=True)
    assert dates[0].startswith("2023-01-28")
    by_slug = desk.origin.get(ITEMS, params={"slug": "item-7"}).json()["items"]
    assert [one["fieldData"]["name"] for one in by_slug] == ["Item 7"]
    late = {"lastUpdated[gte]": "2024-01-28T00:00:00.000Z"}
    assert desk.origin.get(ITEMS, params=late).json()["pagination"]["total"] == 4


def test_an_older_origin_sorts_by_no_date_but_the_last_publication(desks):
    """The two dates that came later are refused as any other unknown key."""
    with desks(origin_sorts_by_date=False) as desk:
        for key in ("createdOn", "lastUpdated"):
            reply = desk.origin.get(ITEMS, params={"sortBy": key})
            assert reply.status_code == 400
            assert reply.json()["code"] == "validation_error"
            details = reply.json()["details"]
            assert details == ["sortBy must be one of lastPublished, name, slug"]
        for key in ("lastPublished", "name", "slug"):
            reply = desk.origin.get(ITEMS, params={"sortBy": key})
            assert reply.status_code == 200


def test_the_window_refuses_and_reopens(desks, clock):
    """The minute's reads are counted down in headers, then 429, then free again."""
    with desks(origin_rate=3, clock=clock) as desk:
        left = []
        for _ in range(3):
            reply = desk.origin.get("/v2/sites")
            left.append(reply.headers["X-RateLimit-Remaining"])
            assert reply.headers["X-RateLimit-Limit"] == "3"
            assert reply.headers["Retry-After"] == "60"
        clock.now += 45.5
        refused = desk.origin.get("/v2/sites")
        assert left == ["2", "1", "0"]
        assert refused.status_code == 429
        assert refused.json()["code"] == "too_many_requests"
        assert refused.headers["Retry-After"] == "15"
        clock.now += 15
        assert desk.origin.get("/v2/sites").status_code == 200


def test_placeholders_become_the_own_address(desk):
    """The address in an item is the sandbox's own, and its file is a picture."""
    data = desk.origin.get(ITEMS, params={"limit": 1}).json()["items"][0]["fieldData"]
    address = data["photo"]["url"]
    base = desk.handle.announcement["origin_api_url"]
    assert address == f"{base}/files/f1_a%20b.png"
    reply = desk.public.get(address)
    assert reply.headers["content-type"] == "image/png"
    assert reply.content.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", f"/v2/sites/{SITE}/pages", "pages:read"),
        ("GET", f"/v2/sites/{SITE}/assets", "assets:read"),
        ("GET", f"/v2/sites/{SITE}/forms", "forms:read"),
        ("GET", f"/v2/sites/{SITE}/components", "components:read"),
        ("GET", f"/v2/sites/{SITE}/products", "ecommerce:read"),
        ("GET", "/v2/token/authorized_by", "authorized_user:read"),
        ("POST", f"{ITEMS}", "cms:write"),
        ("PATCH", f"{ITEMS}/{1:024x}", "cms:write"),
        ("DELETE", f"{ITEMS}/{1:024x}/live", "cms:write"),
        ("POST", f"/v2/sites/{SITE}/collections", "cms:write"),
        ("POST", f"/v2/sites/{SITE}/publish", "sites:write"),
    ],
)
def test_what_the_token_may_not_do_is_403(desk, method, path, scope):
    """A call beyond the two read scopes names the scope that is missing."""
    reply = desk.origin.request(method, path)
    assert reply.status_code == 403
    assert reply.json()["code"] == "missing_scopes"
    assert reply.json()["message"].endswith(scope)


def test_redirects_need_a_higher_plan(desk):
    """The redirect list is answered 403 with the plan's code."""
    reply = desk.origin.get(f"/v2/sites/{SITE}/redirects")
    assert (reply.status_code, reply.json()["code"]) == (
        403,
        "not_enterprise_plan_site",
    )


def test_the_token_tells_what_it_may_do(desk):
    """The introspection names the scopes, the rate and the site."""
    said = desk.origin.get("/v2/token/introspect").json()["authorization"]
    assert said["scope"] == "sites:read,cms:read"
    assert said["authorizedTo"]["siteIds"] == [SITE]
    assert said["rateLimit"] == 10_000


def test_custom_domains_are_listed(desk):
    """The list is wrapped, and 404 for another site."""
    reply = desk.origin.get(f"/v2/sites/{SITE}/custom_domains")
    assert reply.json() == {"customDomains": []}
    assert desk.origin.get("/v2/sites/0/custom_domains").status_code == 404


@pytest.mark.parametrize(
    ("value", "total"),
    [
        ("2023-01-02T00:00:00.000Z", 5),
        ("2023-01-02T00:00:00Z", 5),
        ("2023-01-02T01:00:00+01:00", 5),
        ("2023-01-02T00:00:01Z", 0),
    ],
)
def test_dates_are_compared_as_moments(desk, value, total):
    """With and without milliseconds or in another zone, a bound is the same."""
    query = {"createdOn[gte]": value, "createdOn[lte]": "2023-01-02T00:00:00Z"}
    page = desk.origin.get(ITEMS, params=query).json()["pagination"]
    assert page["total"] == total


def test_a_bound_that_is_no_date_is_refused(desk):
    """A bound that can't be read is answered 400, not passed over."""
    reply = desk.origin.get(ITEMS, params={"lastUpdated[gte]": "yesterday"})
    assert (reply.status_code, reply.json()["code"]) == (400, "validation_error")
