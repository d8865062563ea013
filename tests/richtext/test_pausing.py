"""What a conversion does with the garbage collector, and what it leaves behind."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from cmsmig.richtext.html.dom import Element
from cmsmig.richtext.native import NativeEngine, collector_paused

BODY = "<p>x <b>y</b> <a href=z>z</a></p><ul><li>a<ul><li>b</li></ul></li></ul>" * 50


@pytest.fixture(autouse=True)
def _running() -> Iterator[None]:
    """Let the collector run before each test and after it."""
    gc.enable()
    yield
    gc.enable()


@pytest.mark.parametrize("running", [True, False])
def test_the_collector_is_afterwards_as_before_a_conversion(running: bool) -> None:
    """It runs again, and where a caller has turned it off it stays off."""
    if not running:
        gc.disable()
    NativeEngine().from_html(BODY)
    assert gc.isenabled() is running


def test_pauses_may_be_nested_and_end_with_an_exception() -> None:
    """The outermost pause ends it, even when something is raised in it."""
    with collector_paused():
        with pytest.raises(ValueError, match="odd"), collector_paused():
            raise ValueError("odd")
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_conversion_leaves_no_tree_behind() -> None:
    """The tree's memory is released without the collector: of 400 elements at most
    the links are left for it."""
    gc.collect()
    gc.disable()
    before = sum(isinstance(held, Element) for held in gc.get_objects())
    NativeEngine().from_html(BODY)
    left = sum(isinstance(held, Element) for held in gc.get_objects()) - before
    assert left <= 50
