"""The simulated visual editor: what opening and saving a story writes."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

TYPES = (
    *("text", "textarea", "markdown", "number", "datetime", "boolean", "option"),
    *("options", "multiasset", "bloks", "asset", "multilink", "richtext", "table"),
)


@pytest.fixture(scope="module", autouse=True)
def components(shared_desk: Any) -> None:
    fields = {kind: {"type": kind} for kind in TYPES}
    fields["text"]["translatable"] = True
    arranged = {"tab-more": {"type": "tab"}, "part": {"type": "section"}}
    shared_desk.component("every_field", {**fields, **arranged})


def save(desk: Any, story_id: int) -> Any:
    reply = desk.public.post("/_sandbox/open-and-save", json={"story_id": story_id})
    assert reply.status_code == 200, reply.text
    return reply.json()


def read(desk: Any, story_id: int) -> Any:
    return desk.space.get(f"/stories/{story_id}").json()["story"]


def test_opening_fills_every_absent_key_of_the_root_block(desk: Any) -> None:
    """Each key gets its type's empty value; nested blocks and translations none."""
    nested = {"component": "every_field", "_uid": str(uuid.uuid4())}
    content = {**nested, "_uid": str(uuid.uuid4()), "bloks": [nested], "text": "Kept"}
    made = desk.story("filled", content).json()["story"]
    desk.space.get(f"/stories/{made['id']}/publish")
    before = read(desk, made["id"])
    assert before["unpublished_changes"] is False
    answer = save(desk, made["id"])
    assert answer == {"saved": [made["id"]], "unchanged": [], "refused": []}
    after = read(desk, made["id"])
    held = after["content"]
    table = held.pop("table")
    assert held == {
        **content,
        **dict.fromkeys(("textarea", "markdown", "number", "datetime", "option"), ""),
        **{key: [] for key in ("options", "multiasset")},
        "boolean": False,
        "asset": {
            **{"id": None, "alt": None, "copyright": None, "focus": None},
            **{"source": None, "title": None, "name": "", "filename": ""},
            **{"fieldtype": "asset", "meta_data": {}},
        },
        "multilink": {
            **{"id": "", "url": "", "cached_url": ""},
            **{"linktype": "story", "fieldtype": "multilink"},
        },
        "richtext": {"type": "doc", "content": [{"type": "paragraph"}]},
    }
    [row] = table["tbody"]
    cells = [*table["thead"], *row["body"]]
    assert [each["value"] for each in cells] == [""] * 4
    assert len({each["_uid"] for each in (*cells, row)}) == 5
    assert after["unpublished_changes"] is True
    assert after["updated_at"] != before["updated_at"]
    assert desk.kinds == []


def test_a_second_save_writes_nothing(desk: Any) -> None:
    """Without an absent key there is nothing to send: the date stays."""
    content = {"component": "every_field", "_uid": str(uuid.uuid4())}
    story_id = desk.story("twice", content).json()["story"]["id"]
    save(desk, story_id)
    before = read(desk, story_id)
    answer = save(desk, story_id)
    assert answer == {"saved": [], "unchanged": [story_id], "refused": []}
    assert read(desk, story_id) == before


def test_all_stories_are_opened_when_none_is_named(desk: Any) -> None:
    """A body without an id opens every story, and no folder."""
    desk.folder("a-folder")
    content = {"component": "every_field", "_uid": str(uuid.uuid4())}
    story_id = desk.story("one-of-all", content).json()["story"]["id"]
    answer = desk.public.post("/_sandbox/open-and-save").json()
    assert story_id in answer["saved"]
    assert answer["refused"] == []
