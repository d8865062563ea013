from __future__ import annotations

import hashlib
import itertools

import pytest

FIELDS = 10


@pytest.mark.parametrize(
    ("first", "second"), list(itertools.combinations(range(FIELDS + 1), 2))
)
def test_swapped_fields_store_nothing(desk, first, second):
    """Any two parts swapped, the file among them: 204, and there is no asset."""
    signed = desk.sign("swap.png")
    parts = [*signed["fields"].items(), ("file", "")]
    assert len(parts) == FIELDS + 1
    parts[first], parts[second] = parts[second], parts[first]
    assert desk.upload(signed, parts).status_code == 204
    assert desk.public.get(signed["public_url"]).status_code == 404
    assert desk.kinds == ["upload_order"]


@pytest.mark.parametrize("index", range(FIELDS))
def test_a_missing_field_stores_nothing(desk, index):
    """A form without one of its fields: 204, and there is no asset."""
    signed = desk.sign("missing.png")
    parts = list(signed["fields"].items())
    del parts[index]
    assert desk.upload(signed, parts).status_code == 204
    assert desk.public.get(signed["public_url"]).status_code == 404
    assert desk.kinds == ["upload_order"]


def test_the_order_is_another_one_at_each_signing(desk):
    """The key comes first, and the others differ from the signing before."""
    orders = [tuple(desk.sign()["fields"]) for _ in range(12)]
    assert {order[0] for order in orders} == {"key"}
    assert all(a != b for a, b in itertools.pairwise(orders))
    assert len({frozenset(order) for order in orders}) == 1


def test_a_complete_upload_is_delivered(desk):
    """In the signed order the bytes arrive, and finishing fills the record."""
    data = b"\x00\r\n--mark-not\r\nname=" * 3
    signed = desk.sign("one.two.PNG", size="640x480", ext_id="e-1", alt="A picture")
    assert signed["pretty_url"] == signed["public_url"].removeprefix("http:")
    assert "/640x480/" in signed["public_url"]
    assert signed["public_url"].endswith("/one_two.PNG")
    assert signed["public_url"].startswith(desk.handle.announcement["asset_base"])
    assert desk.upload(signed, data=data).status_code == 204
    public = desk.public.get(signed["public_url"])
    assert (public.content, public.headers["content-type"]) == (data, "image/png")
    assert desk.public.head(signed["public_url"]).status_code == 200
    path = f"/assets/{signed['id']}"
    assert desk.space.get(path).json()["content_length"] is None
    finished = desk.space.get(f"{path}/finish_upload")
    assert finished.status_code == 200
    assert finished.json()["id"] == signed["id"]
    record = desk.space.get(path).json()
    assert record["filename"] == signed["public_url"]
    assert record["content_length"] == len(data)
    assert (record["alt"], record["ext_id"]) == ("A picture", "e-1")
    assert desk.kinds == []


def test_without_a_size_there_is_none_in_the_address(desk):
    """The pixel size stands in the address only when it was given."""
    assert desk.sign("plain.jpg")["fields"]["key"].count("/") == 3
    assert desk.sign("plain.jpg", size="")["fields"]["key"].count("/") == 3
    assert desk.sign("plain.jpg", size="1x2")["fields"]["key"].count("/") == 4


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("a.b.c.png", "a_b_c.png"),
        ("../../etc/passwd.txt", "passwd.txt"),
        ("two words (1).jpg", "two_words__1_.jpg"),
        ("ünï.png", "_n_.png"),
        ("bare", "bare"),
    ],
)
def test_file_names_are_made_harmless(desk, name, stored):
    """Only the last dot stays, and nothing that an address would have to escape."""
    assert desk.sign(name)["public_url"].rpartition("/")[2] == stored


def test_signing_takes_json_and_query_alike(desk):
    """The official client signs by query with an empty body."""
    query = {"filename": "query.png", "size": "3x4", "ext_id": "q-1"}
    by_query = desk.space.post("/assets", params=query)
    wrapped = desk.space.post("/assets", json={"asset": query})
    for reply in (by_query, wrapped):
        assert reply.status_code == 200
        assert "/3x4/" in reply.json()["public_url"]
    assert desk.space.post("/assets", json={}).status_code == 422
    found = desk.space.get("/assets", params={"ext_id": "q-1"})
    assert found.headers["Total"] == "2"


def test_signatures_expire(desks, clock):
    """Ten minutes after signing the upload is refused with XML."""
    with desks(clock=clock) as desk:
        early, late = desk.sign(), desk.sign()
        clock.now += 599
        assert desk.upload(early).status_code == 204
        clock.now += 1
        reply = desk.upload(late)
        assert reply.status_code == 403
        assert reply.headers["content-type"] == "application/xml"
        assert "Policy expired" in reply.text
        assert desk.public.get(late["public_url"]).status_code == 404


@pytest.mark.parametrize("name", ["policy", "key", "x-amz-signature", "acl", "Expires"])
def test_altered_fields_are_refused(desk, name):
    """A changed value is answered 403, and nothing is stored."""
    signed = desk.sign()
    parts = [(n, v + "x" if n == name else v) for n, v in signed["fields"].items()]
    reply = desk.upload(signed, parts)
    assert reply.status_code == 403
    assert reply.text.startswith("<?xml")
    assert desk.public.get(signed["public_url"]).status_code == 404


