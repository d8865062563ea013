"""A site whose every text is hostile or broken, through every notebook.

The cells run in this process, unchanged, unattended and before a person.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import nbformat
import pytest
from bs4 import BeautifulSoup

from cmsmig.errors import UsageError
from cmsmig.notebook.kit.cell import show_errors_as_sentences
from cmsmig.run.locations import find_notebooks, notebooks_folder
from cmsmig.ui.html.safe_html import UNTYPESET
from tests.support.hostiletext import SALT, acting
from tests.support.notebook.front_end import Channel, FrontEnd, front_end
from tests.support.rehearsal import Rehearsal
from tests.support.saltedsite import salted_project

Bundle = dict[str, object]
_WRAPPED = f'<div class="{UNTYPESET}">'
_MARK = "$\\href"
"""A part of the salt that every output holds as it is."""


@pytest.fixture(scope="session")
def salted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """Return a decided project, some of its bodies split into blocks."""
    folder = tmp_path_factory.mktemp("salted")
    with (
        pytest.MonkeyPatch.context() as patch,
        salted_project(folder, SALT) as made,
    ):
        patch.setenv("CMSMIG_STATE_DIR", str(folder / "state"))
        made.done("pull")
        splits = ("--split", "headings", "--split", "embeds")
        made.done("decide", "--accept-proposals", "--reviewer", SALT, *splits)
        yield made


async def outputs(notebook: Path, values: dict[str, object]) -> list[Bundle]:
    """Run a notebook's cells with these parameters; return what each one shows."""
    names: dict[str, object] = {}
    shown: list[Bundle] = []
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        value = await _value(cell.source, names)
        names |= {name: each for name, each in values.items() if name in names}
        if value is not None:
            bundle = value._repr_mimebundle_()
            # Some widgets return metadata, too.
            shown.append(bundle[0] if isinstance(bundle, tuple) else bundle)
    return shown


async def _value(source: str, names: dict[str, object]) -> object:
    """Run a cell; return the value of the expression that it ends with."""
    tree = ast.parse(source)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.Assign([ast.Name("_", ast.Store())], last.value)
        ast.fix_missing_locations(tree)
    names["_"] = None
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    ended = eval(compile(tree, "<cell>", "exec", flags=flags), names)
    if inspect.isawaitable(ended):
        await ended
    return names["_"]


@contextmanager
def someone_there(there: bool) -> Iterator[None]:
    """Let notebooks find a person before them, or none."""
    with mock.patch("cmsmig.notebook.kit.opened_project.can_ask", return_value=there):
        yield


def walked(
    salted: Rehearsal, reports: Path, *, there: bool
) -> tuple[list[Bundle], FrontEnd]:
    """Run all notebooks in their order; return what they show."""
    values = {
        "project": str(salted.folder),
        "reviewer": SALT,
        "reports": str(reports),
        "item_set": "" if there else "staged",
    }
    shown: list[Bundle] = []

    async def work() -> None:
        for each in find_notebooks(notebooks_folder()):
            shown.extend(await outputs(each.path, values))

    with someone_there(there), front_end() as page:
        asyncio.run(work())
    return shown, page


def test_every_notebook_unattended(salted: Rehearsal, tmp_path: Path) -> None:
    """No cell fails; every output is whole, not typeset, and acts on no terminal."""
    shown, page = walked(salted, tmp_path / "reports", there=False)
    assert page.channels == []
    assert sum(_MARK in str(each["text/html"]) for each in shown) > 8
    for each in shown:
        json.dumps(each, ensure_ascii=False).encode()
        assert str(each["text/html"]).startswith(_WRAPPED)
        assert acting(str(each["text/plain"])) == []
    for path in [*salted.folder.rglob("*.yaml"), *(tmp_path / "reports").rglob("*")]:
        if path.is_file():
            path.read_bytes().decode()
    report = json.loads((tmp_path / "reports" / "report.json").read_bytes())
    json.dumps(report, ensure_ascii=False).encode()
    assert report["accounting"]["failed"] == 0


@pytest.mark.timeout(240)
def test_every_notebook_by_hand(salted: Rehearsal, tmp_path: Path) -> None:
    """Before a person: the same of every control and of what panels send; and what is
    saved beside the controls reads without them, the same each time."""
    salted.done("import")
    shown, page = walked(salted, tmp_path / "reports", there=True)
    texts = [str(held) for each in page.channels for held in each.state.values()]
    assert sum("href" in each for each in texts) > 10
    for each in shown:
        assert acting(str(each["text/plain"])) == []
        assert str(each["text/html"]).startswith(_WRAPPED)
        assert "object at 0x" not in str(each)
        assert soup(each).select("button, select, input, [data-do]") == []
    again, _ = walked(salted, tmp_path / "reports", there=True)
    for first, second in zip(shown, again, strict=True):
        assert first["text/html"] == second["text/html"]
        assert first["text/plain"] == second["text/plain"]
    for each in page.channels:
        state = {name: held for name, held in each.state.items() if name != "_esm"}
        json.dumps(state, ensure_ascii=False, default=str).encode()
        _not_typeset(each)


def soup(shown: Bundle) -> BeautifulSoup:
    """Return the HTML that is shown."""
    return BeautifulSoup(str(shown["text/html"]), "html.parser")


def _not_typeset(channel: Channel) -> None:
    """Of widgets, labels and the descriptions of fields are typeset."""
    state = channel.state
    value = str(state.get("value", ""))
    match state.get("_model_name"):
        case "HTMLModel":
            assert value == "" or value.startswith(_WRAPPED)
        case "LabelModel":
            assert set(UNTYPESET.split()) <= set(state["_dom_classes"])
        case "ButtonModel":
            pass
        case _:
            assert _MARK not in str(state.get("description", "")), state


def test_an_error_of_ours_is_a_line_that_does_nothing() -> None:
    """Both what a front end draws and what tools print of the exception."""
    show_errors_as_sentences()
    error = UsageError(f"At {SALT}")
    assert acting(str(error)) == []
    assert acting("".join(error._render_traceback_())) == []
    str(error).encode()
