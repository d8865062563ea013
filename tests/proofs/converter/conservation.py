"""The account of random bodies, and of every body of real content folders.

usage: conservation.py [--count N] [--seed WORD] [FOLDER_OF_SITES]

Random bodies come in two sorts: as they are, and with instances of a designer's
components, some of which become blocks. What a body shows, leads to and embeds stands
in its document or is a loss that names it, and no loss names what stands there. Prints
a table of the sites, and for each what of its words is not in text nodes. Exits 1 when
anything is unaccounted for or told falsely, or less than 97 % of a site's visible words
are in text nodes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.policy import EmbedPolicy
from tests.support.richtext.bodies import body
from tests.support.richtext.conservation import (
    invented,
    of_document,
    of_html,
    reordered,
    strings,
    unaccounted,
    vague,
    words,
)
from tests.support.richtext.instances import MAPPED, instance_body, random_policy
from tests.support.richtext.shrinking import smallest
from tests.support.richtext.untrue import untrue
from tests.support.richtext.validity import faults

LEAST = 97.0
_ENGINE, _EXACT = NativeEngine(), NativeEngine(Mode.EXACT)


@dataclass
class Site:
    """What one content folder's bodies came to."""

    name: str
    bodies: int = 0
    words: int = 0
    standing: int = 0
    raw: Counter[str] = field(default_factory=Counter)
    raw_words: Counter[str] = field(default_factory=Counter)
    losses: Counter[str] = field(default_factory=Counter)
    lost_words: Counter[str] = field(default_factory=Counter)
    missing: list[str] = field(default_factory=list)


def main() -> int:
    """Do both parts and return the exit code."""
    parser = argparse.ArgumentParser(description="Prove that nothing is lost.")
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", default="one")
    parser.add_argument("sites", type=Path, nargs="?")
    options = parser.parse_args()
    os.nice(10)
    found = _random(options.count, options.seed)
    found += _random_instances(options.count, options.seed)
    if options.sites is None:
        return int(found > 0)
    sites = [
        site_account(each.parent) for each in sorted(options.sites.glob("*/sites.json"))
    ]
    short = _table(sites)
    return int(found > 0 or short or not sites)


def faulty_instances(html: str, policy: EmbedPolicy) -> list[str]:
    """Return what is wrong with the conversion of a body with decided components."""
    converted = _ENGINE.from_html(html, policy)
    found = [f"unaccounted {each}" for each in unaccounted(html, converted, MAPPED)]
    if twice := invented(html, converted, MAPPED):
        found.append(f"twice {twice}")
    found += [f"vague {each}" for each in vague(html, converted.losses)]
    found += [f"invalid {each}" for each in faults(converted.document, exact=False)]
    if converted != _ENGINE.from_html(html, policy):
        found.append("another document each time")
    return found


def faulty(html: str) -> list[str]:
    """Return what is wrong with the faithful conversion of a well-formed body."""
    converted = _ENGINE.from_html(html)
    found = [f"unaccounted {each}" for each in unaccounted(html, converted)]
    if twice := invented(html, converted):
        found.append(f"twice {twice}")
    if reordered(html, converted):
        found.append("reordered")
    found += [f"vague {each}" for each in vague(html, converted.losses)]
    found += [f"untrue {each}" for each in untrue(html, converted)]
    found += [f"invalid {each}" for each in faults(converted.document, exact=False)]
    exact = _EXACT.from_html(html).document
    return found + [f"exact invalid {each}" for each in faults(exact, exact=True)]


def _random(count: int, seed: str) -> int:
    """Check random bodies; print the smallest body for each sort of finding."""
    bad: dict[str, tuple[int, str]] = {}
    for number in range(count):
        html = body(Random(f"{seed}:{number}"))
        for each in faulty(html):
            sort = " ".join(each.split()[:2]).partition("{")[0]
            times, held = bad.get(sort, (0, html))
            bad[sort] = (times + 1, min(held, html, key=len))
    print(f"{count} random bodies, {sum(times for times, _ in bad.values())} findings")
    for sort, (times, html) in bad.items():
        small = smallest(html, lambda each, sort=sort: _has(each, sort))
        print(f"FOUND {times} times {sort}:\n  {small!r}\n  {faulty(small)}")
    return len(bad)


