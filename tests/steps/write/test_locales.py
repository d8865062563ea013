"""A locale that comes and one that goes at the origin after an import."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

from tests.support.rehearsal import Ended
from tests.support.steps.origin_edits import edit_items
from tests.support.steps.staged_project import Stage, StagedProject


def drop_french(project: StagedProject) -> None:
    """Let the origin have its primary locale alone."""
    path = project.folder / "raw" / "sites.json"
    listed = json.loads(path.read_text())
    (site,) = listed["sites"]
    gone = {each["cmsLocaleId"] for each in site["locales"]["secondary"]}
    site["locales"]["secondary"] = []
    path.write_text(json.dumps(listed))
    edit_items(project, lambda item: None if item["cmsLocaleId"] in gone else item)


def english_alone(project: StagedProject) -> Path:
    """Import a site without French; return what was pulled with it."""
    whole = project.folder.parent / "whole"
    shutil.copytree(project.folder / "raw", whole)
    shutil.rmtree(project.folder / "decisions")
    drop_french(project)
    decide(project)
    project.done("import")
    return whole


def decide(project: StagedProject) -> str:
    return project.done("decide", "--accept-proposals", "--reviewer", "Ann").out


def imported(project: StagedProject) -> tuple[Ended, Counter[str]]:
    """Import; return what it said and the writes it made, as many as planned."""
    planned, mark = project.plan()["calls"]["total"], project.mark()
    ended = project.done("import")
    asked = [each for each in project.since(mark) if each.quota]
    assert len(asked) == planned
    return ended, Counter(each.route for each in asked if each.method != "GET")


def test_a_locale_comes_and_goes(stage: Stage, small_site: Path) -> None:
    """It is asked about, then made beside the other; gone, its stories are kept."""
    project = stage(content=small_site)
    whole = english_alone(project)
    english = project.stories().keys()
    assert project.folders() == ["notes", "spots"]
    shutil.rmtree(project.folder / "raw")
    shutil.copytree(whole, project.folder / "raw")
    refused = project.run("import")
    assert refused.code == 3
    assert "decided about the locale French (France) (fr-FR)" in refused.err
    assert "added: locale `fr-FR`" in decide(project)
    _, writes = imported(project)
    # Three folders, a story for each of 18 items, and each filled with its links;
    # nothing of the other locale.
    assert writes == {"create story": 3 + 18, "update story": 18}
    french = project.stories().keys() - english
    assert len(french) == 18
    assert all(each.startswith("fr/") for each in french)
    project.verified()

    drop_french(project)
    changes = project.done("changes").out
    assert changes.count("is no longer part of what is imported") == 18
    ended, writes = imported(project)
    assert writes == {}
    assert "gone 18: kept 18, unpublished 0, deleted 0, undecided 0" in ended.out
    assert "The site no longer has the locale fr-FR" in ended.out
    assert (
        "fr/spots/spot-1: The site no longer has its language. Its story is kept."
        in (ended.out)
    )
    assert project.stories().keys() == english | french
    project.verified()
