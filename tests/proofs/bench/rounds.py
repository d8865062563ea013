"""Rounds of a bench: the steps of a migration, starts of commands, notebooks."""

from __future__ import annotations

import json
import math
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from tests.proofs.growth.growth import STEPS, Figures, written
from tests.proofs.growth.site import ITEMS_TO_A_FILE, GrowingSite
from tests.proofs.measuring.processes import (
    COMMAND,
    NO_QUOTA,
    Measured,
    Project,
    Served,
    measured,
    sandbox,
)
from tests.proofs.measuring.results import tell
from tests.support.sites.identity import file_id

IN_FLIGHT = 8
ORIGIN_IN_FLIGHT = 4
PAGE = 100
MADE = ("pull", "plan", "plan again", "import", "import again", "verify")
RIVALS = {
    "pull": "plain httpx, the same pages and files",
    "plan": "convert --batch of the same bodies",
    "plan again": "plain httpx, as many list pages",
    "import": "plain httpx, as many calls",
    "import again": "plain httpx, as many list pages",
    "verify": "plain httpx, as many stories read",
}
_COMPONENT = ("name", "display_name", "schema", "is_root", "is_nestable")
_STORY = ("name", "content", "is_folder")


def steps(
    site: GrowingSite, here: Project, wanted: Sequence[str]
) -> Iterator[tuple[str, Figures]]:
    """Yield one round of the steps up to the last one wanted, each with its floor."""
    last = max(map(list(STEPS).index, wanted), default=-1)
    for name, arguments in list(STEPS.items())[: last + 1]:
        tell(f"  {name}")
        took = here.run(*arguments)
        if name in wanted:
            floor = _floor(site, here, name, took.calls)
            yield name, {**took.figures(), "floor": floor}


def _floor(site: GrowingSite, here: Project, name: str, calls: int) -> float:
    known = here.served.announced
    if name == "pull":
        reads = _origin_reads(site, here)
        return _plain(here, reads, f"Bearer {known['origin_token']}")
    if name == "plan":
        return _conversions(site, here)
    if name == "import":
        return _writes(site, here, calls)
    base = _space_of(here.served)
    if name == "verify":
        ids = [story["id"] for story in here.served.page("state")["stories"]]
        urls = [f"{base}/stories/{own}" for own in islice(cycle(ids), calls)]
    else:
        pages = range(math.ceil(site.items / PAGE))
        lists = [f"{base}/stories?page={each + 1}&per_page={PAGE}" for each in pages]
        urls = list(islice(cycle(lists), calls))
    return _plain(here, [[_get(url) for url in urls]], known["destination_token"])


def _space_of(served: Served) -> str:
    return f"{served.announced['base_url']}/spaces/{served.announced['space_id']}"


def _get(url: str) -> dict[str, object]:
    return {"method": "GET", "url": url}


def _origin_reads(site: GrowingSite, here: Project) -> list[list[dict[str, object]]]:
    origin = here.served.announced["origin_api_url"]
    names = [f"picture-{n}.jpg" for n in range(0, site.items, ITEMS_TO_A_FILE)]
    files = [_get(f"{origin}/files/{file_id(name)}_{name}") for name in names]
    content = json.loads((here.folder / "raw" / "collections.json").read_text())
    each = site.items // site.collections
    pages = [
        _get(
            f"{origin}/v2/collections/{one['id']}/items{live}?limit={PAGE}&offset={at}"
        )
        for one in content["collections"]
        for live in ("", "/live")
        for at in range(0, each, PAGE)
    ]
    return [pages, files]


def _conversions(site: GrowingSite, here: Project) -> float:
    bodies = here.work / "bodies"
    bodies.mkdir(exist_ok=True)
    for number in range(site.items):
        data = site.entry(number).data or {}
        (bodies / f"{number:06}.html").write_text(str(data["text"]), encoding="utf-8")
    command = [*COMMAND, "convert", "--batch", str(bodies), str(here.work / "made")]
    return measured(command).seconds


def _writes(site: GrowingSite, here: Project, calls: int) -> float:
    """Write what the import wrote into a space of its own, as fast as httpx can.

    The time is for as many calls as the import made.
    """
    state, content = here.served.page("state"), written(site, here.work.parent)
    with sandbox(content, rate=NO_QUOTA) as served:
        base, token = _space_of(served), served.announced["destination_token"]
        made = [
            {
                "method": "POST",
                "url": f"{base}/components",
                "body": {"component": {key: one[key] for key in _COMPONENT}},
            }
            for one in state["components"]
        ]
        _plain(here, [made], token)
        before = served.summary()["quota"]
        seconds = _plain(here, _phases(state, base), token)
        return seconds * calls / (served.summary()["quota"] - before)


