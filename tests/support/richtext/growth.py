"""How the work for one construct grows with its size, on every path a value takes."""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cmsmig.mapping.cleaning.cleaner import cleaned_value
from cmsmig.mapping.cleaning.findings import findings_in
from cmsmig.mapping.cleaning.likeness import sketch
from cmsmig.mapping.cleaning.search import searched_text
from cmsmig.mapping.convert.content_shape import shape_of
from cmsmig.mapping.convert.file_addresses import in_html, in_text
from cmsmig.mapping.decisions.cleaning import (
    AltText,
    CleaningKind,
    Operation,
    Within,
)
from cmsmig.mapping.decisions.design import Encoding
from cmsmig.notebook.inspect.item_values import ValueContext, value_html
from cmsmig.notebook.preview.body_panes import compared
from cmsmig.origin.schema import Field
from cmsmig.review.bodies import ConvertedBody
from cmsmig.review.embeds import embeds_of
from cmsmig.richtext.links import rewrite_links
from cmsmig.richtext.native import NativeEngine
from cmsmig.richtext.plain_text import html_text
from cmsmig.richtext.schema.validate import problems
from cmsmig.steps.batch_conversion import document_text, losses_text
from cmsmig.survey.value_facts import cells_of, files_of
from cmsmig.ui.html.safe_html import NOTHING
from tests.support.mapping.drafting import FILES, drafted
from tests.support.richtext.constructs import ATTRIBUTE, BODY, FIELD, Construct
from tests.support.timelimit import TooLongError, at_most

SIZES = (16_384, 65_536, 262_144)
FLOOR = 0.05
"""Seconds below which a measurement says nothing."""
STEEPEST = 1.2
"""The largest exponent that passes: 1 is linear, 2 quadratic."""
LIMIT = 20.0
"""Seconds after which a measurement ends."""
_HOSTS = frozenset((FILES,))
_FAITHFUL = NativeEngine()
_TYPES = {
    Encoding.RICHTEXT: "RichText", Encoding.MULTILINK: "Link",
    Encoding.VIDEO_MULTILINK: "VideoLink", Encoding.VIDEO_TEXT: "VideoLink",
    Encoding.VIDEO_BLOCK: "VideoLink", Encoding.COLOR_TEXT: "Color",
    Encoding.COLOR_PLUGIN: "Color", Encoding.NUMBER: "Number",
    Encoding.DATETIME: "DateTime", Encoding.DATE: "DateTime", Encoding.ASSET: "Image",
    Encoding.MULTIASSET: "MultiImage", Encoding.BOOLEAN: "Switch",
    Encoding.OPTION: "Option", Encoding.TEXTAREA: "Email", Encoding.MARKDOWN: "Phone",
}  # fmt: skip
"""The origin type that each encoding is measured with; other encodings take text."""
_CONTEXT = ValueContext("UTC", {}, lambda sha256: "", {}, lambda *_: NOTHING)


def _faithful(text: str) -> object:
    made = _FAITHFUL.from_html(text)
    return document_text(made.document), losses_text(made)


def _markdown(text: str) -> object:
    return document_text(_FAITHFUL.from_markdown(text).document)


def _pull(text: str) -> object:
    field = _field("RichText")
    return (
        list(in_html(text + FILES, _HOSTS)),
        searched_text(field, text), list(files_of(field, text)), html_text(text),
    )  # fmt: skip


def _plan(text: str) -> object:
    document = _FAITHFUL.from_html(text).document
    problems(document)
    rewrite_links(document, lambda address: None)
    return shape_of({"body": document}), list(embeds_of(text))


def _preview(text: str) -> object:
    made = _FAITHFUL.from_html(text)
    return compared(text, ConvertedBody(made.document, made.losses), lambda: str)


_CLEANING = (
    Operation(kind=CleaningKind.TRIM),
    Operation(kind=CleaningKind.REPLACE, find="a", to="b"),
    Operation(kind=CleaningKind.REPLACE, find="/", to="|", within=Within.LINKS),
    Operation(kind=CleaningKind.HEADINGS, top=2, close_jumps=True, drop_empty=True),
    Operation(kind=CleaningKind.ALT_TEXT, alts=(AltText("i", "A"),)),
)


