"""Assets: what is found, what it is called, what is uploaded."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cmsmig.canonical import Json, canonical
from cmsmig.mapping.convert.asset_uploads import (
    KNOWN_FILE_HOSTS,
    AssetUse,
    FileFact,
    alts_of,
    find_assets,
    observed_file_hosts,
    plan_uploads,
    safe_name,
)
from cmsmig.mapping.convert.file_addresses import (
    asset_of,
    candidates,
    host_of,
    in_html,
    in_text,
)
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.richtext.engine import UploadedAsset
from tests.support.mapping.drafting import (
    FILES,
    NAMESPACE,
    collection,
    content_type,
    context,
    draft_story,
    field,
    item,
    key,
)

HOSTS = frozenset((FILES,))
DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
DRAWN = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E"
NO_PICTURE = "data:text/plain;base64,bm8gcGljdHVyZQ=="
BASE = f"https://{FILES}/s1"
SCHEMA = collection(
    ("photo", "Image"),
    ("gallery", "MultiImage"),
    ("sheet", "File"),
    ("body", "RichText"),
    ("link", "Link"),
    ("film", "VideoLink"),
    ("text", "PlainText"),
    ("sku", "SkuValues"),
)


def addresses(data: dict[str, Json]) -> list[str]:
    """Return the addresses found in an item, in order."""
    uses = find_assets(item(data), SCHEMA, HOSTS)
    return [use.data or use.address for use in uses]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (f'<img src="{BASE}/a.png?x=1&amp;y=2" alt="">', [f"{BASE}/a.png?x=1&y=2"]),
        (f"<img src='{BASE}/a%20(1).png'>", [f"{BASE}/a%20(1).png"]),
        (
            f'<img src="{BASE}/a.png" srcset="{BASE}/a-p-500.png 500w">',
            [f"{BASE}/a.png"],
        ),
        (
            f'<img srcset="{BASE}/a,1.png 500w, {BASE}/a,2.png 900w">',
            [f"{BASE}/a,2.png"],
        ),
        (f'<a href="{BASE}/a.pdf">pdf</a>', [f"{BASE}/a.pdf"]),
        (
            f'<video poster="{BASE}/p.jpg"><source src="{BASE}/v.mp4"></video>',
            [f"{BASE}/p.jpg", f"{BASE}/v.mp4"],
        ),
        (f"<audio src={BASE}/s.mp3></audio>", [f"{BASE}/s.mp3"]),
        (
            f'<div style="background:url(&quot;{BASE}/b.png&quot;)"></div>',
            [f"{BASE}/b.png"],
        ),
        (f"<p>at {BASE}/t.pdf, or so</p>", [f"{BASE}/t.pdf"]),
        (
            "<div data-rt-embed-type='true'>"
            f'<i data-video-urls="{BASE}/1.mp4,{BASE}/2.webm"></i>'
            f"<style>.x{{background:url({BASE}/bg.png)}}</style>"
            f'<script>load("{BASE}/l.json")</script>'
            f'<img src="{BASE}/i.png" srcset="{BASE}/i.png 1x, {BASE}/i2.png 2x">'
            "</div>",
            [
                f"{BASE}/1.mp4",
                f"{BASE}/2.webm",
                f"{BASE}/bg.png",
                f"{BASE}/l.json",
                f"{BASE}/i.png",
                f"{BASE}/i.png",
                f"{BASE}/i2.png",
            ],
        ),
        (
            f'<div data-poster-url="{BASE}/p.jpg" data-video-urls="{BASE}/1.mp4"></div>'
            f'<lottie-player url="{BASE}/l.json"></lottie-player>'
            f'<wf-component prop-image="{BASE}/i.png"></wf-component>'
            f'<iframe data-consent-src="{BASE}/a.pdf#page=2"></iframe>'
            f'<figure data-page-url="{BASE}/v.mp4"></figure>'
            f'<div data-poster-url="{BASE}/q.jpg">text</div>',
            [
                f"{BASE}/{name}"
                for name in ("p.jpg", "1.mp4", "l.json", "i.png", "a.pdf", "v.mp4")
            ],
        ),
        (f'<img src="//{FILES}/r.png">', [f"//{FILES}/r.png"]),
        (f'<!-- <img src="{BASE}/c.png"> -->', []),
        ('<img src="https://other.example/a.png">', []),
        (f'<a href="https://other.example/?u={BASE}/a.png">x</a>', []),
        (f'<img src="https://{FILES}@evil.example/a.png">', []),
        (f'<img src="https://evil.example\\@{FILES}/a.png">', []),
        (f'<img src="https://{FILES}.evil.example/a.png">', []),
        (f"<p>Write {DOT}</p><code>&lt;img src='{DOT}'></code>", []),
        (f'<a href="{DOT}">dot</a><a href="{NO_PICTURE}">text</a>', [DOT]),
        (f"<p style='background: url({DOT})'>a</p>", [DOT]),
        (
            "<div data-rt-embed-type='true'>"
            f'<img src="{DRAWN}" srcset="{DOT} 1x, {DOT}#x 2x">'
            f'<i style="background:url(&quot;{DOT}&quot;)" data-x=\'["{DOT}"]\'></i>'
            f"<style>.x{{background:url({DOT}) url('{DOT}') url(\"{DRAWN}\")}}</style>"
            f"<video src='{NO_PICTURE}'></video><p>Write {DOT}</p></div>",
            [DRAWN, DOT, f"{DOT}#x", DOT, DOT, DOT, DOT, DRAWN],
        ),
        ("<img src=", []),
        ("<![if x]><img alt='<", []),
    ],
)
def test_bodies(body: str, found: list[str]) -> None:
    """Every place in a body that can hold a file's address, and no other host."""
    assert addresses({"body": body}) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"see {BASE}/a.pdf.", [f"{BASE}/a.pdf"]),
        (f"({BASE}/a.pdf)", [f"{BASE}/a.pdf"]),
        (f"![x]({BASE}/a%20(1).jpg)", [f"{BASE}/a%20(1).jpg"]),
        (f"“{BASE}/a.pdf”, '{BASE}/b.pdf'", [f"{BASE}/a.pdf", f"{BASE}/b.pdf"]),
        (f"{BASE}/a.pdf\n{BASE}/b.pdf!", [f"{BASE}/a.pdf", f"{BASE}/b.pdf"]),
        (f"**{BASE}/a.pdf**", [f"{BASE}/a.pdf"]),
        (f"<b>{BASE}/a.pdf</b>", [f"{BASE}/a.pdf"]),
        (f"x{BASE}/a.pdf", []),
        (DOT, [DOT]),
        (f"![dot]({DOT}) ![a]({DOT} 'A') ![b](<{DOT}>)", [DOT, DOT, DOT]),
        (f"![dot][1]\n\n[1]: {DOT}\n", [DOT]),
        (f'<img src={DOT}> <img src="{DRAWN}">', [DOT, DRAWN]),
        (f'{{"a": "{DOT}", "b": "\\"{DOT}\\""}}', [DOT, DOT]),
        (f"An address like {DOT} has a picture.", []),
        (f"[text]({NO_PICTURE}) data:, metadata: data:image/png;base64,", []),
        (f"https://other.example/{BASE}/a.pdf", []),
    ],
)
def test_texts(text: str, found: list[str]) -> None:
    """An address in text ends where a person would say that it ends."""
    assert addresses({"text": text}) == found


