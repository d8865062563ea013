"""The parts of a table where a page shows them: captions above it, its foot below,
and cells that are as wide and as long as a page shows them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from typing import TypeAlias

from cmsmig.richtext.build.loss_collector import Collector
from cmsmig.richtext.deviations import Deviation
from cmsmig.richtext.html.dom import Element, Node, Text
from cmsmig.richtext.html.numbers import span
from cmsmig.richtext.html.visibility import INVISIBLE, LEFT_OUT

_SECTIONS = frozenset(("thead", "tbody", "tfoot"))
_IN_TABLES = _SECTIONS | {"table"}
_ROWS = frozenset(("thead", "tbody", "tr"))
_MOST_RUNNING = 100
"""Cells that go on into one row: of a table with more nothing is cut, so that the
time that this takes grows with the table alone."""

_Placed: TypeAlias = "tuple[Element, int, int, int, int]"
"""A cell with its columns and its kept rows: the first and that after the last."""


def taken_out_captions(table: Element) -> list[Element]:
    """Take the captions out of a table and return them."""
    found = list(_captions(table))
    for holder, caption in found:
        apart = Element("div", {}, caption.start)
        apart.parent = holder
        loose = any(isinstance(e, Text) and e.value.strip() for e in holder.children)
        at = next(i for i, each in enumerate(holder.children) if each is caption)
        holder.children[at : at + 1] = [apart] if loose else []
    return [caption for _, caption in found]


def lower_feet(table: Element) -> bool:
    """Move the feet of a table below its rows, where pages show them; return
    whether one was above."""
    tags = [each.tag if isinstance(each, Element) else "" for each in table.children]
    foot = tags.index("tfoot") if "tfoot" in tags else len(tags)
    above = not _ROWS.isdisjoint(tags[foot:])
    if above:
        children = zip(tags, table.children, strict=True)
        table.children = [
            each for _, each in sorted(children, key=lambda row: row[0] == "tfoot")
        ]
    return above


def leave_blank_rows(table: Element, losses: Collector) -> None:
    """Let rows without a cell, which show nothing, be no nodes, and list them."""
    for row in [row for rows in _sections(table) for row in rows]:
        leave_blank_row(row, losses)


def leave_blank_row(row: Element, losses: Collector) -> None:
    """Do the same for one row."""
    if not any(
        each.tag not in LEFT_OUT
        if isinstance(each, Element)
        else each.value.strip(INVISIBLE)
        for each in row.children
    ):
        losses.deviates(Deviation.TABLE_PARTS)
        losses.lose("table-blank", "<tr>", row)
        row.tag = "div"


def _sections(table: Element) -> Iterator[list[Element]]:
    """Yield the rows of each section of a table; rows outside of one are a section."""
    for section, nodes in groupby(table.children, _section_of):
        inside: Sequence[Node] = section.children if section is not None else [*nodes]
        rows = [e for e in inside if isinstance(e, Element) and e.name == "tr"]
        if rows:
            yield rows


def cut_spans(table: Element, losses: Collector) -> None:
    """Let each cell span the columns and rows of it in which a cell begins, since a
    page shows no others. Rows that are no `tr` any more are none."""
    placed: list[_Placed] = []
    for rows in _sections(table):
        found = _placed(rows)
        if found is None:
            return
        placed += found
    columns = sorted({each[1] for each in placed})
    for cell, left, right, top, bottom in placed:
        width = bisect_left(columns, right) - bisect_left(columns, left)
        for name, size in (("colspan", width), ("rowspan", bottom - top)):
            if span(cell.attributes, name) != size:
                losses.deviates(Deviation.TABLE_PARTS)
                cell.attributes[name] = str(size)


def cut_stray_spans(part: Element, losses: Collector) -> None:
    """Do the same for a cell outside of a row, which is one of a single row, and for
    rows outside of a table, at the first of them."""
    around = part.parent
    if around is None:
        return
    if part.tag == "tr":
        if part.nth == 1 and around.tag not in _IN_TABLES:
            cut_spans(around, losses)
    elif around.tag != "tr":
        losses.deviates(Deviation.TABLE_PARTS)
        part.attributes.pop("colspan", None)
        part.attributes.pop("rowspan", None)


def _placed(rows: list[Element]) -> list[_Placed] | None:
    """Return where the cells of a section are; None where too many go on into a row.
    Source: the HTML standard, forming a table."""
    kept = [0, *accumulate(row.tag == "tr" for row in rows)]
    running: list[tuple[int, int, int]] = []
    placed: list[_Placed] = []
    for index, row in enumerate(rows):
        running = [each for each in running if each[2] > index]
        if len(running) > _MOST_RUNNING:
            return None
        column, above = 0, iter(running)
        running, left = [*running], next(above, None)
        for cell in row.children:
            if not (isinstance(cell, Element) and cell.tag in ("td", "th")):
                continue
            while left is not None and left[0] <= column:
                column, left = max(column, left[1]), next(above, None)
            right = column + span(cell.attributes, "colspan")
            length = span(cell.attributes, "rowspan") or len(rows)
            bottom = min(index + length, len(rows))
            placed.append((cell, column, right, kept[index], kept[bottom]))
            running.append((column, right, bottom))
            column = right
        running.sort()
    return placed


def _section_of(node: Node) -> Element | None:
    in_section = isinstance(node, Element) and node.tag in _SECTIONS
    return node if isinstance(node, Element) and in_section else None


def _captions(table: Element) -> Iterator[tuple[Element, Element]]:
    """Yield the captions of a table, each behind the element that holds it."""
    for child in table.children:
        if not isinstance(child, Element):
            continue
        if child.tag == "caption":
            yield table, child
        elif child.tag in _SECTIONS:
            for each in child.children:
                if isinstance(each, Element) and each.tag == "caption":
                    yield child, each