def _clean(text: str) -> object:
    field = _field("RichText")
    changed = [cleaned_value(each, field, "", text) for each in _CLEANING]
    return changed, list(findings_in(field, text, frozenset())), sketch(html_text(text))


def _field(kind: str) -> Field:
    return Field(
        field_id="f", slug="f", display_name="F", type=kind, required=False,
        help_text="", validations={},
    )  # fmt: skip


def _value(construct: Construct) -> Callable[[str], object]:
    kind = Encoding(construct.encoding)
    origin_type = _TYPES.get(kind, "PlainText")
    field = _field(origin_type)

    def work(text: str) -> object:
        return (
            drafted(text, kind, origin_type), list(in_text(text, _HOSTS)),
            searched_text(field, text), list(cells_of(field, text)),
            value_html(field, text, _CONTEXT),
        )  # fmt: skip

    return work


_BODY: Mapping[str, Callable[[str], object]] = {
    "faithful": _faithful, "markdown": _markdown, "pull": _pull,
    "plan": _plan, "preview": _preview, "clean": _clean,
}  # fmt: skip


def paths_of(construct: Construct) -> dict[str, Callable[[str], object]]:
    """Return what is done with a construct's text, by the name of the path."""
    if construct.kind == FIELD:
        return {"field": _value(construct)}
    if construct.kind == BODY:
        return {**_BODY}
    html = {name: work for name, work in _BODY.items() if name != "markdown"}
    if construct.kind == ATTRIBUTE:
        return html
    return {
        f"{name} {on}": _styled(work, on)
        for name, work in html.items()
        for on in ("span", "figure")
    }


def _styled(work: Callable[[str], object], on: str) -> Callable[[str], object]:
    def styled(text: str) -> object:
        held = text.replace("'", "&#39;")
        return work(f"<{on} style='{held}'>x<img src=i width=1></{on}>")

    return styled


@dataclass(frozen=True, slots=True)
class Growth:
    """What one construct takes on one path."""

    path: str
    name: str
    seconds: tuple[float, ...]
    """At `size` and, where that takes long enough to tell, at a fourth of it."""
    size: int

    @property
    def exponent(self) -> float:
        """Return by which power of the size the time grows; 0 where it is too short."""
        times = self.seconds
        if len(times) < 2 or times[0] < FLOOR:
            return 0.0
        return math.log(times[0] / max(times[1], 1e-6)) / math.log(4)

    def row(self) -> str:
        """Return the measurement as a row of a table."""
        full, *fourth = self.seconds
        smaller = f"{fourth[0]:.2f}" if fourth else ""
        kilobytes = f"{self.size // 1024}"
        cells = (f"{self.exponent:.2f}", kilobytes, f"{full:.2f}", smaller, self.path)
        return f"| {' | '.join(cells)} | `{self.name}` |"


def measured(construct: Construct, path: str, work: Callable[[str], object]) -> Growth:
    """Measure a construct on a path, the largest size that ends within the limit."""
    for size in reversed(SIZES):
        full = _least(work, construct.written(size), FLOOR)
        if full < LIMIT:
            break
    if full < FLOOR or size == SIZES[0]:
        return Growth(path, construct.name, (full,), size)
    found = Growth(path, construct.name, (), size)
    for _ in range(3):
        # The smallest of a few runs: other work of the machine only adds to one.
        fourth = _least(work, construct.written(size // 4), 0, runs=3)
        full = min(full, *found.seconds[:1]) if found.seconds else full
        found = Growth(path, construct.name, (full, fourth), size)
        if found.exponent <= STEEPEST or full > LIMIT / 4:
            return found
        full = min(full, _least(work, construct.written(size), 0))
    return found


def _least(
    work: Callable[[str], object], text: str, enough: float, runs: int = 1
) -> float:
    best = LIMIT
    gc.collect()
    gc.disable()
    try:
        for _ in range(runs):
            began = time.process_time()
            with at_most(LIMIT):
                work(text)
            best = min(best, time.process_time() - began)
            if best < enough:
                break
    except TooLongError:
        return LIMIT
    finally:
        gc.enable()
    return best
