"""A refused story is reported with the block and the field, and the service's text."""

from __future__ import annotations

import copy

import pytest

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import RejectedError
from tests.support.destination.scripted import Script

DOCUMENT = "must be a prosemirror document"
NUMBER = "must be a string with numbers and allow '-' and '.'"


def figure(uid: str, **fields: Json) -> JsonObject:
    return {"component": "figure", "_uid": uid, "wide": "", **fields}


CONTENT: JsonObject = {
    "component": "post",
    "_uid": "0000-post",
    "title": "A title",
    "price": "1e5",
    "body": {
        "type": "doc",
        "content": [
            {"type": "paragraph"},
            {"type": "blok", "attrs": {"body": [figure("1111-a", wide="7")]}},
            {"type": "blok", "attrs": {"body": [figure("2222-b", wide="wide")]}},
        ],
    },
    "parts": [
        {
            "component": "gallery",
            "_uid": "3333-c",
            "images": [figure("4444-d", caption="")],
        }
    ],
}


def value(field: str, component: str, wrong: str) -> str:
    return f"The value of the field {field} in the component {component} {wrong}"


def texts(body: Json) -> list[str]:
    """Return what the service says in a body."""
    if isinstance(body, str):
        return [body]
    parts = body.values() if isinstance(body, dict) else body
    return [text for part in parts for text in texts(part)]


async def reported(script: Script, body: Json, content: JsonObject = CONTENT) -> str:
    """Return the sentence about a story that the service refuses with this body."""
    script.says(body, 422)
    with pytest.raises(RejectedError) as caught:
        await script.client().create_story(
            {"name": "A", "slug": "a", "content": copy.deepcopy(content)}
        )
    assert caught.value.body == body
    return str(caught.value)


CAPTION = value("caption", "figure", DOCUMENT)
WIDE = value("wide", "figure", NUMBER)
SECOND = "`wide` of block 2 (figure) in `body` must hold a number, digits with `-` and "
NESTED = (
    "`caption` of block 1 (figure) in `images` of block 1 (gallery) in `parts` must "
    "hold a rich text document"
)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": CAPTION + " (4444-d)"}, NESTED),
        ({"error": [f"Block 4444-d: {CAPTION}"]}, NESTED),
        ({"error": {"base": [f"Block 4444-d: {CAPTION}"]}}, NESTED),
        ({"errors": {"4444-d": [CAPTION]}}, NESTED),
        ({"errors": {"content": {"4444-d": {"caption": [DOCUMENT]}}}}, NESTED),
        ({"4444-d": [CAPTION]}, NESTED),
        # No block is named: the one whose value breaks the rule is meant.
        ({"error": WIDE}, SECOND),
        ({"wide": [NUMBER]}, SECOND),
        (
            {"error": value("price", "post", NUMBER)},
            "`price` must hold a number, digits with `-` and `.` only, and holds `1e5`",
        ),
        (
            {"errors": {"2222-b": ["The value of wide is odd"]}},
            "`wide` of block 2 (figure) in `body` is refused, and holds `wide`",
        ),
        (
            {"error": value("caption", "figure", "can't be blank") + " (4444-d)"},
            "`caption` of block 1 (figure) in `images` of block 1 (gallery) in `parts` "
            "is required and has no value",
        ),
        (
            {"error": "The component(s) figure, x are not allowed in the field body"},
            "Block 1 (figure) in `body` is in a field that does not take this "
            "component; Block 2 (figure)",
        ),
    ],
)
async def test_a_refusal_names_the_block_and_the_field(
    script: Script, body: Json, said: str
) -> None:
    """In whatever envelope; the service's text stays."""
    sentence = await reported(script, body)
    assert sentence.startswith(said), sentence
    assert "The destination refused to create the story a (422: " in sentence
    assert all(text in sentence for text in texts(body))


@pytest.mark.parametrize(
    "body",
    [
        {"slug": ["has already been taken"]},
        {"title": ["can't be blank"]},
        {"error": "no"},
        {"error": value("absent", "nowhere", "is odd")},
        None,
    ],
)
async def test_what_is_not_about_the_content_stays_as_it_is(
    script: Script, body: Json
) -> None:
    """Nothing is guessed: `title` is the field of a story that has a value."""
    sentence = await reported(script, body)
    assert sentence.startswith("The destination refused to create the story a (422")


async def test_many_refused_values_are_counted(script: Script) -> None:
    """An explanation stays readable."""
    parts: list[Json] = [figure(f"u{number}", wide="x") for number in range(50)]
    sentence = await reported(
        script,
        {"errors": {f"u{number}": [WIDE] for number in range(50)}},
        {"component": "post", "_uid": "r", "parts": parts},
    )
    assert sentence.count("and holds `x`") == 5
    assert "; and 45 more. The destination refused" in sentence
