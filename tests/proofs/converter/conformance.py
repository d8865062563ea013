"""Our converter against the official one, live.

usage: conformance.py [--documents N] [--markdown N] [--soup N] [--seed SEED]
                      [--write] [--report FILE] [--only recorded|random]

Needs Node; the official package is installed on demand, as pinned. First the
recorded outputs under tests/richtext/official are made again (`--write` renews
them), then random bodies and Markdown texts are converted by both, and with
`--soup` any markup at all, half of it malformed. Prints a table
and the first differences, as small as they could be made; exits 1 on any.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import json
import platform
import re
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cmsmig.errors import OfficialError, OfficialFailedError
from cmsmig.official.bridge import Official, open_official
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import Mode, NativeEngine
from tests.proofs.converter.random_bodies import random_body
from tests.proofs.converter.random_markdown import random_markdown
from tests.proofs.converter.random_soup import random_soup

RECORDED = Path(__file__).resolve().parents[3] / "tests" / "richtext" / "official"
AT_ONCE = 4
SHOWN = 5
"""Differences of a kind that are printed; the report holds more."""
REDUCED = 25
"""Differences of a kind that are made small and kept in the report."""
TRIES = 300
"""Conversions that making one difference small may take."""


@dataclass(frozen=True)
class Difference:
    """One input on which two outputs differ."""

    name: str
    source: str
    ours: str
    official: str
    labels: tuple[str, str] = ("official", "ours")

    def text(self) -> str:
        """Return input and differing lines for a person."""
        lines = difflib.unified_diff(
            _lines(self.official), _lines(self.ours), *self.labels, n=2
        )
        shown = [line.rstrip("\n") for line in lines]
        kept = [*shown[:60], "..."] if len(shown) > 60 else shown
        return "\n".join(
            [f"## {self.name}", f"input: {self.source[:1500]!r}", *kept, ""]
        )


@dataclass
class Tally:
    """What became of one kind of comparison."""

    what: str
    labels: tuple[str, str] = ("official", "ours")
    needed: bool = True
    """Whether having compared nothing is a fault."""
    compared: int = 0
    equal: int = 0
    unanswered: int = 0
    differences: list[Difference] = field(default_factory=list)

    def take(self, name: str, source: str, ours: str, official: str) -> bool:
        """Count one comparison; return whether both are equal."""
        self.compared += 1
        if ours == official:
            self.equal += 1
            return True
        if len(self.differences) < REDUCED:
            self.differences.append(
                Difference(name, source, ours, official, self.labels)
            )
        return False

    @property
    def fine(self) -> bool:
        """Whether nothing differs."""
        return self.equal == self.compared and not (self.needed and not self.compared)


def main(arguments: list[str]) -> int:
    """Compare, print, write the report; return the exit code."""
    parser = argparse.ArgumentParser(prog="conformance.py")
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--markdown", type=int, default=500)
    parser.add_argument("--soup", type=int, default=0)
    parser.add_argument("--seed", type=int, default=20_260)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", choices=("recorded", "random"))
    parser.add_argument(
        "--report", type=Path, default=Path(tempfile.gettempdir(), "conformance.txt")
    )
    chosen = parser.parse_args(arguments)
    try:
        return asyncio.run(_compare(chosen))
    except OfficialError as error:
        print(error, file=sys.stderr)
        return 2


async def _compare(chosen: argparse.Namespace) -> int:
    tallies: list[Tally] = []
    async with open_official(observer=lambda event: print(event)) as official:
        if chosen.only != "random":
            tallies += await recorded(official, write=chosen.write)
        if chosen.only != "recorded":
            print(f"seed {chosen.seed} (--seed {chosen.seed} gives the same inputs)")
            tallies += await random_texts(official, chosen)
    texts = [each.text() for tally in tallies for each in tally.differences]
    table = _table(tallies)
    chosen.report.write_text("\n".join([table, *texts]), encoding="utf-8")
    for tally in tallies:
        for each in tally.differences[:SHOWN]:
            print(each.text())
    print(table)
    print(f"report: {chosen.report}")
    return 0 if all(tally.fine for tally in tallies) else 1


# The recorded outputs.


async def recorded(official: Official, *, write: bool) -> list[Tally]:
    """Make every recorded output again; with `write`, renew the files."""
    labels = ("recorded", "live")
    documents = Tally("recorded documents, made again", labels)
    rendered = Tally("recorded renderings, made again", labels)
    for path in sorted(RECORDED.glob("*.json")):
        cases = json.loads(path.read_text(encoding="utf-8"))
        for case in cases:
            name = f"{path.stem}/{case['name']}"
            source, ask = _asking(official, case)
            text = await ask(source)
            document = json.loads(text)
            html = await official.render(document)
            documents.take(name, source, text, json_text(case["document"]))
            case["document"] = document
            if "rendered" in case:
                rendered.take(name, source, html, case["rendered"])
                case["rendered"] = html
        if write:
            path.write_text(recorded_text(cases), encoding="utf-8")
    if not documents.compared:
        print(f"nothing is recorded in {RECORDED}", file=sys.stderr)
    return [documents, rendered]


def _asking(
    official: Official, case: dict
) -> tuple[str, Callable[[str], Awaitable[str]]]:
    if "markdown" in case:
        return case["markdown"], official.markdown_text
    return case["html"], official.convert_text


def recorded_text(cases: list[dict]) -> str:
    """Return cases as they are recorded: one a line, so that diffs are small."""
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    return f"[\n{lines}\n]\n"


# Random texts.


async def random_texts(official: Official, chosen: argparse.Namespace) -> list[Tally]:
    """Convert random bodies and Markdown texts by both."""
    exact, bare = NativeEngine(Mode.EXACT), NativeEngine(deviations=frozenset())
    bodies = Tally("random bodies: exact = official")
    plain = Tally("random bodies: faithful without deviations = official")
    markdown = Tally("random Markdown: exact = official", needed=False)
    soup = Tally("random markup: exact = official", needed=False)

    async def body(index: int) -> None:
        await both(f"body {index}", random_body(chosen.seed, index), bodies)

    async def stirred(index: int) -> None:
        await both(f"soup {index}", random_soup(chosen.seed, index), soup)

    async def both(name: str, html: str, bodies: Tally) -> None:
        text = await _answered(official.convert_text, html, bodies)
        if text is None:
            return
        bodies.take(name, html, _ours(exact.from_html, html), text)
        plain.take(name, html, _ours(bare.from_html, html), text)

    async def marked(index: int) -> None:
        source = random_markdown(chosen.seed, index)
        text = await _answered(official.markdown_text, source, markdown)
        if text is not None:
            ours = _ours(exact.from_markdown, source)
            markdown.take(f"markdown {index}", source, ours, text)

    await _each(body, chosen.documents, "bodies")
    await _each(marked, chosen.markdown, "Markdown texts")
    await _each(stirred, chosen.soup, "soups")
    await _reduce(bodies, official.convert_text, exact.from_html)
    await _reduce(soup, official.convert_text, exact.from_html)
    await _reduce(markdown, official.markdown_text, exact.from_markdown)
    await _reduce(plain, official.convert_text, bare.from_html)
    return [bodies, soup, plain, markdown]


async def _answered(
    ask: Callable[[str], Awaitable[str]], source: str, tally: Tally
) -> str | None:
    try:
        return await ask(source)
    except OfficialFailedError:
        tally.unanswered += 1
        return None


def _ours(convert: Callable[[str], Converted], source: str) -> str:
    try:
        return json_text(convert(source).document)
    except Exception as error:
        return json_text({"raised": repr(error)})


def json_text(value: object) -> str:
    """Return JSON without blanks, as JavaScript writes it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


