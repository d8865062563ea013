"""Every story that an import leaves, shown by the code of docs/front-end.md.

usage: front_end.py [--way WAY] [FOLDER_OF_SITES]

The sample site, also in two languages, and each folder below FOLDER_OF_SITES that holds
a `sites.json`, is moved into a sandbox. `cmsmig schema` writes the design. A front end
that is built from the guide reads every story with the official client (drafts, or what
is published) and shows it with the official renderer. Each rich text body has to show
the words of the origin's body in their order and as many pictures, or be listed with a
loss in the plan; with isolated embeds no page runs code of the content. The types have
to compile, and to take every story. Of a generated site in two languages, the front end
has to list just the items that the origin has in a language, and of each page its paths
in both. Needs Node and npm. Exits 1 on anything else.
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
from tests.proofs.sites.ways import (
    AS_FIELDS,
    PUBLISHED,
    decide,
    items_in,
    sites_in,
    stories_of,
)
from tests.support.richtext.conservation import of_html, soup, words
from tests.support.two_languages import write_two_languages

GUIDE = Path(__file__).parents[3] / "docs" / "front-end.md"
RATE = 1_000
SHOWN = 10
WAYS = ("whole", "split", "encoded", "published")
CODE = "fr-fr"
"""The second language of the site in two languages, as the destination names it."""
IN_TWO_LANGUAGES = {
    "fields": AS_FIELDS,
    "fields-published": AS_FIELDS | PUBLISHED,
    "folders-published": PUBLISHED,
}
"""What is decided of that site, by way."""
ITEMS = 60
"""Of that site."""
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
    spoken: dict[str, int] = field(default_factory=dict)
    """Stories that exist in each language."""
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
            "in each language": self.spoken,
            "wrong": len(self.wrong),
        }


def main(arguments: list[str]) -> int:
    """Show, print the table; return the exit code."""
    parser = argparse.ArgumentParser(prog="front_end.py")
    parser.add_argument("sites", type=Path, nargs="*")
    every = (*WAYS, *IN_TWO_LANGUAGES)
    parser.add_argument("--way", choices=every, action="append")
    chosen = parser.parse_args(arguments)
    code = "\n".join(_CODE.findall(GUIDE.read_text("utf-8")))
    (installed(CLIENT) / "guide.mjs").write_text(code)
    ways = chosen.way or every
    found = [
        _moved(name, site, way)
        for name, site in sites_in(chosen.sites)
        for way in ways
        if way in WAYS
    ]
    with tempfile.TemporaryDirectory() as folder:
        write_two_languages(Path(folder), ITEMS)
        found += [
            _moved("two languages", Path(folder), way)
            for way in ways
            if way in IN_TWO_LANGUAGES
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
        project(Path(folder), site, rate=RATE, languages=(CODE,)) as here,
    ):
        decide(here, way)
        here.edit(IN_TWO_LANGUAGES.get(way, {}))
        schema = Path(folder, "schema")
        here.run("schema", "--out", str(schema))
        plan = here.run("plan", "--json", codes=(0, 1)).document
        here.run("import", "--json", codes=(0, 1))
        components = here.served.page("state")["components"]
        asked = {
            "version": "published" if way.endswith("published") else "draft",
            "components": components,
            "site": json.loads((schema / "languages.json").read_text("utf-8")),
        }
        answer = ask("front_end.mjs", dict(here.served.announced), **asked)
        found.stories, found.resolved = len(answer["stories"]), answer["resolved"]
        found.wrong += _unsafe(answer["pages"])
        _compare(here, plan, answer["fields"], found)
        _check_types(schema, answer["stories"], found)
        if way in IN_TWO_LANGUAGES:
            found.wrong += _misplaced(here, way, answer["languages"])
        found.spoken = {tag: len(each) for tag, each in answer["languages"].items()}
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
    is_public = found.way.endswith("published")
    sets = ("live", "items") if is_public else ("items", "live")
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


def _misplaced(
    here: Project, way: str, languages: dict[str, dict[str, dict]]
) -> Iterator[str]:
    """Yield what is listed in a language and is not the origin's, and pages whose paths
    and names in other languages are not those listed there and the origin's."""
    raw = here.folder / "raw"
    (site,) = json.loads((raw / "sites.json").read_text())["sites"]
    first, (second,) = site["locales"]["primary"], site["locales"]["secondary"]
    staged, live = (items_in(raw / name) for name in ("items", "live"))
    there = live if way.endswith("published") else live | staged
    held = {uuid: key for key, (uuid, _) in stories_of(here.folder).items()}
    locales = {each["tag"]: each["cmsLocaleId"] for each in (first, second)}
    paths: dict[tuple[str, str], dict[str, tuple[str, str]]] = {}
    for tag, listed in languages.items():
        for uuid, each in listed.items():
            item = held[uuid][:2]
            origin = there.get((*item, locales[tag]), {"fieldData": {"name": ""}})
            found = each["path"], origin["fieldData"]["name"]
            paths.setdefault(item, {})[tag] = found
    for locale in (first, second):
        own = locale["cmsLocaleId"]
        # In fields, an item is in a language when its story in the primary one is.
        base = own if way.startswith("folders") else first["cmsLocaleId"]
        wanted = {
            key[:2]
            for key in held.values()
            if key[2] == base and key in there
            if (other := (*key[:2], own)) in there
            if not staged.get(other, {}).get("isArchived")
        }
        seen = {item for item, each in paths.items() if locale["tag"] in each}
        for item in wanted ^ seen:
            what = "missing" if item in wanted else "made up"
            yield f"{item} in {locale['tag']}: {what}"
    for listed in languages.values():
        for uuid, each in listed.items():
            pages = {e["tag"]: (e["path"], e["name"]) for e in each["pages"]}
            wanted = paths[held[uuid][:2]]
            number = len(soup(each["links"]).find_all("link", hreflang=True))
            if pages != wanted or number != (3 if len(wanted) > 1 else 0):
                yield f"{each['path']}: {pages} in place of {wanted}, {number} links"


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
