"""Notebook 03: the cross-check as a panel, with a Node of the tests' own."""

from __future__ import annotations

from pathlib import Path

import pytest

from cmsmig.notebook.crosschecking import compared, cross_checked, site_body
from cmsmig.notebook.preview.previews import Previews, open_previews
from cmsmig.richtext.deviations import Deviation
from cmsmig.steps.decide.cross_check import CheckedBody, CrossCheck, Verdict
from tests.support.notebook.pulled_site import pulled_workspace
from tests.support.notebook.session import decide_all
from tests.support.official.fakenode import FakeConverter


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeConverter:
    """Return a Node that is the first on the PATH."""
    made = FakeConverter(tmp_path / "bin")
    for name in ("PATH", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, made.environ[name])
    return made


async def previews(folder: Path, *, interactive: bool = False) -> Previews:
    """Return the bodies of the pulled site, all proposals accepted."""
    workspace = pulled_workspace(folder, interactive=interactive)
    await decide_all(workspace)
    return open_previews(workspace)


async def test_unattended_it_runs_only_when_asked_to(tmp_path: Path) -> None:
    """Else one sentence says that nothing was compared; Node is not looked for."""
    panel = await cross_checked(await previews(tmp_path / "p"))
    assert "were not compared" in panel.html()
    assert "text/html" in panel._repr_mimebundle_()


async def test_unattended_it_shows_tables(tmp_path: Path, node: FakeConverter) -> None:
    """Counts, each deviation with what the official does, and no control."""
    body_index = await previews(tmp_path / "p")
    panel = await cross_checked(body_index, run=True)
    html = panel.html()
    assert "4 bodies: 2 equal, 2 different, 0 unexplained, 0 official failed" in html
    assert "<code>video</code>" in html
    assert "left out without a trace" in html
    assert "bare conversions" in html
    assert panel.widget is None
    assert len(node.processes()) == 1


async def test_without_node_one_sentence_and_the_run_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unattended as by hand nothing is raised."""
    monkeypatch.setenv("PATH", str(tmp_path))
    panel = await cross_checked(await previews(tmp_path / "p"), run=True)
    assert "needs Node, which is not on the PATH" in panel.html()


async def test_bodies_are_taken_as_the_origin_holds_them(tmp_path: Path) -> None:
    """The raw text, and a name that no other body has."""
    body_index = (await previews(tmp_path / "p")).body_index
    taken = [site_body(each) for each in body_index.bodies]
    assert [each.text for each in taken] == [each.text for each in body_index.bodies]
    assert len({each.key for each in taken}) == len(taken)
    assert {each.key for each in taken} >= {"posts/plain/body", "posts/video/body"}


def test_documents_are_shown_side_by_side_and_escaped() -> None:
    """With what was noted; nothing of a body becomes markup."""
    documents = ('{"text":"<b onclick=x>"}', '{"text":"<i>"}')
    found = CrossCheck(
        4,
        (
            CheckedBody("a", "<b>A</b>", Verdict.UNEXPLAINED, (), *documents),
            CheckedBody("b", "B", Verdict.OFFICIAL_FAILED, why="it <hung>"),
            CheckedBody("c", "C", Verdict.DIFFERENT, (Deviation.SPACER,), *documents),
        ),
    )
    html = compared(found)
    assert (
        "3 of 4 bodies: 0 equal, 1 different, 1 unexplained, 1 official failed" in html
    )
    assert "Unexplained (1 body)" in html
    assert "<code>spacer</code>" in html
    assert html.count("&lt;b onclick=x&gt;") == html.count("&lt;i&gt;") == 2
    assert "it &lt;hung&gt;" in html
    assert "<b" not in html
