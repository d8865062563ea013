"""The change from one value of a field to another, as an editor reads it: at the leaf,
with the labels of the design and the names of stories. Pure."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeAlias

from cmsmig.canonical import Json, JsonObject, canonical
from cmsmig.mapping.compare.content_equality import comparable, same
from cmsmig.reconcile.field_diff import Value, json_of
from cmsmig.reconcile.kinds import Ref
from cmsmig.reconcile.labels import EMPTY, NAMING, NO_LABELS, Labels
from cmsmig.richtext.plain_text import visible_text

_SHOWN = 60
"""Characters of a text that a line shows."""
_CONTEXT = 12
"""Characters that are shown around what changed within a longer text."""
_ALIKE = 0.5
"""How much of two texts is the same where one was made of the other."""
_OWN_KEYS = frozenset(("_uid", "_editable", "component"))
_NODES: Mapping[str, str] = {
    "bullet_list": "list",
    "ordered_list": "numbered list",
    "code_block": "code",
    "blockquote": "quote",
    "horizontal_rule": "line",
    "image": "picture",
}

_Path: TypeAlias = tuple[str, ...]


def change_lines(
    labels: Labels, ref: Ref, name: str, before: Value, now: Value, most: int = _SHOWN
) -> tuple[str, ...]:
    """Return the changes of a field of an object, as decisions name both, a line each,
    such as `SEO > meta title: "Old" -> "New"`; of a longer text than `most`, what
    changed in it."""
    label, old, new = labels.field_name(ref, name), json_of(before), json_of(now)
    if found := tuple(_Changes(labels, most).of((label,), old, new)):
        return found
    return (f"{label}: {'not changed' if old == new else 'changed'}",)


@dataclass(frozen=True, slots=True)
class Sides:
    """The whole value of a field on three sides, in words."""

    field: str
    last: str
    """As the last import left it."""
    origin: str
    """As the next import would write it."""
    space: str
    """As it is in the space now."""


def sides_of(
    labels: Labels, ref: Ref, name: str, base: Value, ours: Value, theirs: Value
) -> Sides:
    """Return the values of a field, as decisions name it; what differs without another
    word says how."""
    last = labels.value(json_of(base))

    def said(now: Value) -> str:
        text = labels.value(json_of(now))
        if text != last or same(json_of(base), json_of(now)):
            return text
        return "; ".join(change_lines(labels, ref, name, base, now, sys.maxsize))

    return Sides(labels.field_name(ref, name), last, said(ours), said(theirs))


def body_changes(
    label: str, old: JsonObject, new: JsonObject
) -> Iterator[tuple[int, str]]:
    """Yield the changes of a body, a line each, with its place: a top-level node of the
    new one. What was removed has the place before it."""
    return _Changes(NO_LABELS).placed((label,), _nodes(old), _nodes(new))


@dataclass(frozen=True, slots=True)
class _Changes:
    """Compares two values at a path of labels. A method yields a line for each
    change."""

    labels: Labels
    most: int = _SHOWN
    """Characters of a text that a line shows."""

    def of(self, path: _Path, old: Json, new: Json) -> Iterator[str]:
        if same(old, new):
            return
        if _is_document(old) or _is_document(new):
            for _, line in self.placed(path, _nodes(old), _nodes(new)):
                yield line
        elif _blocks(old) or _blocks(new):
            yield from self._blocks(path, _blocks(old), _blocks(new))
        elif isinstance(old, list) or isinstance(new, list):
            yield _line(path, self._members(_listed(old), _listed(new)))
        elif isinstance(old, dict) and isinstance(new, dict) and self._alike(old, new):
            component = str(new.get("component") or "")
            for key in dict.fromkeys((*old, *new)):
                if key not in _OWN_KEYS:
                    inner = (*path, self.labels.key(component, key))
                    yield from self.of(inner, old.get(key), new.get(key))
        else:
            yield _line(path, self._both(old, new))

    def _alike(self, old: JsonObject, new: JsonObject) -> bool:
        """Return whether two objects differ within, and not by what names them."""
        if old.get("component") != new.get("component"):
            return False
        is_named = any(key in each for key in NAMING for each in (old, new))
        return not is_named or self.labels.value(old) == self.labels.value(new)

    def _both(self, old: Json, new: Json) -> str:
        if isinstance(old, bool) or isinstance(new, bool):
            return f"{self.labels.value(bool(old))} -> {self.labels.value(bool(new))}"
        before, now = self.labels.value(old), self.labels.value(new)
        start = end = 0
        if max(len(before), len(now)) > self.most and EMPTY not in (before, now):
            start, end = _common(before, now), _common(before[::-1], now[::-1])
            end = min(end, min(len(before), len(now)) - start)
        return " -> ".join(_quoted(e, self.most, start, end) for e in (before, now))

    def _members(self, old: Sequence[Json], new: Sequence[Json]) -> str:
        before, now = ({canonical(v): v for v in side} for side in (old, new))
        sides = (("added", now, before), ("removed", before, now))
        changed = [
            f"{verb} {', '.join(found)}"
            for verb, side, other in sides
            if (found := [self.labels.value(side[k]) for k in side if k not in other])
        ]
        return ", ".join(changed) or "in another order"

    def _blocks(
        self, path: _Path, old: Sequence[JsonObject], new: Sequence[JsonObject]
    ) -> Iterator[str]:
        before, now = _numbered(old), _numbered(new)
        kept = [uid for uid in before if uid in now]
        order = [uid for uid in now if uid in before]
        matcher = SequenceMatcher(None, kept, order, autojunk=False)
        stays = {
            uid
            for each in matcher.get_matching_blocks()
            for uid in kept[each.a : each.a + each.size]
        }
        for uid, (name, block) in before.items():
            place = f"{name} ({self.labels.value(block)})"
            if uid not in now:
                yield _line(path, f"{place} removed{self._words(block)}")
            elif uid not in stays:
                to = now[uid][0].removeprefix("block ")
                yield _line(path, f"{place} moved to {to}")
        for uid, (name, block) in now.items():
            place = f"{name} ({self.labels.value(block)})"
            if uid not in before:
                yield _line(path, f"{place} added{self._words(block)}")
            else:
                inner = path if len(old) == len(new) == 1 else (*path, place)
                yield from self.of(inner, before[uid][1], block)

    def placed(
        self, path: _Path, old: Sequence[JsonObject], new: Sequence[JsonObject]
    ) -> Iterator[tuple[int, str]]:
        """Yield the lines of two documents with the places of nodes in the new one."""
        before, now = (
            [canonical(comparable(node)) for node in side] for side in (old, new)
        )
        codes = SequenceMatcher(None, before, now, autojunk=False).get_opcodes()
        changed = [each for each in codes if each[0] != "equal"]
        come = [at for _, _, _, a, b in changed for at in range(a, b)]
        gone = [
            (at, max(place - 1, 0))
            for _, a, b, place, _ in changed
            for at in range(a, b)
        ]
        for at, before_it in gone:
            moved = next((i for i in come if now[i] == before[at]), None)
            made = next((i for i in come if _is_edited(old[at], new[i])), None)
            found = made if moved is None else moved
            if moved is None and made is not None:
                for line in self._edited(path, old[at], new[made]):
                    yield made, line
            else:
                verb = "removed" if moved is None else "moved"
                words = self._words(old[at])
                line = _line(path, f"{self._node(old[at])} {verb}{words}")
                yield before_it if moved is None else moved, line
            if found is not None:
                come.remove(found)
        for at in come:
            words = self._words(new[at])
            yield at, _line(path, f"{self._node(new[at])} added{words}")

    def _edited(self, path: _Path, old: JsonObject, new: JsonObject) -> Iterator[str]:
        before, now = self._node(old), self._node(new)
        if held := _held(new):
            yield from self.of((*path, now), [*_held(old)], [*held])
            return
        name = now if before == now else f"{before} -> {now}"
        words, text = visible_text(old), visible_text(new)
        links, leads = [*self._links(old)], [*self._links(new)]
        if words != text:
            yield _line((*path, name), self._both(words, text))
        elif {*links} != {*leads}:
            yield _line((*path, name), f"links {self._members(links, leads)}")
        else:
            what = " formatted differently" if before == now else ""
            yield _line(path, f"{name}{what}{self._words(new)}")

    def _words(self, value: JsonObject) -> str:
        """Return the texts of a node or a block behind a colon; nothing without any."""
        text = " ".join(" ".join(_texts([*_held(value)] or value)).split())
        return f": {_quoted(text, self.most)}" if text else ""

    def _links(self, node: JsonObject) -> Iterator[str]:
        """Yield each link's text and target; a story has its name, too."""
        for mark in _listed(node.get("marks")):
            attrs = mark.get("attrs") if isinstance(mark, dict) else None
            if isinstance(attrs, dict) and "href" in attrs:
                anchor, uuid = attrs.get("anchor"), attrs.get("uuid")
                target = f"{attrs['href']}{f'#{anchor}' if anchor else ''}"
                name = self.labels.value(uuid) if uuid else ""
                known = f" ({name})" if name not in ("", uuid) else ""
                yield f'"{node.get("text", "")}" to {target}{known}'
        for each in _nodes(node):
            yield from self._links(each)

    def _node(self, node: JsonObject) -> str:
        kind, attrs = str(node.get("type")), node.get("attrs")
        if kind == "blok":
            return self.labels.value([*_held(node)])
        level = attrs.get("level") if isinstance(attrs, dict) else None
        name = _NODES.get(kind, kind.replace("_", " "))
        return f"{name} {level}" if level else name


