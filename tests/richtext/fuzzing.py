"""What is asked of the converter for each mutated body."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from reading import unread
from validity import faults

from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.render import render_rich_text
from cmsmig.steps.converting import document_text, losses_text

_FAITHFUL, _EXACT = NativeEngine(), NativeEngine(Mode.EXACT)


def work(text: str, number: int) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what to do with an input, by name; some of it with a share only."""
    yield "faithful", lambda: _FAITHFUL.from_html(text)
    yield "exact", lambda: _EXACT.from_html(text)
    if number % 10 == 0:
        yield "markdown", lambda: _FAITHFUL.from_markdown(text)
        document = _FAITHFUL.from_html(text).document
        yield "render", lambda: render_rich_text(document)
    if number % 50 == 0:
        yield "markdown exact", lambda: _EXACT.from_markdown(text)


def checks(kind: str, text: str, made: object) -> Iterator[str]:
    """Yield what is wrong with a result."""
    if not isinstance(made, Converted):
        return
    exact = "exact" in kind
    yield from faults(made.document, exact=exact)
    for written in (document_text(made.document), losses_text(made)):
        written.encode("utf-8", "surrogatepass")
    if kind == "faithful":
        yield from unread(text, made)


def verdicts(text: str, number: int) -> list[str]:
    """Return everything that is wrong with what becomes of an input."""
    found: list[str] = []
    try:
        for kind, call in work(text, number):
            found.extend(f"{kind}: {each}" for each in checks(kind, text, call()))
    except Exception as error:
        found.append(f"raises: {type(error).__name__}: {error}")
    return found
