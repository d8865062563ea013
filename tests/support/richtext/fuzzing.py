"""What is asked of the converter for each mutated body."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from cmsmig.richtext.engine import Converted
from cmsmig.richtext.native import Mode, NativeEngine
from cmsmig.richtext.render import render_rich_text
from cmsmig.steps.batch_conversion import document_text, losses_text
from tests.support.richtext.conservation import of_document, of_losses
from tests.support.richtext.extremes import Extreme
from tests.support.richtext.reading import unread
from tests.support.richtext.validity import faults

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


TOO_STEEP = 3.0
"""How many times as long twice as much may take; 2 is linear."""
NOISE = 0.2
"""Seconds below which a measurement says nothing."""


def excessive(extreme: Extreme) -> dict[str, list]:
    """Convert an extreme at full and at half size: what it took, what is wrong."""
    html, half = extreme.written(extreme.full), extreme.written(extreme.full // 2)
    cells: list[object] = [f"{len(html) / 1e6:.1f}"]
    found: list[str] = []
    for name, engine in (("faithful", _FAITHFUL), ("exact", _EXACT)):
        try:
            took, made = _took(engine, html)
            before, _ = _took(engine, half)
            if took > NOISE and took > TOO_STEEP * before:
                took, before = min(took, _took(engine, html)[0]), _took(engine, half)[0]
            ratio = took / max(before, 1e-9)
            if took > NOISE and ratio > TOO_STEEP:
                found.append(f"{name}: {ratio:.1f} times as long for twice as much")
            found.extend(_lasting(name, extreme, html, made))
            cells += [f"{took:.2f}", f"{ratio:.1f}"]
        except Exception as error:
            cells += ["", ""]
            found.append(f"{name}: {type(error).__name__}: {str(error)[:80]}")
    return {"cells": cells, "found": found}


def _took(engine: NativeEngine, html: str) -> tuple[float, Converted]:
    began = time.process_time()
    made = engine.from_html(html)
    return time.process_time() - began, made


def _lasting(name: str, extreme: Extreme, html: str, made: Converted) -> Iterator[str]:
    yield from (
        f"{name}: {each}" for each in set(faults(made.document, exact=name == "exact"))
    )
    document_text(made.document)
    render_rich_text(made.document)
    if name == "faithful":
        shown = html.count("x") if extreme.texts is None else extreme.texts
        shown = extreme.full if shown < 0 else shown
        texts = (*of_document(made.document).texts, *of_losses(made.losses).texts)
        held = sum(each.count("x") for each in texts)
        if held < shown:
            yield f"{shown - held} of {shown} texts are gone"


def verdicts(text: str, number: int) -> list[str]:
    """Return everything that is wrong with what becomes of an input."""
    found: list[str] = []
    try:
        for kind, call in work(text, number):
            found.extend(f"{kind}: {each}" for each in checks(kind, text, call()))
    except Exception as error:
        found.append(f"raises: {type(error).__name__}: {error}")
    return found