def _is_edited(old: JsonObject, new: JsonObject) -> bool:
    """Return whether one node may have been made of the other."""
    if old.get("type") != new.get("type"):
        return False
    if _held(old) or _held(new):
        one, other = ([each.get("_uid") for each in _held(n)] for n in (old, new))
        return one == other
    words, text = visible_text(old).split(), visible_text(new).split()
    matcher = SequenceMatcher(None, words, text, autojunk=False)
    return words == text or matcher.ratio() >= _ALIKE


def _texts(value: Json) -> Iterator[str]:
    for each in _listed(value):
        yield from _texts(each)
    if not isinstance(value, dict):
        return
    if "content" in value and "type" in value:
        yield visible_text(value)
    elif "fieldtype" in value:
        yield NO_LABELS.value(value).removesuffix(EMPTY)
    else:
        for key, each in value.items():
            if isinstance(each, dict | list):
                yield from _texts(each)
            elif isinstance(each, str) and key not in (*_OWN_KEYS, "type"):
                yield each


def _quoted(text: str, most: int, start: int = 0, end: int = 0) -> str:
    """Return a text in quotes, without most of what is the same at both its ends."""
    if text == EMPTY:
        return text
    first = max(0, start - _CONTEXT)
    last = min(len(text), len(text) - end + _CONTEXT, first + most)
    shown = " ".join(text[first:last].split())
    return f'"{"…" if first else ""}{shown}{"…" if last < len(text) else ""}"'


def _common(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _line(path: _Path, text: str) -> str:
    return f"{' > '.join(path)}: {text}"


def _is_document(value: Json) -> bool:
    return isinstance(value, dict) and value.get("type") == "doc"


def _nodes(value: Json) -> list[JsonObject]:
    content = value.get("content") if isinstance(value, dict) else None
    return [each for each in _listed(content) if isinstance(each, dict)]


def _held(node: JsonObject) -> list[JsonObject]:
    attrs = node.get("attrs")
    return _blocks(attrs.get("body")) if isinstance(attrs, dict) else []


def _blocks(value: Json) -> list[JsonObject]:
    return [e for e in _listed(value) if isinstance(e, dict) and "component" in e]


def _numbered(blocks: Sequence[JsonObject]) -> dict[str, tuple[str, JsonObject]]:
    return {
        str(each.get("_uid") or number): (f"block {number}", each)
        for number, each in enumerate(blocks, 1)
    }


def _listed(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()
