"""Our converter against the official one, live.

Needs Node; the official package is installed on demand, as pinned. First the recorded
outputs under tests/richtext/official are made again (`--write` renews them), then both
convert plain bodies, any bodies, Markdown texts and any markup at all, half of it
malformed. Where ours notes no deviation, and in all plain bodies, the documents are the
same bytes. Prints the differences, those of drawn inputs as small as they can be made;
exits 1 on any.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterator

from cmsmig.errors import OfficialError, OfficialFailedError
from cmsmig.json_text import json_text
from cmsmig.official.bridge import Official, open_official
from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import NativeEngine
from tests.proofs.converter.searching import falsified
from tests.support.richtext.bodies import bodies, garbage, markdown, plain
from tests.support.richtext.recorded import FOLDER, difference

ENGINE = NativeEngine()


def main(arguments: list[str]) -> int:
    """Compare, print; return the exit code."""
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.add_argument("--documents", type=int, default=5_000)
    parser.add_argument("--markdown", type=int, default=500)
    parser.add_argument("--soup", type=int, default=1_000)
    parser.add_argument("--seed", default="20260")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", choices=("recorded", "random"))
    try:
        return asyncio.run(_compare(parser.parse_args(arguments)))
    except OfficialError as error:
        print(error, file=sys.stderr)
        return 2


async def _compare(chosen: argparse.Namespace) -> int:
    differing = 0
    async with open_official(observer=print) as official:
        if chosen.only != "random":
            differing += await _recorded(official, write=chosen.write)
        if chosen.only != "recorded":
            loop = asyncio.get_running_loop()
            live = Live(official, loop)
            differing += await asyncio.to_thread(_drawn, live, chosen)
    return int(differing > 0)


async def _recorded(official: Official, *, write: bool) -> int:
    """Make every recorded output again; return how many differ. `write` renews them."""
    compared, differing = 0, 0
    for path in sorted(FOLDER.glob("*.json")):
        cases = json.loads(path.read_text(encoding="utf-8"))
        for case in cases:
            kind = "markdown" if "markdown" in case else "html"
            ask = (
                official.markdown_text if kind == "markdown" else official.convert_text
            )
            document = json.loads(await ask(case[kind]))
            new = {"document": document, "rendered": await official.render(document)}
            for name, made in new.items():
                before, after = json_text(case[name]), json_text(made)
                compared += 1
                differing += before != after
                if before != after:
                    print(difference(before, after, f"{path.stem}/{case['name']}"))
            case.update(new)
        if write:
            lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in cases)
            path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{compared} recorded documents and renderings, {differing} differ")
    return differing + (not compared)


class Live:
    """The official converter, asked from another thread."""

    def __init__(self, official: Official, loop: asyncio.AbstractEventLoop) -> None:
        self._official = official
        self._loop = loop
        self.compared = self.failed = self.noted = 0

    def _answers(
        self, ask: Callable[[str], Awaitable[str]], text: str
    ) -> Iterator[str]:
        """Yield its answer; nothing where it fails itself."""
        waiting = asyncio.run_coroutine_threadsafe(ask(text), self._loop)  # type: ignore[arg-type]
        self.compared += 1
        try:
            yield waiting.result()
        except OfficialFailedError:
            self.failed += 1

    def check_html(self, html: str) -> None:
        """Insist that a document without a noted deviation is as its."""
        for answer in self._answers(self._official.convert_text, html):
            self._check(ENGINE.from_html(html), answer)

    def check_plain(self, html: str) -> None:
        """Insist that nothing deviates of a body of plain elements."""
        assert ENGINE.from_html(html).deviations == ()
        self.check_html(html)

    def check_markdown(self, text: str) -> None:
        """Insist on the same of a Markdown text."""
        for answer in self._answers(self._official.markdown_text, text):
            self._check(ENGINE.from_markdown(text), answer)

    def _check(self, made: Converted, answer: str) -> None:
        self.noted += bool(made.deviations)
        assert made.deviations or json_text(made.document) == answer


def _drawn(live: Live, chosen: argparse.Namespace) -> int:
    """Compare drawn texts; return how many kinds of them have differences."""
    found = 0
    for what, check, inputs, count in (
        ("plain bodies", live.check_plain, plain, chosen.documents),
        ("bodies", live.check_html, bodies, chosen.documents),
        ("Markdown texts", live.check_markdown, markdown, chosen.markdown),
        ("texts of any markup", live.check_html, garbage, chosen.soup),
    ):
        live.compared = live.failed = live.noted = 0
        differs = count > 0 and falsified(check, inputs, count=count, start=chosen.seed)
        found += differs
        result = "DIFFERENT" if differs else "equal"
        print(
            f"{what}: {live.compared} compared, {live.failed} official failed, "
            f"{live.noted} with noted deviations, the others {result}"
        )
    return found