def _phases(state: dict[str, Any], base: str) -> list[list[dict[str, object]]]:
    uploads: list[dict[str, object]] = [
        {
            "method": "POST",
            "url": f"{base}/assets",
            "body": {"filename": f"picture-{number}.jpg", "size": "320x240"},
            "file": 6_000,
        }
        for number, _ in enumerate(state["assets"])
    ]
    creations, updates = [], []
    for number, story in enumerate(state["stories"]):
        record = {key: story[key] for key in _STORY}
        record["slug"] = f"{number}-{story['slug']}"
        kept = f"story{number}"
        creations.append(
            {
                "method": "POST",
                "url": f"{base}/stories",
                "body": {"story": record},
                "keep": kept,
            }
        )
        if not story["is_folder"]:
            body = {"story": record, "publish": 1}
            url = f"{base}/stories/@{kept}@"
            updates.append({"method": "PUT", "url": url, "body": body})
    return [uploads, creations, updates]


def _plain(here: Project, phases: list[list[dict[str, object]]], token: str) -> float:
    """Return the seconds of a process that makes these calls and nothing else."""
    asked = here.work / "calls.json"
    at_once = ORIGIN_IN_FLIGHT if token.startswith("Bearer ") else IN_FLIGHT
    document = {
        "headers": {"Authorization": token},
        "in_flight": at_once,
        "phases": phases,
    }
    asked.write_text(json.dumps(document), encoding="utf-8")
    plain = [sys.executable, "-m", "tests.proofs.bench.plain", str(asked)]
    return measured(plain).seconds


BARE = [sys.executable, "-c", "pass"]
STARTS = {
    "cmsmig --help": [sys.executable, "-m", "cmsmig.cli", "--help"],
    "import cmsmig": [sys.executable, "-c", "import cmsmig"],
}
RIVAL_OF_STARTS = "bare Python"
_TIMES = 7
"""How often what is over in a moment is started in each round."""
OPENED = {"notebook 01": "01", "notebook 03": "03"}
OVERHEAD = "headless notebook, empty"
RIVAL_OF_NOTEBOOKS = "papermill, empty notebook"
_EXECUTE = """
import sys
from pathlib import Path
from cmsmig.run.engine import execute
execute(Path(sys.argv[1]), Path(sys.argv[2]), {}, lambda process: None)
"""
_EMPTY = {
    "cells": [
        {
            "cell_type": "code",
            "execution_count": None,
            "id": "nothing",
            "metadata": {},
            "outputs": [],
            "source": "",
        }
    ],
    "metadata": {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        }
    },
    "nbformat": 4,
    "nbformat_minor": 5,
}


def starts(names: Sequence[str]) -> Iterator[tuple[str, Figures]]:
    """Yield one round of starts, each with a bare start."""
    bare = _middle([measured(BARE) for _ in range(_TIMES)])
    for name in names:
        took = _middle([measured(STARTS[name]) for _ in range(_TIMES)])
        yield name, {**took.figures(), "floor": bare.seconds}


def notebooks(here: Project, names: Sequence[str]) -> Iterator[tuple[str, Figures]]:
    """Yield one round of notebooks without a browser, each with papermill alone."""
    with tempfile.TemporaryDirectory(prefix="cmsmig-bench-") as folder:
        empty, output = Path(folder) / "empty.ipynb", Path(folder) / "output.ipynb"
        empty.write_text(json.dumps(_EMPTY))
        papermill = [sys.executable, "-m", "papermill", "--no-progress-bar"]
        bare = measured([*papermill, str(empty), str(output)])
        if OVERHEAD in names:
            ours = [sys.executable, "-c", _EXECUTE, str(empty), str(output)]
            yield OVERHEAD, {**measured(ours).figures(), "floor": bare.seconds}
        for name in names:
            if name in OPENED:
                reports = ["--reports", f"{folder}/reports", "--run-id", OPENED[name]]
                took = here.run("run", "--only", OPENED[name], *reports)
                yield name, {**took.figures(), "floor": bare.seconds}


def _middle(runs: list[Measured]) -> Measured:
    middle = statistics.median_low(run.seconds for run in runs)
    return next(run for run in runs if run.seconds == middle)
