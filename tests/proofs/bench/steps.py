"""Rows of the steps of a site, from pull to verify, and their floors."""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from tests.proofs.bench.taken import Taken
from tests.proofs.budget.pace import COMMAND, sandbox
from tests.proofs.growth.growth import NO_QUOTA, STEPS, AtWork, Step, tell, written
from tests.proofs.growth.measured import measured
from tests.proofs.growth.site import ITEMS_TO_A_FILE, GrowingSite
from tests.support.sites.identity import file_id

IN_FLIGHT = 8
ORIGIN_IN_FLIGHT = 4
PAGE = 100
MADE = ("pull", "plan", "plan again", "import", "import again", "verify")
BESIDE = {
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
    site: GrowingSite, here: AtWork, wanted: Sequence[str]
) -> Iterator[tuple[str, Taken]]:
    """Yield one round of the steps up to the last one wanted, each with its floor."""
    last = max(map(list(STEPS).index, wanted), default=-1)
    for name, arguments in list(STEPS.items())[: last + 1]:
        tell(f"  {name}")
        step = here.step(*arguments)
        if name in wanted:
            floor = _floor(site, here, name, step)
            yield (
                name,
                Taken(
                    step.seconds,
                    step.cpu,
                    step.peak,
                    floor,
                    step.calls,
                    step.sandbox_cpu,
                ),
            )


def _floor(site: GrowingSite, here: AtWork, name: str, step: Step) -> float:
    if name == "pull":
        return _plain(here, _origin_reads(site, here), _origin_token(here))
    if name == "plan":
        return _conversions(site, here)
    if name == "import":
        return _writes(site, here, step.calls)
    base, token = _destination(here)
    if name == "verify":
        ids = [story["id"] for story in _page(here, "state")["stories"]]
        urls = [f"{base}/stories/{own}" for own in islice(cycle(ids), step.calls)]
    else:
        pages = (f"{base}/stories?page={n + 1}&per_page={PAGE}" for n in range(9**9))
        most = -(-site.items // PAGE)
        urls = list(islice(cycle(list(islice(pages, most))), step.calls))
    return _plain(here, [[_get(url) for url in urls]], token)


def _get(url: str) -> dict[str, object]:
    return {"method": "GET", "url": url}


def _origin_reads(site: GrowingSite, here: AtWork) -> list[list[dict[str, object]]]:
    origin = _settings(here)["CMSMIG_ORIGIN_API_URL"]
    names = [f"picture-{n}.jpg" for n in range(0, site.items, ITEMS_TO_A_FILE)]
    files = [_get(f"{origin}/files/{file_id(name)}_{name}") for name in names]
    content = json.loads((here.project / "raw" / "collections.json").read_text())
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


def _conversions(site: GrowingSite, here: AtWork) -> float:
    bodies = here.folder / "bodies"
    bodies.mkdir(exist_ok=True)
    for number in range(site.items):
        data = site.entry(number).data or {}
        (bodies / f"{number:06}.html").write_text(str(data["text"]), encoding="utf-8")
    command = [*COMMAND, "convert", "--batch", str(bodies), str(here.folder / "made")]
    return measured(command).seconds


def _writes(site: GrowingSite, here: AtWork, calls: int) -> float:
    """Write what the import wrote into a space of its own, as fast as httpx can.

    Told for as many calls as the import made.
    """
    state = _page(here, "state")
    folder = here.folder / "plain"
    folder.mkdir(exist_ok=True)
    with sandbox(written(site, here.folder.parent), folder, NO_QUOTA, 0) as served:
        given = _read_settings(folder / "sandbox.env")
        base = (
            f"{given['CMSMIG_DESTINATION_BASE_URL']}/spaces/{given['CMSMIG_SPACE_ID']}"
        )
        token = given["CMSMIG_DESTINATION_TOKEN"]
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


def _plain(here: AtWork, phases: list[list[dict[str, object]]], token: str) -> float:
    """Return the seconds of a process that makes these calls and nothing else."""
    asked = here.folder / "calls.json"
    at_once = ORIGIN_IN_FLIGHT if token.startswith("Bearer ") else IN_FLIGHT
    document = {
        "headers": {"Authorization": token},
        "in_flight": at_once,
        "phases": phases,
    }
    asked.write_text(json.dumps(document), encoding="utf-8")
    took = measured([sys.executable, "-m", "tests.proofs.bench.plain", str(asked)])
    if took.code:
        sys.exit(f"Plain httpx ended with {took.code}: {took.said[-600:]}")
    return took.seconds


def _page(here: AtWork, name: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{here.served.address}/_sandbox/{name}") as answer:
        return json.load(answer)


def _destination(here: AtWork) -> tuple[str, str]:
    given = _settings(here)
    base = f"{given['CMSMIG_DESTINATION_BASE_URL']}/spaces/{given['CMSMIG_SPACE_ID']}"
    return base, given["CMSMIG_DESTINATION_TOKEN"]


def _origin_token(here: AtWork) -> str:
    return f"Bearer {_settings(here)['CMSMIG_ORIGIN_TOKEN']}"


def _settings(here: AtWork) -> dict[str, str]:
    return _read_settings(here.project / ".env")


def _read_settings(path: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in path.read_text().splitlines() if line)
