"""A project's raw folder as a site of its own."""

from __future__ import annotations

import json
from collections.abc import Callable

from cmsmig.sandbox.options import SandboxOptions
from tests.support.rehearsal import Rehearsal


def raw_of(rehearsal: Rehearsal) -> dict[str, object]:
    """Return the raw cache by file, the sandbox's own address taken out."""
    host = rehearsal.handle.announcement["origin_api_url"]
    folder = rehearsal.folder / "raw"
    return {
        str(path.relative_to(folder)): json.loads(
            path.read_text().replace(host, "http://origin")
        )
        for path in sorted(folder.rglob("*.json"))
        if ".pages" not in path.parts
    }


def test_what_was_pulled_can_be_served_and_pulled_again(
    rehearse: Callable[..., Rehearsal],
) -> None:
    """A sandbox on a project's raw folder gives the same site but for the host."""
    first = rehearse()
    first.done("pull")
    served = SandboxOptions(content=first.folder / "raw", rate=500, origin_rate=60_000)
    again = rehearse(served)
    again.done("pull")
    assert raw_of(again) == raw_of(first)