async def _each(work: Callable[[int], Awaitable[None]], total: int, what: str) -> None:
    """Work on every index, several at once, and show how far it is."""
    indexes, shown = iter(range(total)), 0.0

    async def some() -> None:
        nonlocal shown
        for index in indexes:
            await work(index)
            if sys.stderr.isatty() and time.monotonic() - shown > 0.5:
                shown = time.monotonic()
                print(f"\r{index + 1} of {total} {what}", end="", file=sys.stderr)

    await asyncio.gather(*(some() for _ in range(AT_ONCE)))
    print(f"\r{total} of {total} {what}", file=sys.stderr)


# Making differences small.


async def _reduce(
    tally: Tally,
    ask: Callable[[str], Awaitable[str]],
    convert: Callable[[str], Converted],
) -> None:
    """Replace each kept difference by the smallest found; drop repeated ones."""
    small: dict[str, Difference] = {}
    for each in tally.differences:
        found = each
        left = TRIES
        progress = True
        while progress and left > 0:
            progress = False
            for source in _smaller(found.source):
                left -= 1
                if left < 0:
                    break
                text = await _answered(ask, source, Tally(""))
                ours = _ours(convert, source)
                if text is not None and text != ours:
                    found = Difference(each.name, source, ours, text)
                    progress = True
                    break
        small.setdefault(found.source, found)
    tally.differences = list(small.values())


def _smaller(source: str) -> Iterator[str]:
    """Yield texts with parts left out, the large parts first.

    Elements go whole, or their two tags do, so that what is well-formed stays so.
    """
    parts = re.findall(r"<[^<>]*>|[^<>\s]+|\s+|[<>]", source)
    ends = _ends(parts)
    size = max(len(parts) // 2, 1)
    while size >= 1:
        for start in range(0, len(parts), size):
            stop = start + size
            if all(start <= ends.get(at, at) < stop for at in range(start, stop)):
                yield "".join(parts[:start] + parts[stop:])
        size //= 2
    for at, end in ends.items():
        if at < end:
            yield "".join(parts[:at] + parts[end + 1 :])
            yield "".join(parts[:at] + parts[at + 1 : end] + parts[end + 1 :])
    for at, part in enumerate(parts):
        for attribute in re.findall(r"\s+[^\s=<>/]+(?:=\"[^\"]*\"|='[^']*')?", part):
            if part.startswith("<"):
                bare = part.replace(attribute, "", 1)
                yield "".join([*parts[:at], bare, *parts[at + 1 :]])


def _ends(parts: list[str]) -> dict[int, int]:
    """Return for each tag of a pair where the other one is."""
    found: dict[int, int] = {}
    opened: list[tuple[str, int]] = []
    for at, part in enumerate(parts):
        tag = re.match(r"<(/?)([a-zA-Z][^\s/>]*)", part)
        if tag is None:
            continue
        name = tag[2].lower()
        if not tag[1]:
            opened.append((name, at))
        elif name in [each for each, _ in opened]:
            while opened[-1][0] != name:
                opened.pop()
            start = opened.pop()[1]
            found |= {start: at, at: start}
    return found


# What is printed.


def _lines(text: str) -> list[str]:
    try:
        shown = json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    except ValueError:
        shown = text
    if "\n" not in shown:
        return [shown + "\n"]
    return shown.splitlines(keepends=True)


def _table(tallies: list[Tally]) -> str:
    rows = [
        f"| {each.what} | {each.compared} | {each.equal} | "
        f"{each.compared - each.equal} | {each.unanswered} |"
        for each in tallies
    ]
    head = f"Python {platform.python_version()}"
    columns = f"| {head} | compared | equal | different | official failed |"
    return "\n".join([columns, "|---|---|---|---|---|", *rows])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
