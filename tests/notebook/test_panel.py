"""Panels and controls: what reaches a front end, and what it sends back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from markupsafe import Markup

from cmsmig.errors import UndecidedError
from cmsmig.notebook.kit import widgets
from cmsmig.notebook.kit.workspace import Workspace
from cmsmig.settings import Project
from cmsmig.ui.html.safe_html import untypeset
from tests.support.notebook.front_end import FrontEnd, front_end, settle

VIEW = "application/vnd.jupyter.widget-view+json"


def workspace(*, interactive: bool) -> Workspace:
    """Return a workspace whose folder does not matter."""
    return Workspace(Project(Path("x")), dry_run=False, interactive=interactive)


def test_unattended_a_panel_is_html_and_no_widget_is_made() -> None:
    """The static form alone is shown; not one comm message is sent."""
    with front_end() as page:
        panel = workspace(interactive=False).panel(
            Markup("<p>all</p>"), lambda: widgets.Html(Markup("never")), text="in short"
        )
        bundle = panel._repr_mimebundle_()
    html = str(untypeset(Markup("<p>all</p>")))
    assert bundle == {"text/html": html, "text/plain": "in short"}
    assert page.channels == []


def test_by_hand_a_panel_is_its_widget_and_the_static_form_is_not_made() -> None:
    """The widget's view is shown, and the other form is never computed."""

    def static() -> Markup:
        raise AssertionError("not wanted")

    with front_end() as page:
        panel = workspace(interactive=True).panel(
            static, lambda: widgets.Html(Markup("<b>x</b>"))
        )
        assert VIEW in panel._repr_mimebundle_()
    assert page.html() == untypeset(Markup("<b>x</b>"))


@pytest.fixture
def page() -> object:
    """Be the front end during a test."""
    with front_end() as made:
        yield made


async def test_a_click_on_another_thread_runs_in_the_loop_of_the_cell(
    page: FrontEnd,
) -> None:
    """The callback only enqueues: the action finds its loop running."""
    loops: list[object] = []
    widgets.Board().button(
        "pull", "Go", lambda: loops.append(asyncio.get_running_loop())
    )
    await page.click("pull")
    assert loops == [asyncio.get_running_loop()]


async def test_a_button_rests_while_its_action_runs(page: FrontEnd) -> None:
    """It is disabled until the action ends, however long that takes."""
    go_on = asyncio.Event()

    async def act() -> None:
        await go_on.wait()

    widgets.Board().button("pull", "Go", act)
    await page.click("pull")
    [button] = page.controls("pull")
    assert button.state["disabled"] is True
    go_on.set()
    await settle()
    assert button.state["disabled"] is False


async def test_an_error_of_ours_shows_as_its_sentence(page: FrontEnd) -> None:
    """The sentence stands below the controls, escaped, and the button rests not."""

    def act() -> None:
        raise UndecidedError("Nothing is decided about <b>Posts</b> yet.")

    widgets.Board().button("pull", "Go", act)
    await page.click("pull")
    assert "Nothing is decided about &lt;b&gt;Posts&lt;/b&gt; yet." in page.html()
    assert page.controls("pull")[0].state["disabled"] is False


async def test_any_other_error_shows_too(page: FrontEnd) -> None:
    """A fault of the program is named in a sentence instead of vanishing."""

    def act() -> None:
        raise KeyError("x")

    widgets.Board().button("pull", "Go", act)
    await page.click("pull")
    assert "KeyError" in page.html()


async def test_many_changes_at_once_are_one_piece_of_work(page: FrontEnd) -> None:
    """What waits in the queue already is not queued again."""
    seen: list[str] = []
    board = widgets.Board()
    field = board.text(
        "collections-filter", "Filter", changed=lambda: seen.append(field.value)
    )
    [control] = page.controls("collections-filter")
    for text in ("a", "ab", "abc"):
        control.tell({"method": "update", "state": {"value": text}, "buffer_paths": []})
    await settle()
    assert seen == ["abc"]


async def test_a_message_is_replaced_by_the_next_and_taken_away(page: FrontEnd) -> None:
    """One message at a time; an empty one leaves nothing."""
    board = widgets.Board()
    board.say("first")
    board.say("second", "good")
    assert "second" in page.html()
    assert "first" not in page.html()
    board.say("")
    assert page.html() == ""