def test_every_kind_of_field() -> None:
    """File fields whatever their host, everything else by host; order is stable."""
    data: dict[str, Json] = {
        "zz-unknown": [{"deep": f"see {BASE}/8.png"}],
        "sku": {"image": {"fileId": "f", "url": "https://else.example/7.png"}},
        "text": f"{BASE}/6.png",
        "film": {"url": f"{BASE}/5.mp4", "metadata": {"title": "x"}},
        "link": f"{BASE}/4.pdf",
        "sheet": {"fileId": "f", "url": "https://else.example/3.pdf"},
        "gallery": [{"fileId": "g", "url": f"{BASE}/2.png", "alt": "two"}, None],
        "photo": {"fileId": "p", "url": "/files/1.png", "alt": None},
    }
    assert addresses(data) == [
        "/files/1.png",
        f"{BASE}/2.png",
        "https://else.example/3.pdf",
        f"{BASE}/4.pdf",
        f"{BASE}/5.mp4",
        f"{BASE}/6.png",
        "https://else.example/7.png",
        f"{BASE}/8.png",
    ]


def test_hosts_are_learnt_from_file_fields() -> None:
    """A host that serves uploads is known by what it serves; ports count."""
    photo: Json = {"fileId": "p", "url": "http://127.0.0.1:4711/a.png"}
    found = observed_file_hosts([item({"photo": photo, "link": BASE})], [SCHEMA])
    assert found == {"127.0.0.1:4711"}
    assert "cdn.prod.website-files.com" in KNOWN_FILE_HOSTS


