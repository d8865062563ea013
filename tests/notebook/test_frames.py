"""Tables over the pulled site and the ledger's views."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.errors import LedgerError
from cmsmig.steps.decide.pulled_origin import Origin, read_origin
from cmsmig.survey.data_frames import (
    View,
    collections_frame,
    frame_html,
    frame_of,
    schema_frame,
    states_frame,
    view_frame,
)
from tests.support.notebook.pulled_site import pulled_workspace


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    """Return the small site as it was pulled."""
    return read_origin(pulled_workspace(tmp_path / "p").project, None)


def test_collections_have_their_counts(origin: Origin) -> None:
    """Each collection is a row with the sizes of both sets."""
    frame = collections_frame(origin)
    assert list(frame["collection"]) == ["Posts", "People"]
    posts = dict(frame.iloc[0])
    assert (posts["staged"], posts["live"], posts["items"]) == (5, 4, 5)


def test_states_hold_every_item_once(origin: Origin) -> None:
    """The states of a collection add up to its items, and only those that occur
    are columns."""
    frame = states_frame(origin)
    assert list(frame.columns) == ["collection", "published", "draft"]
    assert list(frame.drop(columns="collection").sum(axis=1)) == [5, 1]


def test_schemas_come_in_full(origin: Origin) -> None:
    """Fields of one collection are a row each."""
    schema = schema_frame(origin.collections[0])
    assert list(schema["slug"]) == ["name", "slug", "body", "tone", "author"]
    assert schema["options"][3] == "Report, Essay"


def test_long_hostile_texts_are_escaped_whole() -> None:
    """No cell can add markup, and none is cut short."""
    html = frame_html(frame_of([{"a": "<b>Lossy</b>"}], ("a",)))
    assert "<b>Lossy" not in html
    assert "&lt;b&gt;Lossy&lt;/b&gt;" in html
    text = "x" * 500
    assert text in frame_html(frame_of([{"a": text}], ("a",)))


@given(st.lists(st.text(alphabet="<>&\"'ab ", max_size=20), max_size=5))
def test_tables_hold_no_markup_of_their_values(values: list[str]) -> None:
    """Whatever cells hold, a table has the tags of a table only."""
    html = frame_html(frame_of([{"a": value} for value in values], ("a",)))
    assert html.count("<td>") == len(values)
    assert html.count("<") == html.count("</") * 2


def test_long_tables_say_what_is_left() -> None:
    """A table that is cut says how many rows follow."""
    frame = frame_of([{"n": number} for number in range(5)], ("n",))
    assert "… and 3 more rows" in frame_html(frame, rows=2)
    assert "more" not in frame_html(frame, rows=5)


def test_no_ledger_is_said(tmp_path: Path) -> None:
    """A view without a ledger names the missing file and makes none."""
    with pytest.raises(LedgerError, match="no ledger at"):
        view_frame(tmp_path / "ledger.sqlite", View.ITEMS)
    assert not (tmp_path / "ledger.sqlite").exists()


def test_views_of_a_ledger_are_frames(rehearse) -> None:
    """Every documented view can be read after an import, and adds up."""
    rehearsal = rehearse().decided()
    rehearsal.done("import")
    frames = {
        each: view_frame(rehearsal.folder / "ledger.sqlite", each) for each in View
    }
    accounting = dict(frames[View.ACCOUNTING].iloc[0])
    parts = ("created", "reused", "skipped", "failed", "open")
    assert accounting["items"] == sum(accounting[each] for each in parts)
    assert len(frames[View.ITEMS]) == accounting["items"]
    assert frames[View.REASONS]["items"].sum() == accounting["items"]
    assert set(frames[View.LOSSES_BY_KIND].columns) >= {"kind", "severity", "losses"}
