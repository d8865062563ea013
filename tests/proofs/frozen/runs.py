"""The runs of `runs.yaml`, each on a site of its own."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from cmsmig.sandbox.server import SAMPLE
from tests.proofs.frozen.deeds import SCRIPTS
from tests.support.sites.exact import write_load_site
from tests.support.steps.every_kind import write_every_kind
from tests.support.steps.item_states import write_states
from tests.support.steps.origin_edits import write_items
from tests.support.tiny_site import write_tiny_site


@dataclass(frozen=True)
class Run:
    """A site, steps, and what the space is like."""

    steps: Sequence[Any]
    write: Callable[[Path], object] = write_tiny_site
    options: Mapping[str, Any] = field(default_factory=dict)
    texts: bool = True
    """Whether commands are also run for their texts, which takes twice as long."""


def write_things(folder: Path) -> None:
    """Write eleven of the items with a field of every kind; some references dangle."""
    write_every_kind(folder)
    for path in (*folder.glob("items/*"), *folder.glob("live/*")):
        items = json.loads(path.read_text())["items"]
        write_items(path, [*items[:8], *items[-3:]])


SITES: Mapping[str, Callable[[Path], object]] = {
    "": write_tiny_site,
    "records": partial(write_load_site, items=12, images=4),
    "sample": partial(shutil.copytree, SAMPLE),
    "states": write_states,
    "things": write_things,
}


def _run(steps: Sequence[Any], site: str = "", languages: Sequence[str] = ()) -> Run:
    options = {"languages": tuple(languages)} if languages else {}
    return Run(steps, SITES[site], options)


RUNS: Mapping[str, Run] = {
    name: _run(**given) for name, given in SCRIPTS["runs"].items()
}
