"""Values: what each origin value becomes, and that nothing raises."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json, JsonObject
from cmsmig.destination.value_kinds import is_unfit, kind_of
from cmsmig.mapping.convert.value_checks import major_units, number_text
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.mapping.propose.encodings import FIELD_BODIES
from cmsmig.richtext.losses import Severity
from cmsmig.richtext.policy import EmbedPolicy
from tests.support.mapping.drafting import (
    FILES,
    content_type,
    context,
    draft_story,
    drafted,
    field,
    item,
    kinds,
    uploaded_asset,
)

EMPTY_LINK = {
    "id": "",
    "url": "",
    "linktype": "story",
    "fieldtype": "multilink",
    "cached_url": "",
}
EMPTY_ASSET = {
    "id": None,
    "alt": None,
    "name": "",
    "focus": "",
    "title": "",
    "source": "",
    "filename": "",
    "copyright": "",
    "fieldtype": "asset",
    "meta_data": {},
}
EMPTY_DOCUMENT = {
    "type": "doc",
    "content": [{"type": "paragraph", "attrs": {"textAlign": None}}],
}
PHOTO = f"https://{FILES}/s1/64b7f0a1c2d3e4f5a6b7c8d9_quay%20(1).jpg"
GUIDE = f"https://{FILES}/s1/64b7f0a1c2d3e4f5a6b7c8da_guide.pdf"

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("url", "fileId", "alt", "value", "unit", "metadata", "x")),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@pytest.mark.parametrize("never_filled", [None, ""])
@pytest.mark.parametrize(
    ("encoding", "unset"),
    [
        (Encoding.TEXT, ""),
        (Encoding.TEXTAREA, ""),
        (Encoding.MARKDOWN, ""),
        (Encoding.MARKDOWN_AS_RICHTEXT, EMPTY_DOCUMENT),
        (Encoding.RICHTEXT, EMPTY_DOCUMENT),
        (Encoding.ASSET, EMPTY_ASSET),
        (Encoding.MULTIASSET, []),
        (Encoding.MULTILINK, EMPTY_LINK),
        (Encoding.NUMBER, ""),
        (Encoding.DATETIME, ""),
        (Encoding.DATE, ""),
        (Encoding.OPTION, ""),
        (Encoding.OPTION_DATASOURCE, ""),
        (Encoding.RELATION, ""),
        (Encoding.RELATIONS, []),
        (Encoding.VIDEO_MULTILINK, EMPTY_LINK),
        (Encoding.VIDEO_TEXT, ""),
        (Encoding.VIDEO_BLOCK, []),
        (Encoding.COLOR_TEXT, ""),
        (Encoding.PRICE_AMOUNT, ""),
        (Encoding.PRICE_CURRENCY, ""),
        (Encoding.JSON_TEXT, ""),
    ],
)
def test_a_field_never_filled_has_its_types_empty_value(
    encoding: Encoding, unset: Json, never_filled: Json
) -> None:
    """Null, "" and a missing key all give what the editor itself writes."""
    draft = drafted(never_filled, encoding)
    assert draft.content["f"] == unset
    assert kinds(draft) == []


def test_a_switch_never_touched_stays_unset() -> None:
    """No key at all says that nobody decided, which false would not."""
    assert "f" not in drafted(None, Encoding.BOOLEAN, "Switch").content
    assert drafted(False, Encoding.BOOLEAN, "Switch").content["f"] is False
    assert drafted(True, Encoding.BOOLEAN, "Switch").content["f"] is True


@given(st.sampled_from(Encoding), json_values)
def test_no_value_raises_and_none_vanishes_in_silence(
    encoding: Encoding, value: Json
) -> None:
    """Whatever JSON stands in a field, a draft comes out that JSON can hold."""
    draft = drafted(value, encoding)
    json.dumps(draft.content)
    said = draft.content.get("f") not in ("", [], None, EMPTY_ASSET, EMPTY_LINK)
    blank = value in (None, "", [], {}, False) or value == [None]
    kept_elsewhere = encoding in (
        Encoding.RELATION,
        Encoding.RELATIONS,
        Encoding.PRICE_CURRENCY,
        Encoding.ENVELOPE,
        Encoding.PRICE_AMOUNT,
    )
    hollow = isinstance(value, (dict, list)) and not _says_something(value)
    assert said or blank or kept_elsewhere or hollow or draft.losses


def _says_something(value: Json) -> bool:
    if isinstance(value, dict):
        return any(_says_something(each) for each in value.values())
    if isinstance(value, list):
        return any(_says_something(each) for each in value)
    return value not in (None, "")


ODD_VALUES: list[Json] = [
    *(None, "", " ", "x", "1e5", "-1.5", 5, -1.5e300, True, False),
    *([], {}, ["a"], [None], [{"url": PHOTO}], {"url": "https://a.example/"}),
    *({"url": PHOTO, "fileId": "1"}, {"value": 5, "unit": "USD"}, {"a": [1]}),
]


@pytest.mark.parametrize("encoding", Encoding)
def test_every_value_has_the_form_of_its_fields_type(encoding: Encoding) -> None:
    """A space that validates strictly refuses any other; absent passes."""
    field_type = str(FIELD_BODIES[encoding]["type"])
    for value in ODD_VALUES:
        content = drafted(
            value, encoding, assets={PHOTO: uploaded_asset(PHOTO)}
        ).content
        if "f" in content:
            assert not is_unfit(field_type, kind_of(content["f"])), value


@given(st.floats() | st.integers())
def test_numbers_are_decimal_text_that_reads_back(value: float) -> None:
    """No exponent, ever, and the same number again."""
    text = number_text(value)
    if not math.isfinite(value):
        assert text is None
    elif text is not None:
        assert re.fullmatch(r"-?\d*\.?\d+", text)
        assert type(value)(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e21, "1000000000000000000000"),
        (1e-7, "0.0000001"),
        (-0.0, "0"),
        (0, "0"),
        (3, "3"),
        (3.0, "3"),
        (-2.50, "-2.5"),
        ("12.50", "12.50"),
    ],
)
def test_numbers_without_exponent(value: Json, text: str) -> None:
    """Large, small and negative zero are written out."""
    assert drafted(value, Encoding.NUMBER, "Number").content["f"] == text


@pytest.mark.parametrize("value", [True, "a dozen", "1e5", [1], {"n": 1}, math.nan])
def test_what_is_no_number_is_listed(value: Json) -> None:
    """The field stays unset and the value is in the loss."""
    draft = drafted(value, Encoding.NUMBER, "Number")
    assert draft.content["f"] == ""
    assert kinds(draft) == ["wrong-type"]
    assert draft.losses[0].field == "f"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2024-03-05T07:09:00.000Z", "2024-03-05 07:09"),
        ("2024-03-05T23:30:00-05:00", "2024-03-06 04:30"),
        ("2024-03-05T07:09:00", "2024-03-05 07:09"),
        ("0999-03-05T07:09:00Z", "0999-03-05 07:09"),
    ],
)
def test_moments_are_minutes_in_utc(value: str, text: str) -> None:
    """No T, no Z, no seconds."""
    assert drafted(value, Encoding.DATETIME, "DateTime").content["f"] == text


def test_seconds_are_listed() -> None:
    """The destination stores minutes; what is cut off is said."""
    draft = drafted("2024-03-05T07:09:31.000Z", Encoding.DATETIME, "DateTime")
    assert draft.content["f"] == "2024-03-05 07:09"
    assert kinds(draft) == ["seconds"]


@pytest.mark.parametrize("value", ["soon", "2024-13-45", 20240305, {}])
def test_what_is_no_date_is_listed(value: Json) -> None:
    """Both kinds of date keep the value in a loss."""
    for encoding in (Encoding.DATE, Encoding.DATETIME):
        draft = drafted(value, encoding, "DateTime")
        assert draft.content["f"] == ""
        assert kinds(draft) == ["wrong-type"]


OPTIONS = (("o1", "Calm"), ("o2", "Rough"), ("o3", "Rough (2)"))


def test_options_become_labels() -> None:
    """The id is translated; the design's labels are unique already."""
    draft = drafted("o3", Encoding.OPTION, "Option", options=OPTIONS)
    assert draft.content["f"] == "Rough (2)"


