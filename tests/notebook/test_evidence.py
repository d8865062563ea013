"""The report as bytes: nothing in it runs or loads, and all of it is there."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import html

from cmsmig.evidence.checklist import checklist
from cmsmig.evidence.checks import CheckState
from cmsmig.evidence.evidence import evidence_json
from cmsmig.evidence.old_addresses import (
    site_address,
    space_address,
    write_redirects,
)
from cmsmig.evidence.report import checklist_doc, report_page, write_report
from cmsmig.evidence.report_findings import FindingSet
from cmsmig.evidence.summary import FileCount
from cmsmig.ledger.rows import Accounting
from cmsmig.mapping.redirects.address_map import (
    AddressMap,
    AddressOutcome,
    AddressRow,
    Source,
)
from cmsmig.mapping.select.address import Address
from cmsmig.steps.verify.differences import (
    Difference,
    DifferenceCode,
    Verification,
)
from cmsmig.ui.documents.findings import Finding
from cmsmig.ui.format import moment
from tests.support.notebook.made_evidence import evidence_of, site_at

ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p"),
    *("div", "table", "thead", "tbody", "tr", "th", "td", "code", "strong", "span"),
    *("br", "wbr", "a", "caption", "details", "summary"),
}
PRINTED = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1
)
HOSTILE = st.one_of(
    PRINTED,
    st.sampled_from(
        [
            "<script>top.ran=1</script>",
            "\"><img/src=x/onerror='top.ran=1'>",
            "</title></style></table><iframe/src=//evil.example>",
            "{{7*7}}{%raw%}",
        ]
    ),
)


@settings(max_examples=40)
@given(HOSTILE)
def test_whatever_services_said_is_text_in_the_page(text: str) -> None:
    """Only known elements, no attribute that loads or runs, and the text itself."""
    evidence = evidence_of(text)
    page = html.document_fromstring(report_page(evidence, checklist(evidence)))
    assert {each.tag for each in page.iter()} <= ALLOWED
    names = {name for each in page.iter() for name in each.attrib}
    assert names <= {
        "lang",
        "charset",
        "name",
        "content",
        "http-equiv",
        "class",
        "scope",
        "style",
        "role",
        "tabindex",
        "aria-label",
        "href",
        "rel",
        "target",
    }
    styles = {each.get("style") for each in page.iter()}
    assert styles <= {None, "text-align:left", "text-align:right"}
    for link in page.iter("a"):
        assert link.get("href").startswith("https://")
    assert text in page.text_content()


@given(HOSTILE)
def test_report_json_holds_every_failure_whole(text: str) -> None:
    """Item, step, reason and next action survive any text, as one JSON document."""
    document = json.loads(json.dumps(evidence_json(evidence_of(text))))
    [failure] = document["failures"]
    assert failure["explanation"] == failure["name"] == text
    assert failure["subject"] == "c/i@l"
    assert failure["step"] == "create"
    assert failure["next_action"]
    assert document["exit_code"] == 4


def test_the_page_forbids_every_request() -> None:
    """A policy lets nothing load, and an address of another host is only to click."""
    page = report_page(evidence_of("x"), ())
    assert "default-src 'none'" in page
    assert "http://" not in page
    assert page.count("https://") == page.count("https://x/") == 5
    assert '<a href="https://x/" target="_blank" rel="noopener noreferrer">' in page


@pytest.mark.parametrize(
    ("space_id", "base", "address"),
    [
        ("290512", "https://mapi.storyblok.com/v1", "https://app.storyblok.com/#/me/spaces/290512/dashboard"),
        ("290512", "http://127.0.0.1:8000/v1", ""),
        ("290512", "https://mapi.storyblok.com.evil.example/v1", ""),
        ("29'/../x", "https://mapi.storyblok.com/v1", ""),
    ],
)  # fmt: skip
def test_only_a_space_of_the_service_gets_a_link(
    space_id: str, base: str, address: str
) -> None:
    """A sandbox has no page to open, and an id that is no number is none."""
    assert space_address(space_id, base) == address


@pytest.mark.parametrize(
    ("domain", "address"),
    [
        ("www.example.com", "https://www.example.com/"),
        ("evil.example/login?x=", ""),
        ("me@evil.example", ""),
        ("", ""),
    ],
)
def test_only_a_host_becomes_the_old_site_s_link(domain: str, address: str) -> None:
    """What the origin calls a domain and is none is not opened."""
    assert site_address(site_at(domain)) == address


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("2026-05-03T14:05:09+00:00", "3 May 2026, 14:05 UTC"),
        ("2026-05-03T14:05:09+02:00", "3 May 2026, 12:05 UTC"),
        ("last week", "last week"),
    ],
)
def test_a_moment_in_words(at: str, words: str) -> None:
    """What people wrote by hand stays as it is."""
    assert moment(at) == words


def test_a_report_is_a_page_a_document_and_lists(tmp_path: Path) -> None:
    """report.html and report.json and a CSV of each list, made with their folder."""
    folder = tmp_path / "new" / "run"
    written = write_report(folder, evidence_of("x"))
    names = [str(each.relative_to(folder)) for each in written]
    assert names == ["report.html", "report.json", "lists/losses.csv"]
    assert json.loads(written[1].read_text())["site"] == "x"


def test_a_list_is_filled_in_and_leads_to_both_pages(tmp_path: Path) -> None:
    """Its CSV ends with an empty column; old and new page are links; what is layout
    alone is folded and counted, and content is not."""
    seen = Finding("Kind", "Item", "/a", "F", "x", "Why.", "Do.", "content", "/b")
    layout = replace(seen, kind="Margin", severity="layout")
    listed = FindingSet("alts", "Alts", "", lambda: iter([seen, layout]), "New text")
    made = evidence_of("x")
    moved = replace(made.redirects, host="https://new.example")
    evidence = replace(
        made, findings=(listed,), redirects=moved, site_address="https://old.example/"
    )
    page_file, _, file = write_report(tmp_path, evidence)
    head, *rows = csv.reader(io.StringIO(file.read_text()))
    assert head[-1] == "New text"
    assert [row[-1] for row in rows] == ["", ""]
    page = html.document_fromstring(page_file.read_text())
    links = [each.get("href") for each in page.iter("a")]
    assert links.count("https://old.example/a") == 3, "two findings, one redirect"
    assert links.count("https://new.example/b") == 3
    folded = [each.text_content() for each in page.iter("summary")]
    assert "Layout: how it looks (1)" in folded
    shown = [each.text_content() for each in page.iter("caption")]
    assert "Content that readers saw or could click (1)" in shown


def test_a_report_has_the_hashes_of_its_page_and_lists(tmp_path: Path) -> None:
    """By their names in its folder; and what made it."""
    write_report(tmp_path, evidence_of("x"))
    document = json.loads((tmp_path / "report.json").read_text())
    files = [tmp_path / "report.html", *(tmp_path / "lists").iterdir()]
    assert len(files) > 1
    assert document["sha256"] == {
        str(path.relative_to(tmp_path)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }
    assert document["made_by"].keys() == {"cmsmig", "Python"}


def test_every_line_of_the_checklist_that_can_be_computed_is() -> None:
    """Bad evidence opens its lines, good evidence closes the same ones."""
    bad = evidence_of("x")
    good = replace(
        bad,
        accounting=Accounting(2, 1, 0, 1, 0, 0),
        files=FileCount(1, 1, 0, 0, 0),
        failures=(),
        losses=(),
        plan={"calls": {"read_space": 1, "create_stories": 0}},
        redirects=AddressMap(bad.redirects.rows[:1]),
        verification=Verification(),
    )
    states = {each.what: each.state for each in checklist(bad)}
    opened = {what for what, state in states.items() if state is CheckState.OPEN}
    closed = {each.what: each.state for each in checklist(good)}
    assert len(opened) == 5
    assert {closed[what] for what in opened} == {CheckState.DONE}
    assert CheckState.OPEN not in closed.values()


def test_what_needs_someone_comes_first_by_who() -> None:
    """A line that is done is below those that are not; edits that stay are no green
    line."""
    edit = Difference(DifferenceCode.FIELD_VALUE, "c/i@l", "title", "other")
    kept = replace(evidence_of("x"), verification=Verification(kept=[edit]))
    checks = checklist(kept)
    states = {each.what: each.state for each in checks}
    assert states["Everything was read back and compared"] is CheckState.PERSON
    *tables, _, folded = checklist_doc(checks)
    assert [each.caption for each in tables] == [
        f"{who} ({len(each.rows)})"
        for who, each in zip(
            ("Operator", "Editor", "Developer", "SEO"), tables, strict=True
        )
    ]
    assert [e.what for e in checks if e.state is CheckState.DONE] == [
        row[1] for row in folded.parts[0].rows
    ]


PATHS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1)


def moved_map(pairs: list[tuple[str, str, str]]) -> AddressMap:
    """Return a map of moved addresses of named items."""
    sources = (Source.ITEM,)
    return AddressMap(
        tuple(
            AddressRow(
                str(Address(f"/{old}")),
                AddressOutcome.MOVED,
                sources,
                f"/{new}",
                name=name,
            )
            for old, new, name in pairs
        )
    )


@given(st.lists(st.tuples(PATHS, PATHS, PATHS)))
def test_a_csv_reader_gets_each_redirect_back(
    pairs: list[tuple[str, str, str]],
) -> None:
    """Quotes, commas, blanks and line breaks in a slug stay inside their field."""
    with TemporaryDirectory() as folder:
        _, file, *_ = write_redirects(Path(folder), moved_map(pairs))
        rows = list(csv.reader(io.StringIO(file.read_text())))
    assert rows[0] == ["old", "new", "status"]
    assert sorted([*map(unquote, row)] for row in rows[1:]) == sorted(
        [f"/{old}", f"/{new}", "301"] for old, new, _ in pairs
    )


UNSEEN = (
    "\0\t\n\r \x0b\x1b\x7f\x85\xa0\xad\u200b\u200d\u2028\u202e\u2060\u3164\ufe0f\ufeff"
)
CELLS = st.text(
    st.sampled_from(UNSEEN + '=+-@;,"|＝－')
    | st.characters(exclude_categories=("Cs",)),
    max_size=20,
)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1))
@example([("\0=A1", "\u200b=A1", "\ufeff@A1")])
@example([("a;=A1", 'a;"=A1', "a; \u200b+A1")])
def test_no_cell_is_a_formula(rows: list[tuple[str, str, str]]) -> None:
    """Whatever the spreadsheet takes for the separator, skips or drops."""
    with TemporaryDirectory() as folder:
        files = write_redirects(Path(folder), moved_map(rows))[:2]
        written = [path.read_bytes() for path in files]
    for text in (each.decode() for each in written):
        assert len(text.splitlines()) == len(rows) + 1
        for separator in ",;\t":
            for row in csv.reader(io.StringIO(text), delimiter=separator):
                for cell in row:
                    seen = "".join(c for c in cell if c not in UNSEEN)
                    assert not seen.startswith(("=", "+", "-", "@", "＝", "－")), row


def test_the_report_leads_to_its_folder(tmp_path: Path) -> None:
    """By name, as a link that holds wherever the folder is copied."""
    evidence = evidence_of("x")
    page, *_ = write_report(tmp_path / "20261129T101500Z-by-hand", evidence)
    [link] = html.document_fromstring(page.read_text("utf-8")).xpath("//a[@href='./']")
    assert link.text_content() == "20261129T101500Z-by-hand"
