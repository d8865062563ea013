"""Every story that an import leaves, against the official schema check.

usage: schema_check.py [--planted] [FOLDER_OF_SITES]

The sample site, and each folder below FOLDER_OF_SITES that holds a `sites.json`, is
moved into a sandbox: with each body as one field, split into blocks, and shaped. What
the space holds then, drafts and published versions, is given to `validateStory` of
the official package with the components as the space has them. Needs Node.
First faults are planted into a story, one of each kind; each has to be found
(`--planted`: only this). Exits 1 on an error or a fault that is not found.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cmsmig.errors import OfficialError
from cmsmig.official.bridge import Official, open_official
from tests.proofs.sites.planted import BLOCKS, FAULTS, SOUND, planted
from tests.proofs.sites.rehearse import get, run, sandbox, shape
from tests.support.steps.split_site import RULES

SHOWN = 10
"""Issues of a site that are printed."""
AT_ONCE = 100
"""Stories in one question."""
RATE = 1_000
"""Requests per second that the sandbox takes."""
WAYS = ("whole", "split", "shaped")
EXPECTED = {
    "unknown_field": "a value under a key that the component in the space lacks",
}
"""What each kind of warning means."""


@dataclass
class Checked:
    """What came of one site, moved one way."""

    site: str
    way: str
    stories: int = 0
    components: int = 0
    errors: list[str] = field(default_factory=list)
    warnings: Counter[str] = field(default_factory=Counter)

    def take(self, name: str, issues: Iterable[dict]) -> None:
        """Count the issues of one story."""
        for each in issues:
            path = ".".join(map(str, each["path"]))
            said = f"{each['code']} at {path}: {each['message']}"
            if each["severity"] == "error":
                self.errors.append(f"{name}: {said}")
            else:
                self.warnings[f"{each['code']}: {each['message']}"] += 1


def main(arguments: list[str]) -> int:
    """Check, print the table; return the exit code."""
    paths = [Path(each) for each in arguments if each != "--planted"]
    try:
        return asyncio.run(_check(paths, only_planted="--planted" in arguments))
    except OfficialError as error:
        print(error, file=sys.stderr)
        return 2


async def _check(paths: list[Path], *, only_planted: bool) -> int:
    async with open_official(observer=lambda event: print(event)) as official:
        missed = [each async for each in _missed(official)]
        print(f"planted faults found: {len(FAULTS) - len(missed)} of {len(FAULTS)}")
        for each in missed:
            print(f"  NOT FOUND: {each}")
        if only_planted or missed:
            return int(bool(missed))
        found = [
            await checked(official, name, site, way)
            for name, site in _sites(paths)
            for way in WAYS
        ]
    _tell(found)
    return int(any(each.errors or not each.stories for each in found))


async def _missed(official: Official) -> Iterator[str]:
    """Yield the planted faults that are not found, and issues of the sound story."""
    for issue in (await official.validate(BLOCKS, [SOUND]))[0]:
        yield f"nothing planted, and {issue}"
    for fault in FAULTS:
        issues = (await official.validate(BLOCKS, [planted(fault)]))[0]
        if fault.code not in {each["code"] for each in issues if _is_error(each)}:
            yield f"{fault.what}: {issues}"


def _is_error(issue: dict) -> bool:
    return issue["severity"] == "error"


def _sites(paths: list[Path]) -> Iterator[tuple[str, Path | None]]:
    """Yield the sample site, and the content folders."""
    yield "sample", None
    for folder in paths:
        for each in sorted(folder.glob("*/sites.json")):
            yield each.parent.name, each.parent


async def checked(
    official: Official, name: str, site: Path | None, way: str
) -> Checked:
    """Move one site one way and check what its space holds then."""
    with tempfile.TemporaryDirectory() as folder:
        state = await asyncio.to_thread(_moved, site, Path(folder), way)
    blocks = blocks_of(state["components"], state["component_groups"])
    found = Checked(name, way, components=len(blocks))
    told = [*_contents(state["stories"])]
    for at in range(0, len(told), AT_ONCE):
        some = told[at : at + AT_ONCE]
        issues = await official.validate(blocks, [content for _, content in some])
        for (story, _), each in zip(some, issues, strict=True):
            found.take(story, each)
    found.stories = len(told)
    return found


def _moved(site: Path | None, folder: Path, way: str) -> dict:
    """Import one site into a sandbox; return what the space holds."""
    with sandbox(site, folder, RATE) as address:
        run(folder, "init")
        (folder / ".env").write_text((folder / "sandbox.env").read_text())
        run(folder, "pull")
        rules = [f"--split={each}" for each in RULES] if way == "split" else []
        run(folder, "decide", "--accept-proposals", "--reviewer", "check", *rules)
        if way == "shaped":
            shape(folder)
        run(folder, "import")
        return get(f"{address}/_sandbox/state")


def _contents(stories: Iterable[dict]) -> Iterator[tuple[str, dict]]:
    """Yield the draft of each story, and what visitors get where it differs."""
    for story in stories:
        if story["is_folder"]:
            continue
        yield story["full_slug"], story["content"]
        public = story["published_content"]
        if public is not None and public != story["content"]:
            yield f"{story['full_slug']} (published)", public


def blocks_of(components: list[dict], groups: list[dict]) -> list[dict]:
    """Return components in the form of the official package: `fields`, and `allow`
    in place of the lists of the management API, which the package ignores."""
    folders = {each["uuid"]: each["name"] for each in groups}
    names = [each["name"] for each in components]
    by_folder = {
        each["name"]: each.get("component_group_uuid") or "" for each in components
    }
    return [
        {
            "name": each["name"],
            "folder": folders.get(by_folder[each["name"]]),
            "fields": [
                {
                    **definition,
                    "name": key,
                    "allow": _allowed(definition, names, by_folder),
                }
                for key, definition in each["schema"].items()
            ],
        }
        for each in components
    ]


def _allowed(
    definition: dict, names: list[str], by_folder: dict[str, str]
) -> list[str]:
    """Return the components that a field takes; empty where it takes all."""
    if not definition.get("restrict_components"):
        return []
    if definition.get("restrict_type") == "tags":
        raise NotImplementedError("an import writes no restriction by tag")
    kind, of = ("component", {name: name for name in names})
    if definition.get("restrict_type") == "groups":
        kind, of = ("component_group", by_folder)
    listed = definition.get(f"{kind}_whitelist") or []
    denied = definition.get(f"{kind}_denylist") or []
    return [
        name
        for name in names
        if (not listed or of[name] in listed) and of[name] not in denied
    ]


def _tell(found: list[Checked]) -> None:
    print("| site | bodies | stories | components | errors | warnings |")
    print("|---|---|---|---|---|---|")
    for each in found:
        print(
            f"| {each.site} | {each.way} | {each.stories} | {each.components} | "
            f"{len(each.errors)} | {each.warnings.total()} |"
        )
    for each in found:
        for text in each.errors[:SHOWN]:
            print(f"{each.site} {each.way}: {text}")
        for text, count in each.warnings.most_common(SHOWN):
            print(f"{each.site} {each.way}: {count} warnings: {text}")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        sys.exit(main(sys.argv[1:]))
