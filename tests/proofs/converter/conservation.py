"""The account of bodies of any kind, and of every body of real content folders.

What a body shows, leads to and embeds is in its document or is a loss that names it,
and no loss names what the document holds. What readers see of it is in the rendered
story, or a loss names it. Prints for each site how many of its words are in text nodes,
in raw HTML and in losses. Exits 1 when anything is unaccounted for or false, or
less than 97 % of a site's visible words are in text nodes.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from pathlib import Path

from cmsmig.canonical import JsonObject
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.schema.validate import problems
from cmsmig.steps.decide.cross_check import SiteBody
from tests.proofs.converter.searching import falsified
from tests.proofs.converter.sites import bodies_of_sites
from tests.proofs.measuring.results import print_table
from tests.support.mapping.split_documents import blocks_in
from tests.support.richtext.account import wrong
from tests.support.richtext.bodies import (
    bodies,
    edited_bodies,
    instances,
)
from tests.support.richtext.conservation import (
    of_document,
    of_html,
    strings,
    unseen,
    words,
)

LEAST = 97.0
FAITHFUL = NativeEngine()


def main(arguments: list[str]) -> int:
    """Do both parts and return the exit code."""
    parser = argparse.ArgumentParser(prog="conservation", description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", default="one")
    parser.add_argument("sites", type=Path, nargs="?")
    options = parser.parse_args(arguments)
    os.nice(10)
    drawn = {"count": options.count, "start": options.seed}
    found = falsified(check, bodies, **drawn)
    found |= falsified(check_readers, edited_bodies, **drawn)
    found |= falsified(check, instances, **drawn)
    print(f"3 times {options.count} bodies:", "findings" if found else "no finding")
    if options.sites is None:
        return int(found)
    sites = bodies_of_sites(options.sites)
    missing = {name: list[str]() for name in sites}
    rows = [_row(name, held, missing[name]) for name, held in sites.items()]
    print_table(rows)
    for name, what in missing.items():
        for each in what[:20]:
            print(f"FOUND {name}: {each}")
    short = any(float(str(row["in text nodes"])) < LEAST for row in rows)
    return int(found or short or not rows or any(missing.values()))


def check(html: str) -> None:
    """Insist on the account of a well-formed body, and on valid documents."""
    converted = FAITHFUL.from_html(html)
    assert wrong(html, converted) == []
    assert problems(converted.document) == ()


def check_readers(html: str) -> None:
    """Insist that readers of the rendered story see what readers of a body do."""
    assert [*unseen(html, FAITHFUL.from_html(html))] == []


def _row(name: str, held: list[SiteBody], missing: list[str]) -> dict[str, object]:
    """Convert every body of a site; note what is missing, and return its counts."""
    counts, raw, lost, losses = (Counter[str]() for _ in range(4))
    for body in held:
        if body.markdown:
            gone = _letters_gone(body.text)
            missing += [f"{body.key}: Markdown {dict(gone)}"] if gone else []
            continue
        converted = FAITHFUL.from_html(body.text)
        missing += [f"{body.key}: {each}" for each in wrong(body.text, converted)]
        not_seen = unseen(body.text, converted)
        missing += [f"{body.key}: readers do not see {each}" for each in not_seen]
        missing += [f"{body.key}: {each.what}" for each in problems(converted.document)]
        counts["words"] += len(words(of_html(body.text).lines))
        counts["held"] += len(words(of_document(converted.document).node_texts))
        for block in blocks_in(converted.document):
            raw[str(block.get("kind") or block["component"])] += _words_of(
                block.get("html")
            )
        lost.update(_lost_words(converted))
        losses.update(f"{loss.kind} ({loss.severity})" for loss in converted.losses)
    share = 100 * counts["held"] / counts["words"] if counts["words"] else 100.0
    return {
        "site": name,
        "bodies": len(held),
        "words": counts["words"],
        "in text nodes": f"{share:.2f}",
        "raw HTML, words": dict(raw),
        "lost, words": dict(lost),
        "losses": dict(losses),
        "unaccounted": len(missing),
    }


def _letters_gone(text: str) -> Counter[str]:
    document: JsonObject = FAITHFUL.from_markdown(text).document
    held = Counter(filter(str.isalpha, "".join(strings(document))))
    return Counter(filter(str.isalpha, text)) - held


def _words_of(html: object) -> int:
    return len(words(of_html(html).lines)) if isinstance(html, str) else 0


def _lost_words(converted: Converted) -> Counter[str]:
    found = Counter[str]()
    for loss in converted.losses:
        if loss.kind == "text" or loss.what.startswith("<"):
            found[loss.kind] += _words_of(loss.what)
    return found
