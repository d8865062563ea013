"""What a conversion does with the garbage collector, and what it leaves behind."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from cmsmig.richtext.gc_pause import collector_paused
from cmsmig.richtext.html.dom import Element
from cmsmig.richtext.native import Mode, NativeEngine

BODY = "<p>x <b>y</b> <a href=z>z</a></p><ul><li>a<ul><li>b</li></ul></li></ul>" * 50


@pytest.fixture(autouse=True)
def _running() -> Iterator[None]:
    """Let the collector run before each test and after it."""
    gc.enable()
    yield
    gc.enable()


def _elements_made_by(mode: Mode) -> int:
    gc.collect()
    gc.disable()
    before = sum(isinstance(held, Element) for held in gc.get_objects())
    NativeEngine(mode).from_html(BODY)
    return sum(isinstance(held, Element) for held in gc.get_objects()) - before


def test_the_collector_runs_again_after_a_conversion() -> None:
    """Whoever converts has the collector running afterwards as before."""
    NativeEngine().from_html(BODY)
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    """Who has turned the collector off does not find it running afterwards."""
    gc.disable()
    NativeEngine().from_html(BODY)
    assert not gc.isenabled()


def test_pauses_may_be_nested_and_end_with_an_exception() -> None:
    """The outermost pause ends it, even when something is raised in it."""
    with collector_paused():
        with pytest.raises(ValueError, match="odd"), collector_paused():
            raise ValueError("odd")
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_exact_conversion_leaves_no_tree_behind() -> None:
    """The tree's memory is given back without the collector."""
    assert _elements_made_by(Mode.EXACT) == 0


def test_a_faithful_conversion_leaves_no_tree_behind() -> None:
    """Of 400 elements at most the links are left for the collector."""
    assert _elements_made_by(Mode.FAITHFUL) <= 50
