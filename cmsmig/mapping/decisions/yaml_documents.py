"""Decision files as YAML: written in one stable form, read with every mistake
named by its line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, NoReturn, TypeVar

import yaml

from cmsmig.canonical import Json, JsonObject
from cmsmig.errors import DecisionsError
from cmsmig.whole_text import whole_text

Choice = TypeVar("Choice", bound=StrEnum)

_TAG = "tag:yaml.org,2002:"
_YES = frozenset(("true", "yes", "on"))
_NO = frozenset(("false", "no", "off"))


class _Reader(yaml.SafeLoader):
    """Takes escapes for half a character as what files and services can hold."""

    def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
        node = super().compose_scalar_node(anchor)
        node.value = whole_text(node.value)
        return node


class _Writer(yaml.SafeDumper):
    """Without anchors, which people would take for content."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _written(writer: _Writer, text: str) -> yaml.ScalarNode:
    # YAML reads these as line ends outside of double quotes, and folds them.
    quoted = any(sign in text for sign in "\r\x85\u2028\u2029")
    return writer.represent_scalar(f"{_TAG}str", text, style='"' if quoted else None)


_Writer.add_representer(str, _written)


def write_document(body: JsonObject, header: str) -> str:
    """Return `body` as YAML in the order of its keys, below comment lines."""
    comment = "".join(f"# {line}\n" for line in header.splitlines())
    text = yaml.dump(
        body, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=88
    )
    return comment + str(text)


