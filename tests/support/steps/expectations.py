"""What a case expects, as data: parts of documents, and words about a value."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

MISSING = "(missing)"


@dataclass(frozen=True)
class Word:
    """A value with a tag, such as `!has Neuf.` or `!uuid records/record-2`."""

    tag: str
    argument: Any


class Loader(yaml.CSafeLoader):
    """Reads tags as words, and refuses a key that a mapping has twice."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = {key for key in keys if keys.count(key) > 1}
        assert not twice, f"{node.start_mark}: twice {twice}"
        return super().construct_mapping(node, deep)

    def construct_word(self, tag: str, node: yaml.Node) -> Word:
        if isinstance(node, yaml.ScalarNode):
            if node.style:
                return Word(tag, node.value)
            found = self.resolve(yaml.ScalarNode, node.value, (True, False))
            return Word(tag, self.construct_object(yaml.ScalarNode(found, node.value)))
        if isinstance(node, yaml.SequenceNode):
            return Word(tag, self.construct_sequence(node, deep=True))
        return Word(tag, self.construct_mapping(node, deep=True))


Loader.add_multi_constructor("!", Loader.construct_word)


def text_of(value: object) -> str:
    """Return a value as text to be searched in."""
    return (
        value
        if isinstance(value, str)
        else json.dumps(value, default=str, ensure_ascii=False)
    )


def listed(value: Any) -> list[Any]:
    """Return a list, or a list of one value."""
    return value if isinstance(value, list) else [value]


WORDS: dict[str, Callable[[Any, Any], bool]] = {
    "has": lambda found, texts: all(e in text_of(found) for e in listed(texts)),
    "lacks": lambda found, texts: not any(e in text_of(found) for e in listed(texts)),
    "not": lambda found, other: found != other,
    "is": lambda found, other: found == other,
    "most": lambda found, number: found <= number,
    "more": lambda found, number: found > number,
    "size": lambda found, number: len(found) == number,
    "some": lambda found, _: found != MISSING and bool(found),
    "absent": lambda found, _: found == MISSING,
    "none": lambda found, _: found == MISSING or not found,
    "ends": lambda found, text: str(found).endswith(text),
    "any_of": lambda found, values: found in values,
    "keys": lambda found, keys: sorted(found) == sorted(keys),
    "with": lambda found, part: any(not difference(each, part) for each in found),
    "without": lambda found, part: all(difference(each, part) for each in found),
    "each": lambda found, part: not any(difference(each, part) for each in found),
}
"""By tag: whether a value is as its word says.

`has` and `lacks` look for one text, or for each of a list, in the value as text;
`with`, `without` and `each` say that one, none or each of a list has a part, `all` that
a value is as each word says; `is` allows
no other key or entry than those named.
"""


def difference(found: Any, expected: Any, where: str = "") -> str:
    """Return where a value is not as expected, or nothing.

    A mapping is expected to have the keys named, and may have others; a list is
    expected to have exactly the entries.
    """
    if isinstance(expected, Word) and expected.tag == "all":
        parts = [difference(found, part, where) for part in expected.argument]
        return next(filter(None, parts), "")
    if isinstance(expected, Word):
        fits = WORDS[expected.tag](found, expected.argument)
        return "" if fits else f"{where}: {found!r} is not {expected}"
    if isinstance(expected, dict) and isinstance(found, Mapping):
        parts = [
            difference(found.get(key, MISSING), part, f"{where}.{key}")
            for key, part in expected.items()
        ]
        return next(filter(None, parts), "")
    if isinstance(expected, list) and isinstance(found, list | tuple):
        if len(found) != len(expected):
            return f"{where}: {found!r} has not the entries {expected!r}"
        parts = [
            difference(each, part, f"{where}[{number}]")
            for number, (each, part) in enumerate(zip(found, expected, strict=True))
        ]
        return next(filter(None, parts), "")
    return "" if found == expected else f"{where}: {found!r} is not {expected!r}"


def insist(found: Any, expected: Any) -> None:
    """Fail where a value is not as expected."""
    assert not (message := difference(found, expected)), message
