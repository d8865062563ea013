"""Panels and controls: what reaches a front end, and what it sends back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from markupsafe import Markup

from cmsmig.errors import UndecidedError
from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.settings import Project
from cmsmig.ui.html.safe_html import untypeset
from cmsmig.ui.view import View, action
from tests.support.notebook.front_end import FrontEnd, front_end, settle

WIDGET = "application/vnd.jupyter.widget-view+json"


class Pressed(View):
    """A button, and what happens when it is pressed."""

    label = "A panel"

    def __init__(self, act: Callable[[], Awaitable[None] | None]) -> None:
        super().__init__()
        self._act = act

    @action("pull", "Go")
    def pull(self, _: str) -> Awaitable[None] | None:
        return self._act()

    def html(self, *, live: bool) -> Markup:
        return self.panel(a=self.act("pull")) if live else Markup("<p>all</p>")


def workspace(*, interactive: bool) -> Workspace:
    """Return a workspace whose folder does not matter."""
    return Workspace(Project(Path("x")), dry_run=False, interactive=interactive)


def nothing() -> None:
    """Do nothing."""


@pytest.fixture
def page() -> object:
    """Be the front end during a test."""
    with front_end() as made:
        yield made


def test_unattended_a_panel_is_html_and_no_widget_is_made(page: FrontEnd) -> None:
    """The static form alone is shown; not one comm message is sent."""
    panel = workspace(interactive=False).shows(Pressed(nothing), text="in short")
    html = str(untypeset(Markup("<p>all</p>")))
    assert panel._repr_mimebundle_() == {"text/html": html, "text/plain": "in short"}
    assert page.channels == []


async def test_by_hand_a_panel_is_its_widget_beside_its_static_form(
    page: FrontEnd,
) -> None:
    """Who opens the notebook without a kernel reads what was there, and when."""
    panel = workspace(interactive=True).shows(Pressed(nothing), text="in short")
    shown, _ = panel._repr_mimebundle_()
    assert WIDGET in shown
    assert "Go" in page.html()
    assert "<p>all</p>" in shown["text/html"]
    assert "As it was saved." in shown["text/html"]
    assert shown["text/plain"] == "in short"


async def test_by_hand_no_cell_waits_for_what_takes_long_to_find(
    page: FrontEnd,
) -> None:
    """A sentence is in its place; the panel finds it while it is used."""

    def static() -> Markup:
        raise AssertionError("not wanted")

    made = Pressed(nothing)
    shown_by_hand = workspace(interactive=True)
    panel = shown_by_hand.panel(static, lambda: made, text="Items", size=10**7)
    shown, _ = panel._repr_mimebundle_()
    assert WIDGET in shown
    assert "Items: not kept here" in shown["text/html"]


async def test_by_hand_an_error_of_the_static_form_is_its_sentence(
    page: FrontEnd,
) -> None:
    """The controls are there all the same: with them it can be mended."""

    def static() -> Markup:
        raise UndecidedError("Nothing is decided.")

    panel = workspace(interactive=True).panel(static, lambda: Pressed(nothing))
    shown, _ = panel._repr_mimebundle_()
    assert WIDGET in shown
    assert "Nothing is decided." in shown["text/html"]


async def test_a_click_on_another_thread_runs_in_the_loop_of_the_cell(
    page: FrontEnd,
) -> None:
    """The callback only enqueues: the action finds its loop running."""
    loops: list[object] = []
    Pressed(lambda: loops.append(asyncio.get_running_loop())).element()
    await page.click("pull")
    assert loops == [asyncio.get_running_loop()]


async def test_an_action_that_still_runs_is_not_started_again(page: FrontEnd) -> None:
    """However long it takes; afterwards it can be started again."""
    go_on, begun = asyncio.Event(), []

    async def act() -> None:
        begun.append(1)
        await go_on.wait()

    Pressed(act).element()
    await page.click("pull")
    await page.click("pull")
    assert len(begun) == 1
    go_on.set()
    await settle()
    await page.click("pull")
    assert len(begun) == 2


async def test_an_error_of_ours_shows_as_its_sentence(page: FrontEnd) -> None:
    """The sentence is escaped, and the button can be pressed again."""

    def act() -> None:
        raise UndecidedError("Nothing is decided about <b>Posts</b> yet.")

    Pressed(act).element()
    for _ in range(2):
        await page.click("pull")
        assert "Nothing is decided about &lt;b&gt;Posts&lt;/b&gt; yet." in page.html()


async def test_any_other_error_shows_too(page: FrontEnd) -> None:
    """A fault of the program is named in a sentence instead of vanishing."""

    def act() -> None:
        raise KeyError("x")

    Pressed(act).element()
    await page.click("pull")
    assert "KeyError" in page.html()


async def test_a_message_is_replaced_by_the_next_and_taken_away(page: FrontEnd) -> None:
    """One message at a time; an empty one leaves nothing."""
    view = Pressed(nothing)
    view.element()
    empty = page.html()
    view.say("first")
    view.say("second", "good")
    assert "second" in page.html()
    assert "first" not in page.html()
    view.say("")
    assert page.html() == empty