@pytest.mark.parametrize("value", ["o9", 3, ["o1"]])
def test_an_option_out_of_the_schema_is_a_loss(value: Json) -> None:
    """An id that the schema lost has no label."""
    draft = drafted(value, Encoding.OPTION_DATASOURCE, "Option", options=OPTIONS)
    assert draft.content["f"] == ""
    assert kinds(draft) == ["option"]


@pytest.mark.parametrize(
    ("origin_type", "encoding", "value", "validations"),
    [
        ("Email", Encoding.TEXT, "ask at the bar", {}),
        ("Phone", Encoding.TEXT, "twelve", {}),
        ("Color", Encoding.COLOR_TEXT, "sea", {}),
        ("Color", Encoding.COLOR_TEXT, "#12345", {}),
        ("Link", Encoding.TEXT, "www.harbour.example", {}),
        ("Number", Encoding.NUMBER, 2.5, {"format": "integer"}),
        ("Number", Encoding.NUMBER, -1, {"allowNegative": False}),
        ("Number", Encoding.NUMBER, 0, {"allowZero": False}),
        ("Number", Encoding.NUMBER, 11, {"maxValue": 10}),
        ("Number", Encoding.NUMBER, 1, {"minValue": 2}),
    ],
)
def test_values_that_fail_their_rules_are_carried_and_listed(
    origin_type: str, encoding: Encoding, value: Json, validations: JsonObject
) -> None:
    """The value stands unchanged; a person is told."""
    draft = drafted(value, encoding, origin_type, validations=validations)
    assert draft.content["f"] == str(value)
    assert [(each.loss.kind, each.loss.severity) for each in draft.losses] == [
        ("validation", Severity.MEANING)
    ]


