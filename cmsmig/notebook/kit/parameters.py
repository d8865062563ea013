"""What a notebook hands over to its cells, read as `cmsmig run` reads it.

Plain papermill hands over texts, such as `false`, and None, and does not check them.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from cmsmig.run.parameters import Kind, Parameter, parse

P = ParamSpec("P")
R = TypeVar("R")
_NOTEBOOK = "this notebook"
_OPTIONAL = " | None"


def takes_parameters(**named: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator: each text, number or switch is what its hint says when the
    function gets it; None is the default.

    `named` are the notebook's names of arguments that have another one. The function
    raises `UsageError` for a value that does not fit.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        parameters = {
            name: Parameter(named.get(name, name), Kind(hint), str(each.default))
            for name, each in signature.parameters.items()
            if (hint := str(each.annotation).removesuffix(_OPTIONAL)) in set(Kind)
        }

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = signature.bind(*args, **kwargs)
            for name in parameters.keys() & bound.arguments:
                value = bound.arguments.pop(name)
                if value is not None:
                    bound.arguments[name] = parse(
                        str(value), parameters[name], _NOTEBOOK
                    )
            return function(*bound.args, **bound.kwargs)

        return call

    return decorate
