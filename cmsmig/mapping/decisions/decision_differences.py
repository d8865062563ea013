"""What changed between two states of the decision files, in words for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TypeVar

from cmsmig.counting import counted
from cmsmig.mapping.decisions.body_reviews import INDIVIDUALLY, BodyReview
from cmsmig.mapping.decisions.choices import (
    BlocksDecision,
    BodyMode,
    CollectionsDecision,
    EmbedsDecision,
)
from cmsmig.mapping.decisions.conflicts import ConflictsDecision
from cmsmig.mapping.decisions.design import (
    ContentTypeDesign,
    Design,
    Encoding,
    FieldDesign,
    Reviewed,
)
from cmsmig.mapping.decisions.redirects import RedirectsDecision
from cmsmig.richtext.policy import InstanceBlock

C = TypeVar("C", ConflictsDecision, RedirectsDecision)
T = TypeVar("T")

_BECOMES = {
    Encoding.TEXT: "a text",
    Encoding.TEXTAREA: "a text of several lines",
    Encoding.MARKDOWN: "Markdown",
    Encoding.MARKDOWN_AS_RICHTEXT: "rich text, from Markdown",
    Encoding.RICHTEXT: "rich text",
    Encoding.ASSET: "a file",
    Encoding.MULTIASSET: "several files",
    Encoding.MULTILINK: "a link",
    Encoding.NUMBER: "a number",
    Encoding.DATETIME: "a date with its time",
    Encoding.DATE: "a date",
    Encoding.BOOLEAN: "yes or no",
    Encoding.OPTION: "an option",
    Encoding.OPTION_DATASOURCE: "an option of a datasource",
    Encoding.RELATION: "a relation",
    Encoding.RELATIONS: "several relations",
    Encoding.BLOCKS: "blocks",
}
_FOR_READERS = ("note", "reviewed", "reviews", "made")
"""What decides nothing, or is described in another way."""


@dataclass(frozen=True, slots=True)
class DecisionState:
    """The decision files at one time; None where there is none."""

    collections: CollectionsDecision | None = None
    design: Design | None = None
    blocks: BlocksDecision | None = None
    embeds: EmbedsDecision | None = None
    conflicts: ConflictsDecision | None = None
    redirects: RedirectsDecision | None = None


def describe_differences(before: DecisionState, after: DecisionState) -> list[str]:
    """Return one sentence for each thing that was decided differently, grouped by file.

    Empty when both decide the same and the same people accepted it.
    """
    names = _collection_names(before, after)
    return [
        *_collections(before.collections, after.collections, names),
        *_design(before.design, after.design, names),
        *_blocks(before.blocks, after.blocks, names),
        *_embeds(before.embeds, after.embeds),
        *_choices("conflicts.yaml", before.conflicts, after.conflicts),
        *_choices("redirects.yaml", before.redirects, after.redirects),
    ]


def _collection_names(*states: DecisionState) -> dict[str, str]:
    """Return what people call the collections, the later state's word first."""
    names: dict[str, str] = {}
    for state in states:
        for choice in state.collections.collections if state.collections else ():
            names[choice.collection_id] = choice.collection_slug
    for state in states:
        for each in state.design.content_types if state.design else ():
            names[each.collection_id] = each.folder_name or each.collection_slug
    return names


def _collections(
    old: CollectionsDecision | None,
    new: CollectionsDecision | None,
    names: Mapping[str, str],
) -> Iterator[str]:
    if old is None or new is None:
        yield from _whole("collections.yaml", old, new)
        return
    yield from _reviewed("collections.yaml", old.reviewed, new.reviewed)
    yield from _fields("", old, new, ("locales", "collections", "former_paths"))
    for locale, was, now in _pairs(
        old.locales, new.locales, lambda each: each.locale_id
    ):
        called = locale.name or locale.tag
        yield from _taken(called, was, now)
        yield from _fields(called, was, now, ("migrate",))
    for choice, had, has in _pairs(
        old.collections, new.collections, lambda each: each.collection_id
    ):
        called = names[choice.collection_id]
        yield from _taken(called, had, has)
        yield from _fields(called, had, has, ("migrate", "apart"))
        changed = set(had.apart if had else ()) ^ set(has.apart if has else ())
        if changed:
            items = {(each.item_id, each.locale_id) for each in changed}
            yield f"{counted(len(items), 'item')} of {called} decided differently"
    for path, gone, new_one in _pairs(
        old.former_paths,
        new.former_paths,
        lambda each: (each.parts, each.collection_id),
    ):
        if gone != new_one:
            leads = new_one is not None and new_one.follow
            verb = "lead to its items" if leads else "stay as they are"
            slug = path.collection_slug
            yield f"links below {path.path}, a former path of {slug}, {verb}"