@pytest.mark.parametrize(
    ("origin_type", "value"),
    [
        ("Email", "mail+news@harbour.example.com"),
        ("Phone", "+44 (0)20 7946-0123 ext. 4"),
        ("Color", "#0af"),
        ("Color", "#00aaff80"),
        ("Color", "RGBA(0, 10, 20, .5)"),
        ("Color", "hsl(120deg 50% 50%)"),
        ("Color", "transparent"),
        ("Link", "/posts/one?x=1#y"),
        ("Link", "tel:+4420"),
    ],
)
def test_values_within_their_rules_are_not_listed(origin_type: str, value: str) -> None:
    """Every form that the origin's own editor accepts passes."""
    draft = drafted(value, Encoding.TEXT, origin_type)
    assert draft.content["f"] == value
    assert kinds(draft) == []


@pytest.mark.parametrize(
    ("value", "link"),
    [
        (
            "https://other.example/a?b=c#d",
            {
                "linktype": "url",
                "url": "https://other.example/a?b=c#d",
                "cached_url": "https://other.example/a?b=c#d",
            },
        ),
        ("/posts/one", {"linktype": "url", "url": "/posts/one"}),
        ("mailto:a@b.example", {"linktype": "email", "email": "a@b.example"}),
        (
            "mailto:a@b.example?subject=Hi",
            {"linktype": "url", "url": "mailto:a@b.example?subject=Hi"},
        ),
        (GUIDE, {"linktype": "asset", "url": uploaded_asset(GUIDE).filename}),
    ],
)
def test_links_become_multilinks(value: str, link: JsonObject) -> None:
    """Addresses, email addresses and uploaded files each have their type."""
    draft = drafted(
        value, Encoding.MULTILINK, "Link", assets={GUIDE: uploaded_asset(GUIDE)}
    )
    got = draft.content["f"]
    assert isinstance(got, dict)
    assert got["fieldtype"] == "multilink"
    assert got["id"] == ""
    assert {name: got[name] for name in link} == link
    assert kinds(draft) == []


VIDEO: JsonObject = {
    "url": "https://www.youtube.com/watch?v=abc",
    "metadata": {"title": "Nine o’clock", "html": "<iframe></iframe>", "width": 5},
}
FRAMED = '<div><iframe src="https://www.youtube.com/embed/abc\u200b"></iframe></div>'


def test_videos_as_link_text_or_block() -> None:
    """The three choices; only the block keeps the title."""
    link = drafted(VIDEO, Encoding.VIDEO_MULTILINK, "VideoLink")
    text = drafted(VIDEO, Encoding.VIDEO_TEXT, "VideoLink")
    block = drafted(VIDEO, Encoding.VIDEO_BLOCK, "VideoLink")
    plain = drafted(VIDEO["url"], Encoding.VIDEO_MULTILINK, "VideoLink")
    assert link.content["f"] == plain.content["f"]
    assert text.content["f"] == VIDEO["url"]
    assert kinds(link) == kinds(text) == ["video-title"]
    assert kinds(block) == kinds(plain) == []
    made = block.content["f"]
    assert isinstance(made, list)
    first = made[0]
    assert isinstance(first, dict)
    assert {name: first[name] for name in ("component", "url", "title", "html")} == {
        "component": "embed",
        "url": VIDEO["url"],
        "title": "Nine o’clock",
        "html": "<iframe></iframe>",
    }
    assert re.fullmatch(r"[0-9a-f-]{36}", str(first["_uid"]))
    assert (first["frame"], first["shape"]) == ("", "")


