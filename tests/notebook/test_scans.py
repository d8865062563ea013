"""Bodies are scanned once: a notebook that opens again converts only what changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cmsmig.notebook.inspect.explorer import site_scan
from cmsmig.notebook.preview.previews import (
    Previews,
    open_previews,
    scanned_previews,
)
from cmsmig.review import body_index
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.policy import Treatment
from cmsmig.ui.query import Query
from tests.support.notebook.pulled_site import pulled_workspace
from tests.support.notebook.session import Session, decide_all


@pytest.fixture
def converted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Yield the bodies that were converted so far."""
    seen: list[str] = []
    convert = NativeEngine.from_html

    def noted(engine: NativeEngine, html: str, *more: object) -> object:
        seen.append(html)
        return convert(engine, html, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(NativeEngine, "from_html", noted)
    return seen


async def scanned(folder: Path) -> Previews:
    """Return the bodies of a decided site, scanned once."""
    await decide_all(pulled_workspace(folder))
    return scanned_previews(pulled_workspace(folder))


def listed(previews: Previews) -> list[object]:
    """Return all that notebook 03 lists."""
    embeds = previews.body_index.embeds()
    return [
        *previews.scanner.rows.csv(Query(), ()),
        *previews.losses.findings(),
        embeds,
    ]


async def test_a_second_opening_converts_nothing_and_lists_the_same(
    tmp_path: Path, converted: list[str]
) -> None:
    """In a new kernel: states, structures, losses, embeds and what is searched."""
    before = await scanned(tmp_path)
    converted.clear()
    after = scanned_previews(pulled_workspace(tmp_path))
    assert converted == []
    assert listed(after) == listed(before)
    assert after.scanner.tally() == before.scanner.tally()
    for query in (Query("link with a bad"), Query().having("structure", "video")):
        found = [each.scanner.rows.passing(query) for each in (before, after)]
        assert found[0] == found[1] != []


async def test_a_body_that_changed_is_scanned_again_alone(
    tmp_path: Path, converted: list[str]
) -> None:
    """The others are as they were kept."""
    await scanned(tmp_path)
    Session(tmp_path).edit("raw/*/*.json", "Nothing is lost", "Nothing at all is lost")
    converted.clear()
    scanned_previews(pulled_workspace(tmp_path))
    assert {"at all" in each for each in converted} == {True}


async def test_a_choice_about_embeds_scans_what_it_is_about(
    tmp_path: Path, converted: list[str]
) -> None:
    """A kind, at once and in the next kernel; one that no body holds scans none."""
    previews = await scanned(tmp_path)
    converted.clear()
    previews.treat_kind("video", Treatment.DROP)
    previews.treat_kind("figure", Treatment.PICTURE)
    previews.scanner.finish()
    assert {"video.example" in each for each in converted} == {True}
    converted.clear()
    losses = [*scanned_previews(pulled_workspace(tmp_path)).losses.findings()]
    assert converted == []
    assert "Video left out" in {each.kind for each in losses}


async def test_other_code_scans_everything_again(
    tmp_path: Path, converted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The converter's code is part of what a scan is made of."""
    await scanned(tmp_path)
    converted.clear()
    monkeypatch.setattr(body_index, "code_digest", lambda *rooms: "other code")
    previews = scanned_previews(pulled_workspace(tmp_path))
    assert len({*converted}) >= len(previews.body_index.bodies)


async def test_the_scan_of_notebook_01_is_made_once(
    tmp_path: Path, converted: list[str]
) -> None:
    """The browser, the census and the list of obstacles share it, and keep it."""
    workspace = pulled_workspace(tmp_path)
    assert site_scan(workspace) is site_scan(workspace)
    site_scan(workspace).finish()
    assert converted != []
    converted.clear()
    site_scan(pulled_workspace(tmp_path)).finish()
    assert converted == []


async def test_a_body_that_could_not_be_converted_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What went wrong may not go wrong again."""

    def fail(*_: object) -> object:
        raise AssertionError("out of memory")

    await decide_all(pulled_workspace(tmp_path))
    with monkeypatch.context() as broken:
        broken.setattr(NativeEngine, "from_html", fail)
        found = [*scanned_previews(pulled_workspace(tmp_path)).losses.findings()]
    assert {each.kind for each in found} == {"Unconverted"}
    previews = open_previews(pulled_workspace(tmp_path))
    previews.scanner.finish()
    assert "Unconverted" not in {each.kind for each in previews.losses.findings()}