NAME, REST = FILES[:3], FILES[3:]
ENCODED = (
    FILES.upper(), f"{NAME}\0{REST}", f"{NAME}<!-- -->{REST}", f"{NAME}</b>{REST}",
    FILES.replace(".", "&#46;", 1), FILES.replace(".", "&period;"),
    FILES.replace(".", "&period", 1), f"&#{ord(NAME[0])}{FILES[1:]}",
)  # fmt: skip
PIECES = (
    "<p>", "</p>", "<img src='", "<iframe srcdoc='", "'>", "https://", "//", FILES,
    *ENCODED, "&sol;&sol;", "&amp;", "&lt;img src=&quot;//", "/a.png", " ", "<b>",
)  # fmt: skip


def encoded_hosts(test: Callable[[str], None]) -> Callable[[str], None]:
    for name in ENCODED:
        test = example(f"<img src='//{name}/a.png'>//{name}/b.png")(test)
    inner = "&lt;img src=&quot;//" + FILES.replace(".", "&amp;#46;") + "&quot;>"
    return example(f"<iframe srcdoc='{inner}'></iframe>")(test)


@encoded_hosts
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_a_body_that_seems_to_have_no_file_has_none(body: str) -> None:
    read = f"<!-- {FILES} -->{body}"  # the host is there, so that it is read
    assert list(in_html(body, HOSTS)) == list(in_html(read, HOSTS))


@given(st.text(max_size=60))
def test_addresses_in_any_text_are_on_the_file_hosts(noise: str) -> None:
    """Nothing foreign is ever taken for a file, whatever is around."""
    text = f"{noise}{BASE}/x.png{noise}//evil.example/{noise}"
    spans = list(in_text(text, HOSTS))
    assert all(host_of(text[a:b]) == FILES for a, b in spans)
    assert all(b <= c for (_, b), (c, _) in pairwise(spans))


NAMES = st.from_regex(
    r"[a-z0-9][a-z0-9_-]{0,8}(%20[(]1[)])?\.(png|pdf)", fullmatch=True
)
PLACES: tuple[tuple[str, Callable[[str], Json]], ...] = (
    ("photo", lambda one: {"fileId": "i", "url": one, "alt": "x"}),
    ("gallery", lambda one: [{"fileId": "i", "url": one, "alt": None}]),
    ("sheet", lambda one: {"fileId": "i", "url": one}),
    ("body", lambda one: f"<p>a</p><img src='{one}'><a href='{one}'>b</a>"),
    ("link", lambda one: one),
    ("film", lambda one: {"url": one}),
    ("text", lambda one: f"a ({one}), b"),
    ("sku", lambda one: {"x": [one]}),
)
ENCODINGS = (
    Encoding.ASSET,
    Encoding.MULTIASSET,
    Encoding.ASSET,
    Encoding.RICHTEXT,
    Encoding.MULTILINK,
    Encoding.VIDEO_TEXT,
    Encoding.TEXTAREA,
    Encoding.JSON_TEXT,
)


@given(st.lists(st.tuples(st.sampled_from(PLACES), NAMES), max_size=8))
def test_what_is_found_is_what_the_draft_rewrites(
    planned: list[tuple[tuple[str, Callable[[str], Json]], str]],
) -> None:
    """Planting addresses anywhere: all are found, and none is left in the draft."""
    data: dict[str, Json] = {}
    expected = {}
    for (slug, make), name in planned:
        data[slug] = make(f"{BASE}/{name}")
        expected[slug] = f"{BASE}/{name}"
    uses = find_assets(item(data), SCHEMA, HOSTS)
    assert {use.address for use in uses} == set(expected.values())
    assert {use.field for use in uses} == set(expected)
    design = content_type(
        *(
            field(slug, encoding)
            for (slug, _), encoding in zip(PLACES, ENCODINGS, strict=True)
        )
    )
    existing = {
        use.address: UploadedAsset(1, "https://a.storyblok.com/f/1/x") for use in uses
    }
    draft = draft_story(item(data), design, context(design, assets=existing))
    assert FILES.encode() not in canonical(draft.content)
    assert not [each for each in draft.losses if each.loss.kind == "missing-file"]


def use(name: str, address: str, alt: str = "", index: int = 0) -> AssetUse:
    """Return a use in one field of one item."""
    return AssetUse(address, key(name), "photo", index, alt, "")


def fact(content: str, width: int | None = None) -> FileFact:
    """Return the fact about a file with this content."""
    return FileFact(content * 64, width, width, "image/png", 9)


