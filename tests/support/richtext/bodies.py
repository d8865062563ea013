"""Bodies of any kind, written from `grammar.yaml`, that Hypothesis makes small."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

DEPTH = 4
SEARCH = settings(
    derandomize=True,
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""How tests search for a body on which they fail."""
_PART = re.compile(r"\{([a-zA-Z]+)\}")
_LINK = re.compile(r"</?a(?: [^>]*)?>")
_FORMS: dict[str, st.SearchStrategy[str]] = {
    name: st.sampled_from(forms.split() if isinstance(forms, str) else forms)
    for name, forms in yaml.load(
        Path(__file__).with_name("grammar.yaml").read_text("utf-8"), yaml.CSafeLoader
    ).items()
}


class _Writer:
    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw
        self._names = count(1)

    def write(self, name: str, depth: int) -> str:
        """Return an entry of the grammar, with all its parts."""
        if name == "part":
            depth -= 1
            name = "part" if depth >= 0 else "leaf"
        if name == "unlinked":
            return _LINK.sub("", self.write("parts", depth))
        held: dict[str, str] = {}

        def written(found: re.Match[str]) -> str:
            part = found[1]
            if part.islower():
                return self.write(part, depth)
            if part not in held:
                fresh = part == "NAME"
                held[part] = (
                    f"n{next(self._names)}"
                    if fresh
                    else self.write(part.lower(), depth)
                )
            return held[part]

        return _PART.sub(written, self._draw(_FORMS[name]))


@st.composite
def written(draw: Callable[[st.SearchStrategy[Any]], Any], name: str) -> str:
    """Return any text that is an entry of the grammar."""
    return _Writer(draw).write(name, DEPTH)


bodies, instances, markdown = written("body"), written("instances"), written("markdown")
edited_bodies = written("edited")
plain = written("plain")
garbage = written("soup") | st.lists(written("token"), max_size=30).map("".join)

_put = st.one_of(written("token"), bodies, st.characters())
_edits = st.lists(
    st.tuples(
        st.integers(0, 10_000),
        st.sampled_from((0, 0, 0, 1, 5, 1_000)),
        _put,
        st.sampled_from((*(1,) * 12, 2, 3, 10, 100, 3_000)),
    ),
    min_size=1,
    max_size=8,
)


def _edited(html: str, edits: list[tuple[int, int, str, int]], most: int) -> str:
    for at, cut, put, times in edits:
        at %= len(html) + 1
        html = html[:at] + put * times + html[at + cut :]
    return html[:most]


mutated = st.builds(
    _edited, bodies | garbage, _edits, st.sampled_from((*(8_000,) * 49, 200_000))
)
"""What arrives when an export is cut, merged or hostile; few are long."""
