"""Values: the result for each origin value, also of dates, and that nothing raises."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.canonical import Json
from cmsmig.destination.value_kinds import is_unfit, kind_of
from cmsmig.mapping.dates import calendar_day, parse_moment
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.mapping.propose.encodings import FIELD_BODIES
from cmsmig.mapping.value_checks import number_text
from cmsmig.richtext.policy import EmbedPolicy
from tests.support.cases import cases, part
from tests.support.mapping.drafting import (
    FILES,
    TAGS,
    collection,
    content_type,
    context,
    draft_story,
    drafted,
    field,
    item,
    uploaded_asset,
)

PHOTO, GUIDE = (f"https://{FILES}/s1/{name}" for name in ("quay.jpg", "guide.pdf"))
ASSETS = {PHOTO: uploaded_asset(PHOTO, 1), GUIDE: uploaded_asset(GUIDE, 3)}
EMPTY = [
    drafted("", each).content["f"] for each in (Encoding.ASSET, Encoding.MULTILINK)
]

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


@cases(__file__, "values.yaml")
def test_what_a_value_becomes(case: dict[str, Any]) -> None:
    """Losses have no more than those named; `why` is a part of the sentence."""
    kind = case.get("type", "PlainText")
    options = tuple(map(tuple, case.get("options", ())))
    encoding = Encoding(case["encoding"])
    design = content_type(field("f", encoding, kind, options=options, target=TAGS))
    around = context(
        design,
        assets=ASSETS,
        missing=case.get("missing"),
        alts=case.get("alts"),
        time_zone=case.get("zone", "UTC"),
        schema=collection(("f", kind, case.get("rules", {}))),
    )
    if "embed_fields" in case:
        embeds = EmbedPolicy(embed_fields=frozenset(case["embed_fields"]))
        around = replace(around, embeds=embeds)
    draft = draft_story(item({"f": case["value"]}), design, around)
    found, wanted = draft.content.get("f", "(no key)"), case["becomes"]
    assert (found if "exactly" in case else part(found, wanted)) == wanted
    assert draft == draft_story(item({"f": case["value"]}), design, around)
    listed = [{"field": each.field, **each.loss.as_json()} for each in draft.losses]
    named = [
        each if isinstance(each, dict) else {"kind": each}
        for each in case.get("losses", [])
    ]
    assert part(listed, named) == named


def test_bodies_have_their_files_rewritten_wherever_they_are() -> None:
    """Pictures, links, source sets, visible text and the inside of embeds."""
    body = (
        f'<p>See {GUIDE}</p><img srcset="{PHOTO}?w=1 500w, {PHOTO} 900w" alt="A">'
        f'<p><a href="{GUIDE}">guide</a></p>'
        f"<div data-rt-embed-type='true'><img src='{PHOTO}' srcset='{PHOTO} 1x'>"
        f'<script>play("{GUIDE}")</script></div>'
    )
    draft = drafted(body, Encoding.RICHTEXT, "RichText", assets=ASSETS)
    text = json.dumps(draft.content)
    assert FILES not in text
    assert text.count(ASSETS[GUIDE].filename) == 3
    assert text.count(ASSETS[PHOTO].filename) == 3


@given(st.sampled_from(Encoding), json_values)
def test_no_value_raises_and_none_vanishes_in_silence(
    encoding: Encoding, value: Json
) -> None:
    """Whatever JSON is in a field, a draft comes out that JSON can hold."""
    draft = drafted(value, encoding)
    json.dumps(draft.content)
    said = draft.content.get("f") not in ("", [], None, *EMPTY)
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
        content = drafted(value, encoding, assets=ASSETS).content
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


ZONES = (
    "UTC",
    "America/Los_Angeles",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Europe/London",
    "Asia/Kolkata",
    "Asia/Beirut",
    "Pacific/Auckland",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "Etc/GMT+8",
    "Etc/GMT-13",
)


@given(
    st.dates(date(1995, 1, 2), date(2035, 12, 31)),
    st.sampled_from(ZONES),
    st.booleans(),
)
def test_the_day_is_kept(day: date, zone: str, in_utc: bool) -> None:
    """Midnight in UTC and midnight at the site are both that day."""
    midnight = datetime.combine(day, time(), UTC if in_utc else ZoneInfo(zone))
    stored = midnight.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    real = datetime.fromisoformat(stored).astimezone(midnight.tzinfo).date() == day
    found = parse_moment(stored)
    assert found is not None
    # Samoa skipped a day: there was no such midnight to be stored.
    assert calendar_day(found, zone) == day.isoformat() or not real
