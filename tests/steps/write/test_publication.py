"""Publication: targets go first, and no request publishes a folder."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cmsmig.item_key import ItemKey
from cmsmig.sandbox.http.asgi import Call, Next, Reply
from cmsmig.steps.write.publish_stories import publication_waves
from tests.support.steps.staged_project import Stage

KEYS = tuple(ItemKey("c", str(number), "") for number in range(8))
GRAPHS = st.dictionaries(
    st.sampled_from(KEYS), st.lists(st.sampled_from(KEYS), max_size=4), max_size=8
)


@given(st.lists(st.sampled_from(KEYS), unique=True), GRAPHS)
def test_each_story_goes_once_whatever_refers_to_what(
    keys: list[ItemKey], targets: dict[ItemKey, list[ItemKey]]
) -> None:
    """Circles, references to itself and to what is not published included."""
    waves = [*publication_waves(keys, targets)]
    assert all(waves)
    assert sorted(key for wave in waves for key in wave) == sorted(keys)


@given(st.lists(st.sampled_from(KEYS), unique=True), GRAPHS)
def test_without_circles_every_target_goes_before(
    keys: list[ItemKey], targets: dict[ItemKey, list[ItemKey]]
) -> None:
    """Never in the same wave, which is published at once."""
    onward = {
        key: [each for each in found if each > key] for key, found in targets.items()
    }
    at = {
        key: number
        for number, wave in enumerate(publication_waves(keys, onward))
        for key in wave
    }
    for key, found in onward.items():
        for target in found:
            if key in at and target in at:
                assert at[target] < at[key]


def test_a_circle_is_one_wave_and_what_refers_to_it_goes_after() -> None:
    """However large it is: no story of it waits for the others one by one."""
    circle = [ItemKey("c", f"{number:05}", "") for number in range(2_000)]
    before, after = ItemKey("c", "before", ""), ItemKey("c", "after", "")
    targets = {each: [circle[number - 1], before] for number, each in enumerate(circle)}
    targets[after] = [circle[7]]
    waves = [*publication_waves([after, *circle, before], targets)]
    assert waves == [(before,), tuple(circle), (after,)]


def test_no_request_ever_publishes_or_unpublishes_a_folder(
    stage: Stage, small_site: Path
) -> None:
    """Nor does a rollback need one."""
    asked: list[Call] = []

    async def watch(call: Call, answer: Next) -> Reply:
        if "/stories/" in call.path:
            asked.append(call)
        return await answer(call)

    project = stage(watch, content=small_site)
    project.decide("collections.yaml", "publish: nothing", "publish: what_is_live")
    project.done("import")
    project.decide("collections.yaml", "publish: what_is_live", "publish: nothing")
    project.decide("design.yaml", "folder_name: Notes", "folder_name: Our notes")
    project.done("import")
    folders = {
        str(own) for own, story in project.space.stories.items() if story.is_folder
    }
    assert len(folders) == 5
    project.done("rollback")
    of_folders = [
        each
        for each in asked
        if each.path.partition("/stories/")[2].partition("/")[0] in folders
    ]
    # One that is renamed is read right before.
    assert {each.method for each in of_folders} == {"GET", "PUT", "DELETE"}
    for each in of_folders:
        assert not each.path.endswith("publish")
        assert each.parameter("publish") is None
        assert each.method != "PUT" or "publish" not in each.document()