WHOLE_VIDEO: JsonObject = {
    "url": VIDEO["url"],
    "metadata": {
        "html": FRAMED,
        "type": "video",
        "title": "Nine",
        "width": 854,
        "height": 480,
        "thumbnail_url": "https://i.example.com/abc.jpg",
        "author_name": "Ann",
        "provider_name": "YouTube",
        "aspectRatio": 0,
        "description": None,
    },
}
VIDEO_DATA = {
    "title": "Nine",
    "frame": "https://www.youtube.com/embed/abc",
    "shape": "854:480",
    "thumbnail": "https://i.example.com/abc.jpg",
    "author": "Ann",
}


def test_a_video_block_keeps_all_that_the_origin_knows_of_the_video() -> None:
    """As an embed in rich text keeps frame and shape."""
    draft = drafted(WHOLE_VIDEO, Encoding.VIDEO_BLOCK, "VideoLink")
    made = draft.content["f"]
    assert isinstance(made, list)
    assert isinstance(first := made[0], dict)
    assert {name: first[name] for name in VIDEO_DATA} == VIDEO_DATA
    assert first["html"] == FRAMED
    assert kinds(draft) == []


@pytest.mark.parametrize("encoding", [Encoding.VIDEO_MULTILINK, Encoding.VIDEO_TEXT])
def test_what_a_link_to_a_video_has_no_place_for_is_listed(encoding: Encoding) -> None:
    """Each thing for itself, with its value."""
    draft = drafted(WHOLE_VIDEO, encoding, "VideoLink")
    found = {each.loss.kind: each.loss.what for each in draft.losses}
    assert found == {f"video-{name}": value for name, value in VIDEO_DATA.items()}
    assert all("video_block" in each.loss.why for each in draft.losses)


def test_what_a_video_block_has_no_field_for_is_listed() -> None:
    """A description always, and what a design from before lacks a field for."""
    metadata: JsonObject = {"author_name": "Ann", "description": "About it."}
    value: JsonObject = {"url": VIDEO["url"], "metadata": metadata}
    design = content_type(field("f", Encoding.VIDEO_BLOCK, "VideoLink"))
    around = replace(context(design), embeds=EmbedPolicy(embed_fields=frozenset()))
    draft = draft_story(item({"f": value}), design, around)
    found = {each.loss.kind: each.loss.what for each in draft.losses}
    assert found == {"video-author": "Ann", "video-data": "description: About it."}


def test_pictures_carry_their_own_alt_in_each_use() -> None:
    """Alt per use; the markers give the file's own alt or none."""
    assets = {PHOTO: uploaded_asset(PHOTO)}
    for alt, shown in (
        ("A quay", "A quay"),
        (None, ""),
        ("__wf_reserved_inherit", "Its own"),
        ("__wf_reserved_decorative", ""),
    ):
        value: Json = {"fileId": "x", "url": PHOTO, "alt": alt}
        for encoding in (Encoding.ASSET, Encoding.MULTIASSET):
            draft = drafted(
                value, encoding, "Image", assets=assets, alts={PHOTO: "Its own"}
            )
            got = draft.content["f"]
            asset = got[0] if isinstance(got, list) else got
            assert isinstance(asset, dict)
            assert (asset["id"], asset["alt"], asset["filename"]) == (
                7,
                shown,
                uploaded_asset(PHOTO).filename,
            )


def test_a_file_that_could_not_be_had_is_named_with_its_reason() -> None:
    """The list keeps its other files and their order."""
    gone = f"https://{FILES}/s1/gone.png"
    value: Json = [
        {"fileId": "1", "url": PHOTO, "alt": "a"},
        {"fileId": "2", "url": gone, "alt": "b"},
        {"fileId": "3", "url": GUIDE, "alt": "c"},
    ]
    draft = drafted(
        value,
        Encoding.MULTIASSET,
        "MultiImage",
        assets={PHOTO: uploaded_asset(PHOTO, 1), GUIDE: uploaded_asset(GUIDE, 3)},
        missing={gone: "The service answered 404."},
    )
    got = draft.content["f"]
    assert isinstance(got, list)
    assert [each["id"] for each in got if isinstance(each, dict)] == [1, 3]
    (loss,) = [each.loss for each in draft.losses]
    assert (loss.kind, loss.what, loss.why, loss.where) == (
        "missing-file",
        gone,
        "The service answered 404.",
        "f[2]",
    )


