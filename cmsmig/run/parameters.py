"""Parameters of a run, checked against the notebooks before anything runs.

Papermill itself only warns of an unknown name and injects a value of any type.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from pydantic import FiniteFloat, TypeAdapter

from cmsmig.errors import UsageError

Value: TypeAlias = str | int | float | bool


class Kind(StrEnum):
    """What a parameter takes, spelled as its type hint."""

    TEXT = "str"
    WHOLE = "int"
    NUMBER = "float"
    SWITCH = "bool"


_WORDS = {
    Kind.TEXT: "text",
    Kind.WHOLE: "a whole number",
    Kind.NUMBER: "a number",
    Kind.SWITCH: "true or false",
}


@dataclass(frozen=True, slots=True)
class Parameter:
    """One line of a notebook's cell tagged `parameters`."""

    name: str
    kind: Kind
    default: str
    """As it is written there."""


Declared: TypeAlias = Mapping[str, Mapping[str, Parameter]]
"""By notebook, then by name."""


def kind_of(hint: str, default: str) -> Kind:
    """Return what a parameter takes, by its hint, else by its default."""
    if hint in set(Kind):
        return Kind(hint)
    try:
        literal = ast.literal_eval(default)
    except (ValueError, SyntaxError):
        return Kind.TEXT
    named = type(literal).__name__
    return Kind(named) if named in set(Kind) else Kind.TEXT


def read_assignments(texts: Iterable[str]) -> dict[str, str]:
    """Return `name=value` texts by name. Raises `UsageError` for anything else."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"-p {text} is not understood; write -p name=value.")
        if found.get(name, value) != value:
            raise UsageError(f"The parameter {name} is given twice; give it once.")
        found[name] = value
    return found


def values_for(
    declared: Declared, given: Mapping[str, str], supplied: Mapping[str, Value]
) -> dict[str, dict[str, Value]]:
    """Return what each notebook is run with.

    `given` is the operator's: each name has to be known to at least one of the
    notebooks and goes to all that know it. `supplied` is the run's own and goes
    where it is known. Raises `UsageError` for an unknown name, with the nearest
    one, and for a value that a parameter does not take.
    """
    for name in given:
        _require_known(name, declared)
    return {
        notebook: {
            **{name: supplied[name] for name in supplied if name in parameters},
            **{
                name: parse(given[name], parameters[name], notebook)
                for name in given
                if name in parameters
            },
        }
        for notebook, parameters in declared.items()
    }


def parse(text: str, parameter: Parameter, notebook: str) -> Value:
    """Return a value of the parameter's kind. Raises `UsageError`."""
    try:
        return _READ[parameter.kind].validate_python(text)
    except ValueError:
        raise UsageError(
            f"{parameter.name}={text} does not fit: {parameter.name} of {notebook} "
            f"takes {_WORDS[parameter.kind]}, such as {parameter.default}."
        ) from None


def nearest_name(name: str, known: Sequence[str]) -> str:
    """Return what a mistyped name may have been meant to be, as half a sentence."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return (
        f"did you mean {near[0]}?" if near else f"known: {', '.join(known) or 'none'}"
    )


def _require_known(name: str, declared: Declared) -> None:
    known = sorted({each for parameters in declared.values() for each in parameters})
    if name in known:
        return
    hint = nearest_name(name, known)
    end = "" if hint.endswith("?") else "."
    raise UsageError(f"No notebook of this run has a parameter {name}; {hint}{end}")


_READ: Mapping[Kind, TypeAdapter[Value]] = {
    Kind.TEXT: TypeAdapter(str),
    Kind.WHOLE: TypeAdapter(int),
    Kind.NUMBER: TypeAdapter(FiniteFloat),
    Kind.SWITCH: TypeAdapter(bool),
}