def _random_instances(count: int, seed: str) -> int:
    """Check random instances; print the smallest body for each sort of finding."""
    bad: dict[str, tuple[str, EmbedPolicy]] = {}
    for number in range(count):
        random = Random(f"instances:{seed}:{number}")
        policy, html = random_policy(random), instance_body(random)
        for each in faulty_instances(html, policy):
            sort = " ".join(each.split()[:2]).partition("{")[0]
            if sort not in bad or len(html) < len(bad[sort][0]):
                bad[sort] = (html, policy)
    print(f"{count} random bodies with instances, {len(bad)} sorts of findings")
    for sort, (html, policy) in bad.items():
        print(f"FOUND {sort}:\n  {html!r}\n  {faulty_instances(html, policy)}")
    return len(bad)


def _has(html: str, sort: str) -> bool:
    return any(each.startswith(sort) for each in faulty(html))


def site_account(folder: Path) -> Site:
    """Convert every body of a content folder, staged and live."""
    site = Site(folder.name)
    for where, text, markdown in _bodies(folder):
        site.bodies += 1
        if markdown:
            _markdown(site, where, text)
            continue
        converted = _ENGINE.from_html(text)
        site.missing += [f"{where}: {each}" for each in unaccounted(text, converted)]
        site.missing += [f"{where}: untrue {each}" for each in untrue(text, converted)]
        faulty_here = faults(converted.document, exact=False)
        site.missing += [f"{where}: {each}" for each in faulty_here]
        _count(site, text, converted)
    return site


def _bodies(folder: Path) -> Iterator[tuple[str, str, bool]]:
    """Yield each different body once: where, what, whether it is Markdown."""
    seen: set[str] = set()
    for path in sorted((folder / "collections").glob("*.json")):
        fields = json.loads(path.read_text(encoding="utf-8"))["fields"]
        rich = {each["slug"] for each in fields if each["type"] == "RichText"}
        plain = {each["slug"] for each in fields if each["type"] == "PlainText"}
        for part in ("items", "live"):
            held = json.loads((folder / part / path.name).read_text(encoding="utf-8"))
            for item in held["items"]:
                for slug, text in item["fieldData"].items():
                    if not isinstance(text, str) or not text or text in seen:
                        continue
                    marked = slug in plain and _like_markdown(text)
                    if slug in rich or marked:
                        seen.add(text)
                        yield f"{path.stem}/{item['id']}/{slug}", text, marked


def _like_markdown(text: str) -> bool:
    return any(sign in text for sign in ("\n# ", "\n## ", "\n- ", "**", "]("))


def _markdown(site: Site, where: str, text: str) -> None:
    converted = _ENGINE.from_markdown(text)
    account = of_document(converted.document)
    site.words += len(words(account.standing))
    site.standing += len(words(account.standing))
    held = Counter(filter(str.isalpha, "".join(strings(converted.document))))
    if gone := Counter(filter(str.isalpha, text)) - held:
        site.missing.append(f"{where}: Markdown {dict(gone)}")


def _count(site: Site, html: str, converted: Converted) -> None:
    site.words += len(words(of_html(html).lines))
    site.standing += len(words(of_document(converted.document).standing))
    for block in _blocks(converted.document):
        if block.get("html"):
            kind = str(block.get("kind") or block["component"])
            site.raw[kind] += 1
            site.raw_words[kind] += len(words(of_html(str(block["html"])).lines))
    for loss in converted.losses:
        site.losses[f"{loss.kind} ({loss.severity})"] += 1
        if loss.kind == "text":
            site.lost_words[loss.kind] += len(words([loss.what]))
        elif loss.what.startswith("<"):
            site.lost_words[loss.kind] += len(words(of_html(loss.what).lines))


def _blocks(document: object) -> Iterator[dict]:
    stack = [document]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if "component" in node:
                yield node
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


def _table(sites: list[Site]) -> bool:
    """Print the sites; return whether one falls short."""
    short = False
    print("| site | bodies | words | in text nodes | raw HTML, words | lost, words "
          "| losses | unaccounted |")  # fmt: skip
    print("|" + "---|" * 8)
    for site in sites:
        share = 100 * site.standing / site.words if site.words else 100.0
        short = short or share < LEAST or bool(site.missing)
        raw = _listed({f"{kind} {count}": site.raw_words[kind]
                       for kind, count in site.raw.items()})  # fmt: skip
        lost = _listed(
            {kind: count for kind, count in site.lost_words.items() if count}
        )
        print(f"| {site.name} | {site.bodies} | {site.words} | {share:.2f} % | {raw} "
              f"| {lost} | {_listed(site.losses)} | {len(site.missing)} |")  # fmt: skip
    for site in sites:
        for each in site.missing[:20]:
            print(f"FOUND {site.name}: {each}")
    return short


def _listed(counts: dict[str, int]) -> str:
    return "; ".join(f"{name}: {count}" for name, count in counts.items()) or "none"


if __name__ == "__main__":
    sys.exit(main())
