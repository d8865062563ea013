"""Parameters are checked before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmsmig.errors import UsageError
from cmsmig.run.engine import declared_parameters
from cmsmig.run.parameters import (
    Kind,
    Parameter,
    kind_of,
    parse,
    read_assignments,
    values_for,
)
from tests.support.run.small_notebooks import write_notebook


def declared(**kinds: Kind) -> dict[str, Parameter]:
    """Return the parameters of a notebook by name."""
    return {name: Parameter(name, kind, "7") for name, kind in kinds.items()}


NOTEBOOKS = {
    "00_first": declared(project=Kind.TEXT, limit=Kind.WHOLE),
    "01_second": declared(project=Kind.TEXT, reviewer=Kind.TEXT, dry_run=Kind.SWITCH),
}


def test_declared_parameters_have_kind_and_default(tmp_path: Path) -> None:
    """The cell tagged `parameters` is read with its hints."""
    found = declared_parameters(write_notebook(tmp_path, "00_first", "1"))
    assert {name: each.kind for name, each in found.items()} == {
        "project": Kind.TEXT,
        "dry_run": Kind.SWITCH,
        "limit": Kind.WHOLE,
        "rate": Kind.NUMBER,
    }
    assert found["limit"].default == "3"


def test_a_file_that_is_no_notebook_is_one_sentence(tmp_path: Path) -> None:
    """A damaged notebook is refused before anything runs."""
    (tmp_path / "00_first.ipynb").write_text("{", "utf-8")
    with pytest.raises(UsageError, match="cannot be read as a notebook"):
        declared_parameters(tmp_path / "00_first.ipynb")


@pytest.mark.parametrize(
    ("hint", "default", "kind"),
    [
        ("str", "3", Kind.TEXT),
        ("None", "3", Kind.WHOLE),
        ("None", "True", Kind.SWITCH),
        ("None", "''", Kind.TEXT),
        ("list", "[1]", Kind.TEXT),
        ("None", "len(x)", Kind.TEXT),
    ],
)
def test_kinds_come_from_the_hint_else_from_the_default(
    hint: str, default: str, kind: Kind
) -> None:
    """A hint wins; without one the default's own type decides."""
    assert kind_of(hint, default) is kind


def test_each_notebook_gets_what_it_knows() -> None:
    """A name goes to every notebook that has it, typed; the run's own likewise."""
    values = values_for(
        NOTEBOOKS,
        {"limit": "5", "dry_run": "yes"},
        {"project": "/p", "reports": "/r"},
    )
    assert values == {
        "00_first": {"project": "/p", "limit": 5},
        "01_second": {"project": "/p", "dry_run": True},
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"reviwer": "x"}, "did you mean reviewer?"),
        ({"zzzzzz": "x"}, "known: dry_run, limit, project, reviewer."),
        ({"limit": "abc"}, "limit of 00_first takes a whole number, such as 7."),
        ({"limit": "1.5"}, "takes a whole number"),
        ({"dry_run": "maybe"}, "takes true or false"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, str], said: str) -> None:
    """An unknown name brings the nearest one, a wrong type what is wanted."""
    with pytest.raises(UsageError) as refused:
        values_for(NOTEBOOKS, given, {})
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "texts", [["limit"], ["=3"], ["a b=3"], ["limit=3", "limit=4"]]
)
def test_assignments_that_are_none_are_refused(texts: list[str]) -> None:
    """A missing equals sign, a name that is none, and two values for one name."""
    with pytest.raises(UsageError):
        read_assignments(texts)


@given(st.text(), st.integers(), st.booleans())
def test_values_survive_as_they_were_given(
    text: str, number: int, switch: bool
) -> None:
    """Text stays text whatever it looks like; numbers and switches read back."""
    assert read_assignments([f"name={text}"]) == {"name": text}
    assert parse(text, Parameter("n", Kind.TEXT, ""), "00") == text
    assert parse(str(number), Parameter("n", Kind.WHOLE, ""), "00") == number
    assert parse(str(switch), Parameter("n", Kind.SWITCH, ""), "00") is switch


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "1e999"])
def test_numbers_are_finite(text: str) -> None:
    """A rate without an end is no rate."""
    with pytest.raises(UsageError, match="takes a number"):
        parse(text, Parameter("rate", Kind.NUMBER, "1.5"), "00")
