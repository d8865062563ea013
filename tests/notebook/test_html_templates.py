"""The templates: nothing in them lets a value through as more than text."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes
from markupsafe import Markup

import cmsmig
from cmsmig.ui.html.html_templates import breakable_html, fragment
from cmsmig.ui.html.word_marks import side_by_side
from cmsmig.ui.job import JobView
from cmsmig.ui.meter import Meter, Stage
from cmsmig.ui.query import Query
from cmsmig.ui.relation import Column, Filter, Nouns, Source
from cmsmig.ui.rows import Rows
from cmsmig.ui.table import Place, TableView
from tests.support.timelimit import at_most

PACKAGE = Path(cmsmig.__file__).parent
TEMPLATES = sorted(
    path.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("*.html")
    if "sandbox" not in path.parts
)
EVIL = "\"'><script>alert(1)</script>"
FIELD = {**dict.fromkeys(("label", "key", "type"), EVIL), "losses": [EVIL]}
DESIGNED = dict.fromkeys(
    ("display_name", "encoding", "origin", "fields", "left_out"), EVIL
)
HELD = {
    "rows": [(EVIL, EVIL)],
    "options": [(EVIL, EVIL)],
    "parts": [EVIL],
    "cards": [EVIL],
    "columns": [(EVIL, EVIL)],
    "entries": [[(EVIL, EVIL)]],
    "lines": [(EVIL, [(EVIL, EVIL)])],
    "fields": [(EVIL, EVIL, EVIL, [EVIL])],
    "versions": [(EVIL, EVIL, EVIL)],
    "pieces": [(EVIL, EVIL), ("ins", EVIL), ("del", EVIL)],
    "head": [EVIL],
    "numbers": {0},
    "count": 2,
    "groups": [(EVIL, [(FIELD, EVIL)])],
    "changes": [(EVIL, EVIL, EVIL)],
    "schema": [(EVIL, EVIL, EVIL)],
    "listed": [(EVIL, DESIGNED, EVIL, True)],
    "field": {**DESIGNED, "required": True},
    "index": 0,
    "placed": [(0, EVIL)],
    "losses": [(EVIL,) * 7],
    "nodes": [(EVIL, EVIL, EVIL, EVIL)],
    "regions": [(EVIL, EVIL)],
    "lanes": [(EVIL, EVIL, EVIL, EVIL)],
    "wires": [(EVIL,) * 9],
}
"""Values that are not texts: what they hold is."""


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_value_of_every_template_is_escaped(template: str) -> None:
    """Whatever a value holds, it ends no attribute and opens no element."""
    parsed = jinja2.Environment().parse((PACKAGE / template).read_text("utf-8"))
    macros = {
        each.name: [argument.name for argument in each.args]
        for each in parsed.find_all(nodes.Macro)
    }
    assert macros
    for macro, names in macros.items():
        if "view" in names:
            continue  # a view renders it, below
        values = {name: HELD.get(name, EVIL) for name in names}
        made = fragment(template, macro, **values)
        assert "<script" not in made, macro
        assert "'><" not in made, macro


@pytest.mark.parametrize("live", [True, False])
def test_every_text_of_a_list_is_escaped(live: bool) -> None:
    """Titles, cells, options, nouns and messages, with a search and without."""
    columns = [Column(name, EVIL) for name in ("name", "kind")]
    rows = Rows(Nouns(EVIL, EVIL), columns, [Filter("kind", EVIL, "")])
    rows.put(0, [(0, (EVIL, EVIL))] * 30)
    view = TableView(Source(rows, Path(EVIL)))
    view.title = view.progress = EVIL
    view.opens, view.said = True, (EVIL, "bad")
    for query in (Query(), Query(text="script", filters=(("kind", EVIL),))):
        view.at = Place(query)
        made = view.html(live=live)
        assert "<script" not in made
        assert "'><" not in made
    view.at, view.history = Place(key=EVIL, opened=True), [Place(key=EVIL, opened=True)]
    assert "<script" not in view.html(live=live)


def test_every_text_of_a_job_is_escaped() -> None:
    """Label, stages, line and message."""

    class Job(JobView):
        async def work(self, meter: Meter) -> None: ...
        def meter(self) -> Meter: ...

    view = Job()
    view.start_label = view.line = EVIL
    view.stages, view.said = [Stage(EVIL, 3, 1, EVIL)], (EVIL, "bad")
    made = view.html(live=True)
    assert "<script" not in made
    assert "'><" not in made


def test_a_value_that_is_not_given_is_an_error() -> None:
    """A template never shows a gap in silence."""
    with pytest.raises(jinja2.UndefinedError, match="title"):
        fragment("ui/html/safe_html.html", "folded", content="x")


def test_lines_end_within_code_and_within_no_word() -> None:
    """At the signs of addresses and tags, and in long ids; no sign is taken apart."""
    for code, expected in (
        ("(Verfassungsbeschwerde’s),", "(Verfassungsbeschwerde’s),"),
        ("https://a.b/c/d/e-f", "https://<wbr>a.<wbr>b/<wbr>c/<wbr>d/<wbr>e-<wbr>f"),
        ("&lt;i&gt;&lt;b&gt;xx", "&lt;i&gt;&lt;<wbr>b&gt;<wbr>xx"),
        ("src=&#34;9001002034&#34; a", "src=&#34;<wbr>9001002034&#34; a"),
        ("412ff10fac3f4ab4a589aaa5", "412ff10fac3f<wbr>4ab4a589aaa5"),
    ):
        html = Markup(f'<p title="{code}">{code}</p>')
        assert breakable_html(html) == f'<p title="{code}">{expected}</p>'


@pytest.mark.parametrize("word", ["x", "漢", "1", "aB3/+", "ab_", "a&amp;", "Ы"])
def test_a_word_as_long_as_a_body_is_read_once(word: str) -> None:
    """Its marks and its line ends take as long as those of many words."""
    long = word * (100_000 // len(word))
    with at_most(10):
        found = side_by_side(f"<p>a {long} b</p>", [f"<p>a {long}c b</p>"])
    assert (found.only_left, found.only_right) == (1, 1)
    assert long in found.left.replace("<wbr>", "")
