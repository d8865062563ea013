"""Every story that an import leaves, shown by the code of docs/front-end.md.

usage: front_end.py [--way WAY] [FOLDER_OF_SITES]

The sample site, also in two languages, and each folder below FOLDER_OF_SITES that holds
a `sites.json`, is moved into a sandbox. `cmsmig schema` writes the design. A front end
that is built from the guide reads every story with the official client (drafts, or what
is published) and shows it with the official renderer. Each rich text body has to show
the words of the origin's body in their order and as many pictures, or be listed with a
loss in the plan; with isolated embeds no page runs code of the content. The types have
to compile, and to take every story. Needs Node and npm. Exits 1 on anything else.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import yaml

from tests.proofs.measuring.processes import Project, project
from tests.proofs.measuring.results import print_table, tell
from tests.proofs.sites.official_reader import CLIENT, ask, installed, run
from tests.proofs.sites.ways import decide, items_in, sites_in, stories_of
from tests.support.richtext.conservation import of_html, soup, words

GUIDE = Path(__file__).parents[3] / "docs" / "front-end.md"
RATE = 1_000
SHOWN = 10
WAYS = ("whole", "split", "encoded", "published")
_CODE = re.compile(r"^```js\n(.*?)^```$", re.M | re.S)
_TYPE = re.compile(r'^export interface (\w+) extends Block<"([^"]+)">', re.M)


@dataclass
class Shown:
    """What came of one site, moved one way."""

    site: str
    way: str
    stories: int = 0
    resolved: int = 0
    """Relations that the service resolved, in one page of each content type."""
    bodies: int = 0
    equal: int = 0
    recorded: Counter[str] = field(default_factory=Counter)
    """Bodies that show other words, by a loss that the plan lists of them."""
    typed: int = 0
    wrong: list[str] = field(default_factory=list)

    def row(self) -> dict[str, object]:
        """Return a row of the table."""
        return {
            "site": self.site,
            "way": self.way,
            "stories": self.stories,
            "resolved": self.resolved,
            "bodies": self.bodies,
            "equal": self.equal,
            "other, by a listed loss": dict(self.recorded),
            "typed stories": self.typed,
            "wrong": len(self.wrong),
        }


def main(arguments: list[str]) -> int:
    """Show, print the table; return the exit code."""
    parser = argparse.ArgumentParser(prog="front_end.py")
    parser.add_argument("sites", type=Path, nargs="*")
    parser.add_argument("--way", choices=WAYS, action="append")
    chosen = parser.parse_args(arguments)
    code = "\n".join(_CODE.findall(GUIDE.read_text("utf-8")))
    (installed(CLIENT) / "guide.mjs").write_text(code)
    found = [
        _moved(name, site, way)
        for name, site in sites_in(chosen.sites)
        for way in chosen.way or WAYS
    ]
    for each in found:
        for text in each.wrong[:SHOWN]:
            print(f"{each.site} {each.way}: {text}")
    print_table(each.row() for each in found)
    return int(any(e.wrong or not e.stories or not e.typed for e in found))


def _moved(name: str, site: Path | None, way: str) -> Shown:
    """Move one site one way, and look at what is shown."""
    tell(f"{name}, {way}")
    found = Shown(name, way)
    with (
        tempfile.TemporaryDirectory() as folder,
        project(Path(folder), site, rate=RATE) as here,
    ):
        decide(here, way)
        schema = Path(folder, "schema")
        here.run("schema", "--out", str(schema))
        plan = here.run("plan", "--json", codes=(0, 1)).document
        here.run("import", "--json", codes=(0, 1))
        components = json.loads(
            (schema / "components" / "design" / "components.json").read_text()
        )
        asked = {
            "version": "published" if way == "published" else "draft",
            "components": components,
        }
        answer = ask("front_end.mjs", dict(here.served.announced), **asked)
        found.stories, found.resolved = len(answer["stories"]), answer["resolved"]
        found.wrong += _unsafe(answer["pages"])
        _compare(here, plan, answer["fields"], found)
        _check_types(schema, answer["stories"], found)
    return found


def _unsafe(pages: dict[str, str]) -> Iterator[str]:
    """Yield what would run in a page, or shows that a value was not understood."""
    for uuid, html in pages.items():
        tree = soup(html)
        for tag in tree.find_all():
            acts = tag.name == "script" or any(n.startswith("on") for n in tag.attrs)
            address = str(tag.get("href") or tag.get("src") or "").strip().lower()
            if acts or address.startswith(("javascript:", "vbscript:")):
                yield f"{uuid}: runs {str(tag)[:80]}"
        for sign in ("undefined", "[object Object]", "NaN", "Invalid Date"):
            if sign in tree.get_text():
                yield f"{uuid}: shows {sign}"


def _compare(
    here: Project, plan: dict, shown: dict[str, dict[str, str]], found: Shown
) -> None:
    """Compare the words of each body."""
    sets = ("live", "items") if found.way == "published" else ("items", "live")
    first, then = (items_in(here.folder / "raw" / name) for name in sets)
    design = yaml.safe_load((here.folder / "decisions" / "design.yaml").read_text())
    losses: dict[tuple[str, str], list[str]] = {}
    for each in plan["losses"]:
        losses.setdefault((each["item"], each["field"]), []).append(each["kind"])
    types = {each["collection_id"]: each for each in design["content_types"]}
    for key, (uuid, path) in stories_of(here.folder).items():
        values = (first.get(key) or then[key])["fieldData"]
        for made in types[key[0]]["fields"] if uuid in shown else ():
            if made["encoding"] != "richtext" or not values.get(made["origin"]):
                continue
            found.bodies += 1
            wanted = _visible(values[made["origin"]])
            seen = _visible(shown[uuid].get(made["key"], ""))
            item = "/".join(key[:2]) + f"@{key[2]}" if key[2] else "/".join(key[:2])
            listed = losses.get((item, made["origin"]), [])
            if wanted == seen:
                found.equal += 1
            elif listed:
                found.recorded[", ".join(sorted({*listed}))] += 1
            else:
                found.wrong.append(f"{path} {made['origin']}: {_first(wanted, seen)}")


def _visible(html: str) -> list[str]:
    """Return the words of a body and the number of its pictures."""
    account = of_html(html)
    return [*words(account.lines), f"{account.pictures.total()} pictures"]


def _first(wanted: list[str], seen: list[str]) -> str:
    """Return where two texts differ first."""
    pairs = zip(wanted, seen, strict=False)
    at = next((n for n, (one, other) in enumerate(pairs) if one != other), len(seen))
    near = slice(max(at - 3, 0), at + 5)
    return f"{' '.join(seen[near])!r} in place of {' '.join(wanted[near])!r}"


def _check_types(schema: Path, stories: list[dict[str, Any]], found: Shown) -> None:
    """Compile the types with every story; of its content no key may be unknown."""
    text = (schema / "stories.d.ts").read_text("utf-8")
    types = {component: name for name, component in _TYPE.findall(text)}
    lines = [f"import type {{ Story, {', '.join(types.values())} }} from './stories';"]
    for number, story in enumerate(stories):
        content = story["content"]
        name = types[content["component"]]
        about = story | {"content": {"component": "", "_uid": ""}}
        lines += [
            f"export const content{number}: {name} = {json.dumps(content)};",
            f"const given{number} = {json.dumps(about)};",
            f"export const story{number}: Story = given{number};",
        ]
    (schema / "check.ts").write_text("\n".join(lines))
    compiler = "node_modules/typescript/bin/tsc"
    try:
        run(compiler, "--strict", "--noEmit", str(schema / "check.ts"))
        found.typed = len(stories)
    except CalledProcessError as error:
        found.wrong += str(error.stdout).splitlines()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