def test_plain_text_is_verbatim_but_for_file_addresses() -> None:
    """Nothing is decoded, trimmed or converted."""
    text = f' &amp; <b>no</b>\n**as is** {GUIDE}. ("{PHOTO}") https://x.example/a.pdf '
    draft = drafted(
        text,
        Encoding.TEXTAREA,
        assets={GUIDE: uploaded_asset(GUIDE), PHOTO: uploaded_asset(PHOTO)},
    )
    assert draft.content["f"] == text.replace(
        GUIDE, uploaded_asset(GUIDE).filename
    ).replace(PHOTO, uploaded_asset(PHOTO).filename)
    assert kinds(draft) == []


def test_structures_are_json_text_with_their_files_rewritten() -> None:
    """What the destination has no type for can be read back."""
    value: Json = {"b": [1, 2.5, True, None], "a": {"url": PHOTO, "t": "é"}}
    draft = drafted(
        value, Encoding.JSON_TEXT, "Sku", assets={PHOTO: uploaded_asset(PHOTO)}
    )
    assert json.loads(str(draft.content["f"])) == {
        "b": [1, 2.5, True, None],
        "a": {"url": uploaded_asset(PHOTO).filename, "t": "é"},
    }
    assert drafted("a: b", Encoding.JSON_TEXT).content["f"] == "a: b"


@pytest.mark.parametrize(
    ("minor", "unit", "major"),
    [
        (2500, "USD", "25"),
        (2599, "eur", "25.99"),
        (5, "GBP", "0.05"),
        (2500, "JPY", "2500"),
        (1234, "KWD", "1.234"),
        (10**40 + 1, "USD", "1" + "0" * 38 + ".01"),
    ],
)
def test_prices_are_in_major_units(minor: int, unit: str, major: str) -> None:
    """Cents, yen and fils each by their currency's places."""
    value: Json = {"value": minor, "unit": unit}
    assert drafted(value, Encoding.PRICE_AMOUNT, "Price").content["f"] == major
    assert drafted(value, Encoding.PRICE_CURRENCY, "Price").content["f"] == unit
    assert major_units(minor, unit) == major


def test_what_a_price_holds_besides_is_listed() -> None:
    """Amount and currency have a field; a third thing has none."""
    draft = drafted({"value": 1, "unit": "USD", "x": 2}, Encoding.PRICE_AMOUNT)
    assert kinds(draft) == ["price"]


def test_the_colour_plugin_holds_the_colour_as_it_is() -> None:
    """The plugin's own value, with a derived uid."""
    got = drafted("#aabbcc", Encoding.COLOR_PLUGIN, "Color").content["f"]
    assert isinstance(got, dict)
    assert got["plugin"] == "storyblok-colorpicker"
    assert got["color"] == "#aabbcc"
    assert got == drafted("#aabbcc", Encoding.COLOR_PLUGIN, "Color").content["f"]


def test_bodies_have_their_files_rewritten_wherever_they_stand() -> None:
    """Pictures, links, source sets, visible text and the inside of embeds."""
    body = (
        f'<p>See {GUIDE}</p><img srcset="{PHOTO}?w=1 500w, {PHOTO} 900w" alt="A">'
        f'<p><a href="{GUIDE}">guide</a></p>'
        f"<div data-rt-embed-type='true'><img src='{PHOTO}' srcset='{PHOTO} 1x'>"
        f'<script>play("{GUIDE}")</script></div>'
    )
    draft = drafted(
        body,
        Encoding.RICHTEXT,
        "RichText",
        assets={GUIDE: uploaded_asset(GUIDE), PHOTO: uploaded_asset(PHOTO)},
    )
    text = json.dumps(draft.content)
    assert FILES not in text
    assert text.count(uploaded_asset(GUIDE).filename) == 3
    assert text.count(uploaded_asset(PHOTO).filename) == 3


def test_wrong_types_for_text_are_carried_as_json_text() -> None:
    """A text field can hold anything; that it was no text is said."""
    for encoding in (Encoding.TEXT, Encoding.MARKDOWN, Encoding.RICHTEXT):
        draft = drafted({"a": [1]}, encoding)
        text = json.dumps(draft.content["f"])
        assert "a" in text
        assert "[1]" in text
        assert kinds(draft) == ["wrong-type"]