def test_extra_fields_empty_files_and_tokens_are_refused(desk):
    """What the policy does not list, no bytes at all, and a token are refused."""
    signed = desk.sign()
    extra = [*signed["fields"].items(), ("x-extra", "1")]
    assert desk.upload(signed, extra).status_code == 403
    empty = desk.upload(signed, data=b"")
    assert empty.status_code == 400
    assert "EntityTooSmall" in empty.text
    token = {"Authorization": desk.handle.announcement["destination_token"]}
    assert desk.upload(signed, headers=token).status_code == 400
    kind = {"Content-Type": "application/json"}
    assert desk.upload(signed, headers=kind).status_code == 400
    assert desk.public.get(signed["public_url"]).status_code == 404


def test_an_upload_without_a_length_is_refused(desk):
    """A chunked form is answered 411, as the storage host does."""
    reply = desk.public.post("/upload", content=iter([b"x"]))
    assert reply.status_code == 411


def test_replacing_keeps_id_and_address(desk):
    """Signing with an id renews the bytes behind the same address."""
    signed = desk.sign("renewed.png")
    desk.upload(signed, data=b"old")
    again = desk.sign("renewed.png", id=signed["id"])
    assert again["id"] == signed["id"]
    assert again["public_url"] == signed["public_url"]
    desk.upload(again, data=b"new")
    assert desk.public.get(signed["public_url"]).content == b"new"
    assert desk.space.post("/assets", json={"id": 5}).status_code == 404


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("wrapped", [True, False])
def test_metadata_changes_by_either_method_and_shape(desk, method, wrapped):
    """PUT and PATCH, wrapped and not: 204 without a body, and the record changed."""
    signed = desk.sign("meta.png")
    body = {"alt": f"{method} {wrapped}", "meta_data": {"alt": "x"}}
    sent = {"asset": body} if wrapped else body
    reply = desk.space.request(method, f"/assets/{signed['id']}", json=sent)
    assert (reply.status_code, reply.content) == (204, b"")
    assert desk.space.get(f"/assets/{signed['id']}").json()["alt"] == body["alt"]


def test_texts_of_an_asset_are_copied_to_its_meta_data(desk):
    """From the upload on, unless the body sets `meta_data` itself."""
    own = desk.sign("mirror.png", alt="A", focus="1x1:2x2")["id"]

    def meta(**body):
        desk.space.put(f"/assets/{own}", json={"asset": body})
        return desk.space.get(f"/assets/{own}").json()["meta_data"]

    assert meta() == {"alt": "A"}
    assert meta(title="T") == {"alt": "A", "title": "T"}
    assert meta(alt="B", meta_data={"x": "y"}) == {"x": "y"}


def test_finishing_can_answer_wrapped(desks):
    """The other reading of the documentation can be switched on."""
    from cmsmig.sandbox.destination.space import Unknowns

    with desks(unknowns=Unknowns(finish_wrapped=True)) as desk:
        signed = desk.sign()
        reply = desk.space.get(f"/assets/{signed['id']}/finish_upload")
        assert reply.json()["asset"]["id"] == signed["id"]


def test_lists_are_filtered_and_paged(desk):
    """Assets are found by external id, folder and word, page by page."""
    folder = desk.space.post("/asset_folders", json={"asset_folder": {"name": "Shelf"}})
    assert folder.status_code == 201
    own = folder.json()["asset_folder"]["id"]
    for number in range(5):
        desk.sign(f"listed-{number}.png", asset_folder_id=own, ext_id=f"l-{number}")
    query = {"in_folder": own, "per_page": 2}
    page = desk.space.get("/assets", params=query)
    assert (page.headers["Total"], page.headers["Per-Page"]) == ("5", "2")
    assert len(page.json()["assets"]) == 2
    assert "file" not in page.json()["assets"][0]
    one = desk.space.get("/assets", params={"ext_id": "l-3"}).json()["assets"]
    assert [asset["short_filename"] for asset in one] == ["listed-3.png"]
    word = desk.space.get("/assets", params={"search": "LISTED-4"}).json()["assets"]
    assert len(word) == 1
    folders = desk.space.get("/asset_folders", params={"search": "shel"}).json()
    assert [one["id"] for one in folders["asset_folders"]] == [own]


def test_a_deleted_asset_is_gone_from_everywhere(desk):
    """After deleting, neither record nor file is there."""
    signed = desk.sign("gone.png")
    desk.upload(signed)
    assert desk.space.delete(f"/assets/{signed['id']}").status_code == 200
    assert desk.space.get(f"/assets/{signed['id']}").status_code == 404
    assert desk.public.get(signed["public_url"]).status_code == 404
    assert desk.upload(signed).status_code == 204


def test_asset_folders_nest(desk):
    """A folder names its parent by id and UUID, and an unknown parent is refused."""

    def made(**body):
        return desk.space.post("/asset_folders", json={"asset_folder": body})

    outer = made(name="Outer").json()["asset_folder"]
    inner = made(name="Inner", parent_id=outer["id"]).json()["asset_folder"]
    assert inner["parent_uuid"] == outer["uuid"]
    assert made(name="Lost", parent_id=5).status_code == 422
    path = f"/asset_folders/{inner['id']}"
    renamed = desk.space.put(path, json={"asset_folder": {"name": "Within"}})
    assert renamed.status_code == 204
    assert desk.space.get(path).json()["asset_folder"]["name"] == "Within"
    deleted = desk.space.delete(path)
    assert (deleted.status_code, deleted.content) == (204, b"")


def test_the_state_names_the_stored_bytes(desk):
    """The control page shows each asset with the digest of what is stored."""
    signed = desk.sign("digest.png")
    desk.upload(signed, data=b"known")
    assets = desk.public.get("/_sandbox/state").json()["assets"]
    found = next(asset for asset in assets if asset["id"] == signed["id"])
    assert found["sha256"] == hashlib.sha256(b"known").hexdigest()