def test_the_same_bytes_are_uploaded_once() -> None:
    """Name and alt of the smallest use; sizes only where there are pixels."""
    uses = [
        use("b", f"{BASE}/64b7f0a1c2d3e4f5a6b7c8d9_second.png", "B"),
        use("a", f"{BASE}/first.png"),
        use("c", f"{BASE}/doc.pdf"),
        use("d", f"{BASE}/failed.png"),
    ]
    files = {
        uses[0].address: fact("1", 5),
        uses[1].address: fact("1", 5),
        uses[2].address: fact("2"),
    }
    first, second = plan_uploads(uses, files, namespace=NAMESPACE)
    assert (first.name, first.alt, first.size) == ("first.png", "B", "5x5")
    assert first.addresses == (uses[0].address, uses[1].address)
    assert (second.name, second.alt, second.size) == ("doc.pdf", "", "")
    assert first.ext_id != second.ext_id


@given(st.randoms(use_true_random=False))
def test_the_plan_is_independent_of_the_order_of_uses(seed: random.Random) -> None:
    """Shuffled uses give the same uploads in the same order."""
    uses = [
        use(name, f"{BASE}/{name}{index}.png", name * (index > 1), index)
        for name in "abc"
        for index in range(4)
    ]
    files = {each.address: fact(str(number % 5)) for number, each in enumerate(uses)}
    wanted = plan_uploads(uses, files, namespace=NAMESPACE), alts_of(uses)
    seed.shuffle(uses)
    assert (plan_uploads(uses, files, namespace=NAMESPACE), alts_of(uses)) == wanted


def test_alts_leave_the_services_markers_out() -> None:
    """A marker is no alt text of a file."""
    data: dict[str, Json] = {
        "photo": {
            "fileId": "p",
            "url": f"{BASE}/1.png",
            "alt": "__wf_reserved_inherit",
        },
        "gallery": [{"fileId": "p", "url": f"{BASE}/1.png", "alt": "Boats"}],
    }
    uses = find_assets(item(data), SCHEMA, HOSTS)
    assert alts_of(uses) == {f"{BASE}/1.png": "Boats", "p": "Boats"}


@pytest.mark.parametrize(
    ("address", "content_type", "name"),
    [
        (f"{BASE}/64b7f0a1c2d3e4f5a6b7c8d9_quay%20(1).jpg", "", "quay (1).jpg"),
        (f"{BASE}/a%2520b.png?x=1#y", "", "a%20b.png"),
        (f"{BASE}/e%CC%81te%CC%81.PNG", "", "été.PNG"),
        (f"{BASE}/AC%2FDC.png", "", "AC-DC.png"),
        ("..%2F..%2Fetc%2Fpasswd", "text/plain", "-..-etc-passwd.txt"),
        ("%2E%2E", "image/png", "file.png"),
        ("", "image/svg+xml; charset=utf-8", "file.svg"),
        ("noext", "image/webp", "noext.webp"),
        ("noext", "application/x-unknown", "noext"),
        (".htaccess", "", "htaccess"),
        ("photo\u202egpj.exe", "", "photogpj.exe"),
        ("a%00b%0A.jpg", "", "ab.jpg"),
        ('a<b>"c|d%3Fe*f:g.png', "", "a-b--c-d-e-f-g.png"),
    ],
)
def test_names(address: str, content_type: str, name: str) -> None:
    """Decoded once, composed, harmless, with an extension where one is known."""
    assert safe_name(address, content_type) == name


@given(st.text(max_size=400))
def test_any_name_is_harmless(text: str) -> None:
    """Never empty, never a path, never too long, always composed."""
    name = safe_name(text, "image/png")
    assert name
    assert name not in (".", "..")
    assert not set(name) & set('/\\:*?"<>|\x00\n')
    assert len(name.encode("utf-8", "replace")) <= 150
    assert unicodedata.is_normalized("NFC", name)


def test_candidates_of_a_source_set() -> None:
    """Commas inside addresses are no separators; doubled ones are."""
    assert list(candidates("a,1.jpg 2x, b.jpg 300w,c.jpg,, d.jpg")) == [
        ("a,1.jpg", 2.0),
        ("b.jpg", 300.0),
        ("c.jpg", 1.0),
        ("d.jpg", 1.0),
    ]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://h.example/a.pdf", "https://new.example/a.pdf"),
        ("https://h.example/a.pdf#page=2", "https://new.example/a.pdf#page=2"),
        (" https://h.example/a.pdf?v=1#t=0.5 ", "https://new.example/a.pdf?v=1#t=0.5"),
    ],
)
def test_an_address_keeps_its_fragment_when_its_file_is_replaced(
    address: str, expected: str
) -> None:
    """A query is the file's own: it is known with it."""
    new = UploadedAsset(1, "https://new.example/a.pdf")
    names = ("https://h.example/a.pdf", "https://h.example/a.pdf?v=1")
    found = asset_of(dict.fromkeys(names, new), address)
    assert found is not None
    assert found.filename == expected
