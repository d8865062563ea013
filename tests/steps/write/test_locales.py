"""A locale that comes and one that goes at the origin after an import."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

from tests.support.rehearsal import Ended
from tests.support.steps.desk import Desk, Stage
from tests.support.steps.origin_edits import edit_items


def drop_french(desk: Desk) -> None:
    """Let the origin have its primary locale alone."""
    path = desk.folder / "raw" / "sites.json"
    listed = json.loads(path.read_text())
    (site,) = listed["sites"]
    gone = {each["cmsLocaleId"] for each in site["locales"]["secondary"]}
    site["locales"]["secondary"] = []
    path.write_text(json.dumps(listed))
    edit_items(desk, lambda item: None if item["cmsLocaleId"] in gone else item)


def english_alone(desk: Desk) -> Path:
    """Import a site without French; return what was pulled with it."""
    whole = desk.folder.parent / "whole"
    shutil.copytree(desk.folder / "raw", whole)
    shutil.rmtree(desk.folder / "decisions")
    drop_french(desk)
    decide(desk)
    desk.done("import")
    return whole


def decide(desk: Desk) -> str:
    return desk.done("decide", "--accept-proposals", "--reviewer", "Ann").out


def imported(desk: Desk) -> tuple[Ended, Counter[str]]:
    """Import; return what it said and the writes it made, as many as planned."""
    planned, mark = desk.plan()["calls"]["total"], desk.mark()
    ended = desk.done("import")
    asked = [each for each in desk.since(mark) if each.quota]
    assert len(asked) == planned
    return ended, Counter(each.route for each in asked if each.method != "GET")


def test_a_locale_comes_and_goes(stage: Stage, small_site: Path) -> None:
    """It is asked about, then made beside the other; gone, its stories are kept."""
    desk = stage(content=small_site)
    whole = english_alone(desk)
    english = desk.stories().keys()
    assert desk.folders() == ["notes", "spots"]
    shutil.rmtree(desk.folder / "raw")
    shutil.copytree(whole, desk.folder / "raw")
    refused = desk.run("import")
    assert refused.code == 3
    assert "decided about the locale French (France) (fr-FR)" in refused.err
    assert "added: locale `fr-FR`" in decide(desk)
    _, writes = imported(desk)
    # Three folders, a story for each of 18 items, and each filled with its links;
    # nothing of the other locale.
    assert writes == {"create story": 3 + 18, "update story": 18}
    french = desk.stories().keys() - english
    assert len(french) == 18
    assert all(each.startswith("fr/") for each in french)
    desk.verified()

    drop_french(desk)
    changes = desk.done("changes").out
    assert changes.count("is no longer part of what is imported") == 18
    ended, writes = imported(desk)
    assert writes == {}
    assert "gone 18: kept 18, unpublished 0, deleted 0, undecided 0" in ended.out
    assert "The site no longer has the locale fr-FR" in ended.out
    assert (
        "fr/spots/spot-1: The site no longer has its language. Its story is kept."
        in (ended.out)
    )
    assert desk.stories().keys() == english | french
    desk.verified()
