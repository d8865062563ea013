"""Each field in each language, as the official client delivers it and as the origin
has it.

usage: languages.py [--items N] [--site sample|generated] [--way WAY]

The sample site and a generated one, both in two languages, are moved into a sandbox,
with languages as fields (`fields`; with other encodings and nested blocks: `encoded`;
with bodies split into blocks: `split`) and with languages in folders (`folders`). Then
`verify` has to find no difference, and every story is read with `storyblok-js-client`,
drafts and published versions, in both languages. Each name and slug has to be that of
the origin's item in that language and version; a language that is not live has none for
visitors. Each field has to show what the origin's item shows in that language, or be
listed as a loss or a dangling reference in the plan; and each `empty-translation` loss
has to be one. A link leads to the page in the language of its old address: by the story
in a text of that language, else by its address. Needs Node and npm. Exits 1 on anything
else.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.proofs.measuring.processes import project
from tests.proofs.measuring.results import print_table, tell
from tests.proofs.sites.official_reader import Stories, delivered_stories
from tests.proofs.sites.shown_values import (
    DeliveredValues,
    Html,
    OriginValues,
    as_path,
    kind_of,
    shown_links,
    shown_words,
    story_links,
    without_files,
)
from tests.proofs.sites.ways import AS_FIELDS, PUBLISHED, decide, items_in, stories_of
from tests.support.sites.localized import write_localized_sample
from tests.support.two_languages import ITEMS, write_two_languages

CODE = "fr-fr"
"""The second language of both sites, as the destination names it."""
KEY = "fr_fr"
RATE = 1_000
SHOWN = 10
WAYS = ("fields", "encoded", "split", "folders")


@dataclass(frozen=True)
class _Page:
    """Where an old address leads."""

    path: str
    """In the language of the address."""
    is_second: bool
    """Whether that is the second one."""
    renewed: dict[str, str]
    """The path of a link to the story as the service brings it up to date, by the
    language that is read."""


@dataclass
class Compared:
    """What came of one site, moved one way."""

    site: str
    way: str
    differences: int = 0
    """That `verify` found directly after the import."""
    stories: int = 0
    names: int = 0
    """And slugs."""
    fields: int = 0
    links: int = 0
    recorded: Counter[str] = field(default_factory=Counter)
    """Fields that show something else, which the plan says, by what it says."""
    losses: int = 0
    """Empty translations that the plan lists."""
    wrong: list[str] = field(default_factory=list)

    def row(self) -> dict[str, object]:
        """Return a row of the table."""
        recorded = ", ".join(f"{n} {kind}" for kind, n in sorted(self.recorded.items()))
        return {
            "site": self.site,
            "way": self.way,
            "verify": self.differences,
            "stories": self.stories,
            "names": self.names,
            "fields": self.fields,
            "links": self.links,
            "recorded": recorded,
            "empty-translation": self.losses,
            "wrong": len(self.wrong),
        }


def main(arguments: list[str]) -> int:
    """Compare, print the table; return the exit code."""
    parser = argparse.ArgumentParser(prog="languages.py")
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--site", choices=("sample", "generated"), action="append")
    parser.add_argument("--way", choices=WAYS, action="append")
    chosen = parser.parse_args(arguments)
    found = [
        _moved(site, way, chosen.items)
        for site in chosen.site or ("sample", "generated")
        for way in chosen.way or WAYS
    ]
    for each in found:
        for text in each.wrong[:SHOWN]:
            print(f"{each.site} {each.way}: {text}")
    print_table(each.row() for each in found)
    return int(any(e.differences or e.wrong or not e.fields for e in found))


def _moved(site: str, way: str, items: int) -> Compared:
    """Move one site one way, and compare."""
    tell(f"{site}, {way}")
    with tempfile.TemporaryDirectory() as name:
        work, content = Path(name), Path(name, "content")
        if site == "generated":
            write_two_languages(content, items)
        else:
            write_localized_sample(content)
        with project(work, content, rate=RATE, languages=(CODE,)) as here:
            decide(here, way)
            here.edit(PUBLISHED if way == "folders" else PUBLISHED | AS_FIELDS)
            plan = here.run("plan", "--json", codes=(0, 1)).document
            here.run("import", "--json", codes=(0, 1))
            verified = here.run("verify", "--json", codes=(0, 4)).document
            found = Compared(
                site, way, len([*verified["differences"], *verified["kept"]])
            )
            code = "" if way == "folders" else CODE
            delivered = delivered_stories(here.served.announced, code)
            compared = _Comparison(here.folder, plan, found, way != "folders")
            compared.compare(delivered)
    return found


@cache
def _print_of(url: str) -> str | None:
    """Return a fingerprint of the file at an address; None where there is none."""
    answer = httpx.get(url, trust_env=False)
    return hashlib.sha256(answer.content).hexdigest() if answer.is_success else None


def _options(
    items: dict[tuple[str, str, str], dict], locale: str
) -> Iterator[tuple[str, str]]:
    """Yield the names of what variants of products differ by in a language, by id."""
    for (_, _, its), item in items.items():
        for each in (
            item["fieldData"].get("sku-properties") or () if its == locale else ()
        ):
            yield each["id"], each["name"]
            yield from ((one["id"], one["name"]) for one in each["enum"])


@dataclass(frozen=True)
class _Shown:
    """An item in a language that visitors or editors see."""

    key: tuple[str, str, str]
    """Collection, id and locale: the last is that of the story."""
    language: str
    own: dict
    """Its values in the language of the story."""
    values: dict
    """Its values in the language that is looked at."""
    read: str
    """The language that delivery was asked for."""


class _Comparison:
    """The origin as it was pulled, and what the plan said."""

    def __init__(
        self, folder: Path, plan: dict, found: Compared, as_fields: bool
    ) -> None:
        self._found, self._as_fields = found, as_fields
        raw = folder / "raw"
        site = json.loads((raw / "sites.json").read_text())["sites"][0]
        self._zone = site["timeZone"]
        hosts = [each["url"] for each in site["customDomains"]]
        hosts += [f"{site['shortName']}.webflow.io"]
        named = "|".join(re.escape(each) for each in hosts)
        self._own_host = re.compile(rf"https?://(?:www\.)?(?:{named})/")
        self._first = site["locales"]["primary"]["cmsLocaleId"]
        (other,) = site["locales"]["secondary"]
        self._second, self._below = other["cmsLocaleId"], other["subdirectory"]
        self._sets = {name: items_in(raw / name) for name in ("items", "live")}
        self._options = {
            locale: dict(_options(self._sets["items"], locale))
            for locale in (self._first, self._second)
        }
        self._collections = {
            each.stem: json.loads(each.read_text())
            for each in (raw / "collections").glob("*.json")
        }
        design = yaml.safe_load((folder / "decisions" / "design.yaml").read_text())
        self._types = {e["collection_id"]: e for e in design["content_types"]}
        self._stories_of = stories_of(folder)
        self._losses = {(e["item"], e["field"]): e["kind"] for e in plan["losses"]}
        dangling = {(e["item"], e["field"]): "dangling" for e in plan["dangling"]}
        self._listed = {**self._losses, **dangling}
        self._routes: dict[str, _Page] = {}
        self._seen: set[tuple[str, str]] = set()
        """Fields of drafts that showed something else."""

    def compare(self, delivered: dict[tuple[str, str], Stories]) -> None:
        """Compare everything that was delivered."""
        self._routes = dict(self._find_routes(delivered))
        for (version, language), stories in delivered.items():
            for shown in self._shown(version, language):
                uuid, _ = self._stories_of[shown.key]
                if uuid in stories:
                    self._found.stories += 1
                    self._compare_names(version, shown, stories[uuid])
                    self._compare_story(version, shown, stories[uuid])
                elif version == "draft":
                    self._found.wrong.append(f"{shown.key}: no story is delivered")
        empty = {e for e, kind in self._losses.items() if kind == "empty-translation"}
        self._found.losses = len(empty)
        for item, name in sorted(empty - self._seen):
            own = item, name.partition("__i18n__")[0]
            if self._listed.get(own) == "dangling":
                # The reference that would be shown instead is left empty as well.
                self._found.recorded["empty anyway"] += 1
                continue
            self._found.wrong.append(
                f"{item} {name}: no loss, visitors see what the origin shows"
            )

    def _shown(self, version: str, language: str) -> Iterator[_Shown]:
        for key in self._stories_of:
            own = self._record(version, key)
            if own is None:
                continue
            other = self._other(version, key) if language else None
            values = (other or own)["fieldData"]
            its = language if other else ""
            yield _Shown(key, its, own["fieldData"], values, language)

    def _record(self, version: str, key: tuple[str, str, str]) -> dict | None:
        first, then = ("items", "live") if version == "draft" else ("live", "items")
        found = self._sets[first].get(key)
        return self._sets[then].get(key) if version == "draft" and not found else found

    def _other(self, version: str, key: tuple[str, str, str]) -> dict | None:
        """Return the item in the second language, where it is migrated."""
        other = (*key[:2], self._second)
        staged = self._sets["items"].get(other)
        if staged is not None and staged.get("isArchived"):
            return None
        return self._record(version, other)

    def _compare_names(self, version: str, shown: _Shown, story: dict) -> None:
        """Compare the name of a story, and those and the slugs of other languages."""
        rows = {each["lang"]: each for each in story["translated_slugs"]}
        row = rows.get(CODE, {})
        wanted, seen = [shown.own["name"]], [story["name"]]
        other = self._other(version, shown.key) if self._as_fields else None
        if other is not None:
            live = self._sets["live"].get((*shown.key[:2], self._second), other)
            # A page stays where its visitors know it.
            slug = live["fieldData"]["slug"]
            wanted += [other["fieldData"]["name"], slug]
            seen += [row.get("name"), row.get("path", "").rpartition("/")[2]]
            if shown.read:
                wanted.append(slug)
                seen.append(story["full_slug"].rpartition("/")[2])
        elif self._as_fields:
            wanted.append(None)
            seen.append(row.get("name"))
        self._found.names += len(wanted)
        if wanted != seen:
            where = f"{story['full_slug']} ({version}, {shown.read or 'own'})"
            self._found.wrong.append(f"{where} is called {seen}, not {wanted}")

    def _compare_story(self, version: str, shown: _Shown, story: dict) -> None:
        made = self._types[shown.key[0]]
        content = dict(story["content"])
        for section in made.get("sections") or ():
            for block in content.get(section["key"]) or ():
                content |= block
        schema = {f["slug"]: f for f in self._collections[shown.key[0]]["fields"]}
        for each in made["fields"]:
            if (defined := schema.get(each["origin"])) is None:
                continue
            self._found.fields += 1
            name = each["origin"]
            problem = self._problem(shown, defined, content.get(each["key"]))
            if not problem:
                continue
            where = "/".join(shown.key[:2]) + f"@{shown.key[2]}"
            slug = f"{name}__i18n__{KEY}" if self._differs(shown, name) else name
            if version == "draft":
                self._seen.add((where, slug))
            kind = self._listed.get((where, slug))
            if not kind and version == "published" and self._is_empty(shown, name):
                # The plan lists the losses of what editors see.
                kind = "empty in the live version alone"
            if kind:
                self._found.recorded[kind] += 1
            else:
                at = f"{story['full_slug']} ({version}, {shown.language or 'own'})"
                self._found.wrong.append(f"{at} {name}: {problem}")

    def _problem(self, shown: _Shown, defined: dict, there: Any) -> str:
        """Return what visitors see differently from the origin, or empty."""
        locale = shown.key[2]
        origin = OriginValues(
            _print_of,
            self._zone,
            lambda *item: self._uuid(*item, locale),
            self._options[self._second if shown.language else locale],
        )
        value = shown.values.get(defined["slug"])
        wanted = origin.form(defined, value)
        is_document = isinstance(there, dict) and there.get("type") == "doc"
        kind = "RichText" if is_document else kind_of(defined)
        seen = DeliveredValues(_print_of).form(kind, there)
        if is_document and isinstance(wanted, str):
            # Markdown, whose numbers before the entries of a list are no text.
            wanted = Html(re.sub(r"(?m)^\s*\d+\. ", "", wanted))
        if wanted is None or seen is None:
            return "" if wanted == seen else f"{seen!r:.80} in place of {wanted!r:.80}"
        is_translated = self._differs(shown, defined["slug"])
        if isinstance(wanted, Html):
            missing = wanted.words - shown_words(seen)
            if missing:
                return f"lacks the words {sorted(missing)[:5]}"
            return self._bad_links(shown, wanted.hrefs, there, is_translated)
        if isinstance(wanted, set):
            return "" if seen in wanted else f"{seen!r:.80} is none of {wanted!r:.80}"
        is_text = isinstance(there, str)
        if kind in ("Link", "VideoLink") and self._page(wanted) and not is_text:
            return self._bad_links(
                shown, [wanted], there, is_translated, is_renewed=True
            )
        if kind in ("Link", "VideoLink"):
            wanted, seen = without_files(wanted), without_files(seen)
        return "" if wanted == seen else f"{seen!r:.80} in place of {wanted!r:.80}"

    def _differs(self, shown: _Shown, name: str) -> bool:
        """Return whether a field holds something else in the language."""
        return bool(shown.language) and shown.values.get(name) != shown.own.get(name)

    def _is_empty(self, shown: _Shown, name: str) -> bool:
        """Return whether a translation is empty that the service shows in no way."""
        empty = shown.values.get(name) in (None, "", [])
        return empty and self._differs(shown, name)

    def _bad_links(
        self,
        shown: _Shown,
        hrefs: list[str],
        there: Any,
        is_translated: bool,
        *,
        is_renewed: bool = False,
    ) -> str:
        """Return a link that does not lead where it should, or empty."""
        seen, stories = shown_links(there), story_links(there)
        for href in hrefs:
            if (page := self._page(href)) is None:
                continue
            self._found.links += 1
            by_story, wanted = page.is_second == is_translated, page.path
            if by_story and is_renewed:
                wanted = page.renewed[shown.read]
            if wanted not in seen:
                return f"{href} should lead to {wanted}, not to {sorted(seen)[:4]}"
            if not by_story and wanted in stories:
                return f"{href} leads to a story, and so to another language"
        return ""

    def _uuid(self, collection: str, item: str, locale: str) -> str | None:
        """Return the story that a reference in a language is to lead to."""
        key = (collection, item, locale)
        if key not in self._stories_of and not self._record("draft", key):
            key = (collection, item, self._first)
        return self._stories_of[key][0] if key in self._stories_of else None

    def _page(self, href: str) -> _Page | None:
        """Return where an old address leads; None for one that leads to no story."""
        path = self._own_host.sub("/", href)
        return self._routes.get(as_path(path)) if path.startswith("/") else None

    def _find_routes(
        self, delivered: dict[tuple[str, str], Stories]
    ) -> Iterator[tuple[str, _Page]]:
        """Yield the old addresses of both languages, and where each leads."""
        spoken = delivered.get(("draft", CODE), {})
        for key, (uuid, path) in self._stories_of.items():
            pages = {key: path}
            renewed = {"": path}
            if self._as_fields:
                renewed[CODE] = spoken[uuid]["full_slug"]
                if self._other("draft", key):
                    pages[*key[:2], self._second] = renewed[CODE]
            for own, leads in pages.items():
                is_second = self._as_fields and own[2] == self._second
                below = self._below if own[2] == self._second else ""
                slug = self._collections[key[0]]["slug"]
                for records in self._sets.values():
                    if record := records.get(own):
                        old = f"{below}/{slug}/{record['fieldData']['slug']}"
                        yield as_path(old), _Page(leads, is_second, renewed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