def read_document(text: str, where: str) -> Entry:
    """Return the mapping that `text` holds.

    Raises `DecisionsError` naming `where` and the line for what is no YAML, no
    mapping, or nested beyond reason.
    """
    try:
        node = yaml.compose(text, Loader=_Reader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        line = f", line {mark.line + 1}" if mark else ""
        raise DecisionsError(
            f"{where}{line} is not valid YAML: {error.problem or error.context}; "
            "correct it or delete the file and decide again."
        ) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise DecisionsError(
            f"{where} is not valid YAML; correct it or delete the file and decide "
            "again."
        ) from error
    if node is None:
        raise DecisionsError(f"{where} is empty; delete the file and decide again.")
    return Entry(node, where, "")


class Entry:
    """One mapping of a document, read key by key.

    Text is taken as it is written: an unquoted `No` or `2024` in a label stays
    that text. `done` refuses keys that nobody asked for.
    """

    def __init__(self, node: yaml.Node, where: str, path: str) -> None:
        self._where = where
        self._path = path
        self._node = node
        self._asked: set[str] = set()
        self._values: dict[str, yaml.Node] = {}
        if not isinstance(node, yaml.MappingNode):
            self._refuse(node, "must be a list of `key: value` lines")
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            if name in self._values:
                self._refuse(key, f"has the key `{name}` twice")
            self._values[name] = value

    def keys(self) -> tuple[str, ...]:
        """Return the keys as written, for mappings with free keys."""
        self._asked.update(self._values)
        return tuple(self._values)

    def has(self, key: str) -> bool:
        """Return whether the key is there with a value."""
        self._asked.add(key)
        node = self._values.get(key)
        return node is not None and node.tag != f"{_TAG}null"

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text; without a default the key must be there."""
        if not self.has(key):
            return self._absent(key, default)
        return self._scalar(key, self._values[key])

    def flag(self, key: str, default: bool) -> bool:
        """Return true or false."""
        if not self.has(key):
            return default
        node = self._values[key]
        word = self._scalar(key, node).lower()
        if word not in _YES | _NO:
            self._refuse(node, f"`{word}` is neither true nor false", key)
        return word in _YES

    def choice(
        self, key: str, kind: type[Choice], default: Choice | None = None
    ) -> Choice:
        """Return one of an enum's values."""
        if not self.has(key):
            if default is None:
                self._refuse(self._node, f"lacks the key `{key}`")
            return default
        return self._choice(key, self._values[key], kind)

    def entry(self, key: str) -> Entry:
        """Return the mapping under a key."""
        if not self.has(key):
            self._refuse(self._node, f"lacks the key `{key}`")
        return Entry(self._values[key], self._where, self._under(key))

    def choices(self, key: str, kind: type[Choice]) -> tuple[Choice, ...]:
        """Return a list of an enum's values; none when the key is absent."""
        return tuple(self._choice(key, node, kind) for node in self._list(key))

    def number(
        self, key: str, least: int, most: int = 10**6, default: int | None = None
    ) -> int:
        """Return a whole number within bounds."""
        if default is not None and not self.has(key):
            return default
        word = self.text(key)
        if not (word.isascii() and word.isdigit() and least <= int(word) <= most):
            self.refuse(f"`{word}` is no whole number from {least} to {most}", key)
        return int(word)

    @property
    def line(self) -> int:
        """Return the line that the mapping begins in, from 1."""
        return int(self._node.start_mark.line) + 1

    def refuse(self, what: str, key: str) -> NoReturn:
        """Raise `DecisionsError` naming the place of a key and what is wrong there."""
        self._refuse(self._values.get(key, self._node), what, key)

    def entries(self, key: str, first: int = 0) -> Iterator[Entry]:
        """Yield the mappings of a list; none when the key is absent.

        `first` is the place of the list's first in the whole file.
        """
        for index, node in enumerate(self._list(key), start=first):
            yield Entry(node, self._where, f"{self._under(key)}[{index}]")

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the texts of a list; none when the key is absent."""
        return tuple(self._scalar(key, node) for node in self._list(key))

    def json(self, key: str) -> JsonObject:
        """Return a free mapping as JSON, with YAML's own reading of scalars."""
        if not self.has(key):
            return {}
        node = self._values[key]
        try:
            found = _json(node)
        except (ValueError, RecursionError):
            self._refuse(node, "holds something that JSON can't", key)
        if not isinstance(found, dict):
            self._refuse(node, "must be a list of `key: value` lines", key)
        return found

    def done(self) -> None:
        """Refuse the keys that were not asked for."""
        for name, node in self._values.items():
            if name not in self._asked:
                allowed = ", ".join(sorted(self._asked))
                self._refuse(node, f"has the unknown key `{name}`; there are {allowed}")

    def _absent(self, key: str, default: str | None) -> str:
        if default is None:
            self._refuse(self._node, f"lacks the key `{key}`")
        return default

    def _list(self, key: str) -> list[yaml.Node]:
        if not self.has(key):
            return []
        node = self._values[key]
        if not isinstance(node, yaml.SequenceNode):
            self._refuse(node, "must be a list", key)
        return list(node.value)

    def _scalar(self, key: str, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            self._refuse(node, "must be one text", key)
        return str(node.value)

    def _choice(self, key: str, node: yaml.Node, kind: type[Choice]) -> Choice:
        found = self._scalar(key, node)
        known = {str(one): one for one in kind}
        if found not in known:
            allowed = ", ".join(known)
            self._refuse(node, f"`{found}` is not allowed; use one of {allowed}", key)
        return known[found]

    def _under(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def _refuse(self, node: yaml.Node, what: str, key: str = "") -> NoReturn:
        path = self._under(key) if key else self._path
        place = f" ({path})" if path else ""
        line = node.start_mark.line + 1
        raise DecisionsError(f"{self._where}, line {line}{place}: {what}.")


def _json(node: yaml.Node) -> Json:
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): _json(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_json(value) for value in node.value]
    return _json_scalar(str(node.value), node.tag.removeprefix(_TAG))


def _json_scalar(text: str, kind: str) -> Json:
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() in _YES
    if kind == "int" and text.lstrip("+-").isdigit():
        return int(text)
    if kind == "float":
        return _finite(float(text))
    return text


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(value)
    return value


def mapping_of(values: Mapping[str, StrEnum]) -> JsonObject:
    """Return a mapping to enum values as plain JSON, in the order of its keys."""
    return {key: str(values[key]) for key in sorted(values)}