def _taken(called: str, was: object, now: object) -> Iterator[str]:
    """Yield that something is migrated, or no longer."""
    before = bool(getattr(was, "migrate", False))
    after = bool(getattr(now, "migrate", False))
    if before != after:
        yield f"{called} {'migrated' if after else 'dropped'}"


def _design(
    old: Design | None, new: Design | None, names: Mapping[str, str]
) -> Iterator[str]:
    if old is None or new is None:
        yield from _whole("design.yaml", old, new)
        return
    yield from _reviewed("design.yaml", old.reviewed, new.reviewed)
    yield from _fields("", old, new, ("content_types", "blocks"))
    for one, was, now in _pairs(
        old.content_types, new.content_types, lambda each: each.collection_id
    ):
        if was is not None and now is not None:
            yield from _content_type(names[now.collection_id], was, now)
        else:
            done = "designed" if now else "no longer designed"
            yield f"{names[one.collection_id]} {done}"
    for block, had, has in _pairs(old.blocks, new.blocks, lambda each: each.component):
        if had is not None and has is not None:
            yield from _fields(f"block {has.display_name}", had, has, ())
        else:
            yield f"block {block.display_name} {'added' if has else 'taken out'}"


def _content_type(
    called: str, was: ContentTypeDesign, now: ContentTypeDesign
) -> Iterator[str]:
    yield from _fields(called, was, now, ("fields", "left_out"))
    left = {each.origin for each in now.left_out}
    for one, had, has in _pairs(
        was.fields, now.fields, lambda each: each.origin or each.key
    ):
        if had is not None and has is not None:
            yield from _field(called, had, has)
        else:
            where = f"{one.display_name or one.key} of {called}"
            if has is not None:
                yield f"{where} migrated"
            else:
                yield f"{where} {'left out' if one.origin in left else 'taken out'}"


def _field(called: str, had: FieldDesign, has: FieldDesign) -> Iterator[str]:
    where = f"{has.display_name or has.key} of {called}"
    if had.encoding is not has.encoding:
        words = str(has.encoding).replace("_", " ")
        yield f"{where} becomes {_BECOMES.get(has.encoding, words)}"
    yield from _fields(where, had, has, ("encoding",))


def _blocks(
    old: BlocksDecision | None, new: BlocksDecision | None, names: Mapping[str, str]
) -> Iterator[str]:
    old, new = old or BlocksDecision(()), new or BlocksDecision(())
    yield from _reviewed("blocks.yaml", old.reviewed, new.reviewed)
    for one, was, now in _pairs(
        old.bodies, new.bodies, lambda each: (each.collection_id, each.field)
    ):
        where = f"{one.field} of {names.get(one.collection_id, one.collection_slug)}"
        modes = [each.mode if each else BodyMode.ONE_RICHTEXT for each in (was, now)]
        if modes[0] is not modes[1]:
            split = modes[1] is BodyMode.BLOCKS
            yield f"{where} {'split into blocks' if split else 'kept as one body'}"
        yield from _fields(where, was, now, ("mode",))
    yield from _reviews(old, new, names)


def _reviews(
    old: BlocksDecision, new: BlocksDecision, names: Mapping[str, str]
) -> Iterator[str]:
    counts: Counter[tuple[str, str]] = Counter()
    for key in sorted(old.reviews.keys() | new.reviews.keys()):
        change = _review(old.reviews.get(key), new.reviews.get(key))
        if change:
            counts[names.get(key.collection_id, key.collection_id), change] += 1
    for (called, change), count in counts.items():
        yield f"{counted(count, 'body', 'bodies')} of {called} {change}"


def _review(was: BodyReview | None, now: BodyReview | None) -> str:
    if now is None:
        return "no longer decided"
    if was is not None and was.text == now.text:
        return ""
    if not now.by:
        return "changed and open again"
    how = "one by one" if now.how == INDIVIDUALLY else "in bulk"
    again = " again" if was is not None and was.by and was.how == now.how else ""
    return f"reviewed{again} {how} by {now.by}"


