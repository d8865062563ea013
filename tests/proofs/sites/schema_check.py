"""Every story that an import leaves, against the official schema check.

usage: schema_check.py [--planted] [--way WAY] [FOLDER_OF_SITES]

The sample site, also in two languages, and each folder below FOLDER_OF_SITES that holds
a `sites.json`, is moved into a sandbox: with each body as one field, split into blocks,
shaped, with other encodings and fields nested in blocks, with languages as fields, and
published with what visitors see. What the space holds then, drafts and published
versions, is given to `validateStory` of the official package with the components as the
space has them. Needs Node. First faults are planted into a story, one of each kind;
each has to be found (`--planted`: only this). Exits 1 on an error, a refused story or a
fault that is not found.
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from cmsmig.errors import OfficialError
from cmsmig.official.bridge import Official, open_official
from tests.proofs.measuring.processes import project
from tests.proofs.measuring.results import print_table, tell
from tests.proofs.sites.ways import decide, sites_in

SHOWN = 10
"""Issues of a site that are printed."""
AT_ONCE = 100
"""Stories in one question."""
RATE = 1_000
"""Requests per second that the sandbox takes."""
LANGUAGES = ("fr-fr",)
"""Of the space; those of the sample in two languages."""
PLANTED = yaml.safe_load(Path(__file__).with_name("planted.yaml").read_text("utf-8"))
WAYS = ("whole", "split", "shaped", "encoded", "translated", "published")


@dataclass
class Checked:
    """What came of one site, moved one way."""

    site: str
    way: str
    failed: int = 0
    """Items that the sandbox, which validates strictly, refused."""
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

    def row(self) -> dict[str, object]:
        """Return a row of the table."""
        return {
            "site": self.site,
            "bodies": self.way,
            "failed": self.failed,
            "stories": self.stories,
            "components": self.components,
            "errors": len(self.errors),
            "warnings": self.warnings.total(),
        }


def main(arguments: list[str]) -> int:
    """Check, print the table; return the exit code."""
    parser = argparse.ArgumentParser(prog="schema_check.py")
    parser.add_argument("sites", type=Path, nargs="*")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--way", choices=WAYS, action="append")
    try:
        return asyncio.run(_check(parser.parse_args(arguments)))
    except OfficialError as error:
        print(error, file=sys.stderr)
        return 2


async def _check(chosen: argparse.Namespace) -> int:
    async with open_official(observer=lambda event: print(event)) as official:
        missed = [each async for each in _missed(official)]
        faults = len(PLANTED["faults"])
        print(f"planted faults found: {faults - len(missed)} of {faults}")
        for each in missed:
            print(f"  NOT FOUND: {each}")
        if chosen.planted or missed:
            return int(bool(missed))
        found = [
            await checked(official, name, site, way)
            for name, site in sites_in(chosen.sites)
            for way in chosen.way or WAYS
        ]
    print_table(each.row() for each in found)
    _tell(found)
    return int(any(e.errors or e.failed or not e.stories for e in found))


async def _missed(official: Official) -> AsyncIterator[str]:
    """Yield the planted faults that are not found, and issues of the sound story."""
    faults = PLANTED["faults"]
    sound, *issues_of_each = await official.validate(
        blocks_of(PLANTED["components"], PLANTED["groups"]),
        [PLANTED["sound"], *map(_planted, faults)],
    )
    for issue in sound:
        yield f"nothing planted, and {issue}"
    for fault, issues in zip(faults, issues_of_each, strict=True):
        errors = {each["code"] for each in issues if each["severity"] == "error"}
        if fault["code"] not in errors:
            yield f"{fault['what']}: {issues}"


def _planted(fault: dict) -> dict:
    """Return the sound story with a fault in it."""
    story = place = copy.deepcopy(PLANTED["sound"])
    *way, last = fault["path"]
    for step in way:
        place = place[step]
    place[last] = fault["value"]
    return story


async def checked(
    official: Official, name: str, site: Path | None, way: str
) -> Checked:
    """Move one site one way and check what its space holds then."""
    tell(f"{name}, {way}")
    with tempfile.TemporaryDirectory() as folder:
        failed, state = await asyncio.to_thread(_moved, site, Path(folder), way)
    blocks = blocks_of(state["components"], state["component_groups"])
    found = Checked(name, way, failed, components=len(blocks))
    contents = [*_contents(state["stories"])]
    for at in range(0, len(contents), AT_ONCE):
        some = contents[at : at + AT_ONCE]
        issues = await official.validate(blocks, [content for _, content in some])
        for (story, _), each in zip(some, issues, strict=True):
            found.take(story, each)
    found.stories = len(contents)
    return found


def _moved(site: Path | None, folder: Path, way: str) -> tuple[int, dict]:
    """Import one site into a sandbox; return how many items failed, and what the space
    holds."""
    with project(folder, site, rate=RATE, languages=LANGUAGES) as here:
        decide(here, way)
        done = here.run("import", "--json", codes=(0, 1)).document
        return done["accounting"]["failed"], here.served.page("state")


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
        raise ValueError("an import writes no restriction by tag")
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
    """Print the issues of each site."""
    for each in found:
        for text in each.errors[:SHOWN]:
            print(f"{each.site} {each.way}: {text}")
        for text, count in each.warnings.most_common(SHOWN):
            print(f"{each.site} {each.way}: {count} warnings: {text}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