def _embeds(old: EmbedsDecision | None, new: EmbedsDecision | None) -> Iterator[str]:
    old, new = old or EmbedsDecision(), new or EmbedsDecision()
    yield from _reviewed("embeds.yaml", old.reviewed, new.reviewed)
    for called, was, now in (
        ("embeds of the kind", old.kinds, new.kinds),
        ("embeds of", old.signatures, new.signatures),
    ):
        for name in sorted({*was, *now}):
            if was.get(name) != now.get(name):
                yield f"{called} {name}: {_value(now.get(name))}, {_was(was.get(name))}"
    for one, had, has in _pairs(
        old.components, new.components, lambda each: each.component_id
    ):
        yield from _instances(one.component or one.component_id, had, has)
    yield from _fields("embeds", old, new, ("kinds", "signatures", "components"))


def _instances(
    name: str, old: InstanceBlock | None, new: InstanceBlock | None
) -> Iterator[str]:
    called = f"component {name}"
    if new is None:
        yield f"{called}: as every component"
    elif old is None:
        yield f"{called}: block {new.block}"
    else:
        yield from _fields(called, old, new, ("component", "props"))
        for prop, had, has in _pairs(old.props, new.props, lambda each: each.prop):
            if had != has:
                now, was = (f"{e.field} ({e.type})" if e else "" for e in (has, had))
                yield f"{called}, {prop.label or prop.prop}: {_value(now)}, {_was(was)}"


def _choices(name: str, old: C | None, new: C | None) -> Iterator[str]:
    """Yield the choices that one of two files has, and the other has not."""
    some = new or old
    if some is None:
        return
    old, new = old or type(some)(), new or type(some)()
    yield from _reviewed(name, old.reviewed, new.reviewed)
    yield from _fields("", old, new, ("conflicts", "edits", "gone", "addresses"))
    for one in fields(new):
        was, now = getattr(old, one.name), getattr(new, one.name)
        if one.name in _FOR_READERS or was == now or isinstance(now, str):
            continue
        for each in now:
            if each not in was:
                yield f"{one.name}: {_choice(each)} decided"
        for each in was:
            if each not in now:
                yield f"{one.name}: {_choice(each)} withdrawn"


def _choice(choice: object) -> str:
    given = [getattr(choice, each.name) for each in fields(choice)]  # type: ignore[arg-type]
    return " ".join(str(each) for each in given[:4] if each)


def _whole(name: str, old: object, new: object) -> Iterator[str]:
    if old is not new:
        yield f"{name} {'added' if old is None else 'taken away'}"


def _reviewed(name: str, old: Reviewed | None, new: Reviewed | None) -> Iterator[str]:
    if new is not None and new != old:
        yield f"{name} accepted {new.how or 'by hand'} by {new.by}"
    if new is None and old is not None:
        yield f"{name} is no longer accepted"


def _fields(
    called: str, was: object, now: object, apart: Sequence[str]
) -> Iterator[str]:
    """Yield the fields of two records that differ, but for those described `apart`."""
    if was is None or now is None:
        return
    for each in fields(now):  # type: ignore[arg-type]
        if each.name in apart or each.name in _FOR_READERS:
            continue
        old, new = getattr(was, each.name), getattr(now, each.name)
        if old != new:
            where = f"{called}: " if called else ""
            yield f"{where}{each.name.replace('_', ' ')} {_value(new)}, {_was(old)}"


def _value(value: object) -> str:
    """Return a value that was decided, short."""
    if value is None or value == "":
        return "nothing"
    if isinstance(value, StrEnum | str):
        return str(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "changed" if isinstance(value, dict | tuple | list) else str(value)


def _was(value: object) -> str:
    return f"was {_value(value)}" if _value(value) != "changed" else "in its parts"


def _pairs(
    old: Iterable[T], new: Iterable[T], key: Callable[[T], Hashable]
) -> Iterator[tuple[T, T | None, T | None]]:
    """Yield each record of either side, as it was and as it is; in the order of the new
    ones, then those that are gone."""
    before = {key(each): each for each in old}
    for each in new:
        yield each, before.pop(key(each), None), each
    for gone in before.values():
        yield gone, gone, None
