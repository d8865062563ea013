"""The items whose stories the destination would refuse, listed before any is sent.

Source: destination, content rules and folders. A story that is there already is sent:
what an editor filled in since may be what the rule asks for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace

from cmsmig.canonical import JsonObject
from cmsmig.configuration.plans import OLDER_STORY_BYTES
from cmsmig.counting import counted, noun_for
from cmsmig.destination.value_kinds import NAMES, TAKES, is_refused, is_unfit
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import LEFT_OUT, STAYS_AWAY
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.compare.component_fields import names_of, schema_of
from cmsmig.mapping.convert.content_shape import ContentShape
from cmsmig.mapping.decisions.conflicts import GoneAction, GoneFrom
from cmsmig.reconcile.resource import Owner, compare
from cmsmig.reconcile.rules.component import component_to_send
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.plan.drafts.offline_drafts import OfflineDrafts
from cmsmig.steps.plan.preflights.findings import (
    Preflight,
    PreflightKind,
    Refusal,
    Refused,
)
from cmsmig.steps.plan.resources import Resources
from cmsmig.steps.snapshot import Snapshot

_NEARLY = 0.8
"""From which part of the limit on a story's exact size is looked at."""


def find_refused(
    ledger: Ledger,
    snapshot: Snapshot,
    offline: OfflineDrafts,
    creating: Set[ItemKey],
) -> Refused:
    """Return the items whose stories would be refused when they are created, or are
    to stay away by a decision about their paths, each with why. Reads only.

    Such a decision holds also where the ledger records no story of the item any more.
    """
    look = _Look(ledger, snapshot, offline)
    refusals: dict[ItemKey, Refusal] = {}
    findings = [look.at_failure(key, why) for key, why in offline.failed.items()]
    closed: dict[tuple[str, str], Preflight] = {}
    for key, row in ledger.items.all().items():
        story = offline.stories.get(key)
        story_record = (
            row.story_record if story is not None and not row.is_gone else None
        )
        if (
            story is not None
            and story_record is not None
            and story.is_needed(story_record)
        ):
            findings += look.at_update(key)
    decided = offline.migration.decisions.conflicts
    for key in (each for each in offline.stories if each in creating):
        path = offline.context.places[key].full_slug
        action = decided.named_action(GoneFrom.DESTINATION, path)
        if action is GoneAction.LEAVE_OUT:
            refusals[key] = Refusal(LEFT_OUT, STAYS_AWAY)
            continue
        found = [*look.at_fields(key), *look.at_size(key)]
        findings += found
        problems = [each for each in found if each.fails]
        if (folder := look.at_folder(key)) is not None:
            problems.append(folder)
            place = (folder.folder, folder.component)
            before = closed[place].count if place in closed else 0
            closed[place] = replace(folder, count=before + 1)
        if problems:
            why = " ".join(each.text for each in problems)
            refusals[key] = Refusal(str(problems[0].kind), why)
    return Refused(refusals, (*map(_tell_count, closed.values()), *findings))


def _tell_count(folder: Preflight) -> Preflight:
    stories = counted(folder.count, "story", "stories")
    does = noun_for(folder.count, "does", "do")
    return replace(folder, text=f"{stories} {does} not arrive: {folder.text}")


class _Look:
    """Holds items against what the destination takes."""

    def __init__(
        self, ledger: Ledger, snapshot: Snapshot, offline: OfflineDrafts
    ) -> None:
        self._migration = offline.migration
        self._snapshot = snapshot
        self._offline = offline
        self._schemas = Schemas.after(offline.migration, ledger, snapshot)
        self._known: dict[int, tuple[Preflight, ...]] = {}
        """Problems of each shape, by its number: stories of one shape share it."""

    def at_fields(self, key: ItemKey) -> Iterator[Preflight]:
        """Yield the required fields without a value, and the values and blocks that
        a field does not take."""
        number = self._offline.stories[key].shape
        if number not in self._known:
            shape = self._offline.shapes[number]
            self._known[number] = tuple(self._of_shape(shape))
        for each in self._known[number]:
            yield self._of_item(key, each)

    def at_failure(self, key: ItemKey, why: str) -> Preflight:
        """Return that no story can be made of an item."""
        problem = Preflight(kind=PreflightKind.NOT_DRAFTED, text=why, fails=True)
        return self._of_item(key, problem)

    def at_update(self, key: ItemKey) -> Iterator[Preflight]:
        """Yield what a story that is there may be refused for when it is written:
        the current value may satisfy the field, so it is sent."""
        for each in self.at_fields(key):
            if not each.fails:
                yield each
                continue
            yield replace(
                each,
                fails=False,
                text=f"{each.text} Its story is there and may be refused when it is "
                "written.",
            )

    def at_folder(self, key: ItemKey) -> Preflight | None:
        """Return that the folder takes no stories of this type, if so."""
        place = self._offline.context.places[key]
        made = self._migration.design.content_type(key.collection_id)
        component = made.component if made else ""
        rule = self._snapshot.closed_by(place.folder, component)
        if rule is None:
            return None
        taken = ", ".join(f"`{each}`" for each in sorted(rule.content_types))
        return Preflight(
            kind=PreflightKind.FOLDER_CLOSED,
            text=(
                f"the folder `{rule.path}` in the space takes stories of the type "
                f"{taken} only, and not of `{component}`; allow that type in the "
                "folder's settings there."
            ),
            fails=True,
            collection=self._collection(key),
            component=component,
            folder=rule.path,
        )

    def at_size(self, key: ItemKey) -> Iterator[Preflight]:
        """Yield that a story may be larger than the destination takes, if so."""
        if self._offline.stories[key].size < OLDER_STORY_BYTES * _NEARLY:
            return
        size = self._exact_size(key)
        if size > OLDER_STORY_BYTES:
            problem = Preflight(
                kind=PreflightKind.STORY_SIZE,
                text=(
                    f"its content is {size / 1024**2:.1f} MB of JSON, and an older "
                    "page allowed 5 MB in a story; the service publishes no limit "
                    "today, so the story is sent. If it is refused, shorten or split "
                    "it in the origin, then pull again."
                ),
            )
            yield self._of_item(key, problem)

    def _of_shape(self, shape: ContentShape) -> Iterator[Preflight]:
        for component in sorted(shape.fields):
            for field, definition in self._schemas.fields.get(component, {}).items():
                if definition.get("required") and shape.lacks(component, field):
                    yield self._required(shape, component, field, definition)
                yield from _unfit(shape, component, field, definition)
                there = shape.fields[component].get(field)
                barred = [
                    each
                    for each in (there.held if there else ())
                    if not self._schemas.allows(definition, each)
                ]
                if barred:
                    yield _not_allowed(component, field, barred)

    def _required(
        self, shape: ContentShape, component: str, field: str, definition: JsonObject
    ) -> Preflight:
        where = _place(shape, component, field)
        if definition.get("source") == "internal_stories":
            text = (
                f"{where} is required in the space and leads to other stories, which "
                "is filled only once all of them are there; take `required` off that "
                "field there until the import is over."
            )
        elif (decided := self._migration.design.requires(component, field)) is None:
            text = (
                f"{where} is required in the space, and nothing of the origin is "
                "written into it; take `required` off that field there."
            )
        else:
            place = "in notebook 02" if decided else "in the space"
            text = (
                f"{where} is required and has no value; give it one at the origin and "
                "run `cmsmig pull --refresh`, or take `required` off that field "
                f"{place}."
            )
        return Preflight(
            kind=PreflightKind.REQUIRED_FIELD,
            text=text,
            fails=True,
            field=field,
            component=component,
        )

    def _of_item(self, key: ItemKey, problem: Preflight) -> Preflight:
        item = self._migration.items[key]
        return replace(
            problem,
            text=f"{item.name or key.item_id}: {problem.text}",
            collection=self._collection(key),
            item=str(key),
            full_slug=self._offline.context.places[key].full_slug,
        )

    def _collection(self, key: ItemKey) -> str:
        made = self._migration.design.content_type(key.collection_id)
        return made.collection_slug if made else ""

    def _exact_size(self, key: ItemKey) -> int:
        story = self._migration.story(key, self._offline.context)
        if story is None or isinstance(story, str):
            return 0
        text = json.dumps(story.content, ensure_ascii=False, separators=(",", ":"))
        return len(text.encode("utf-8", "surrogatepass"))


def _place(shape: ContentShape, component: str, field: str) -> str:
    """Return a field of a component, and the fields that hold its blocks."""
    around = [
        f"`{key}`" if holder != component else f"another `{component}`"
        for holder, key in shape.fields_with(component)
    ]
    inside = f", a block in {', '.join(around)}," if around else ""
    return f"`{field}` of the component `{component}`{inside}"


def _unfit(
    shape: ContentShape, component: str, field: str, definition: JsonObject
) -> Iterator[Preflight]:
    """Yield that the space's field has a type that does not take what we write.

    Source: destination, strict validation.
    """
    kind = str(definition.get("type") or "")
    there = shape.fields[component].get(field)
    unfit = [each for each in (there.kinds if there else ()) if is_unfit(kind, each)]
    if not unfit:
        return
    fails = any(is_refused(kind, each) for each in unfit)
    what = " or ".join(dict.fromkeys(NAMES[each] for each in unfit))
    is_block = any(shape.fields_with(component))
    or_rule = ", or the rule of the project's own that makes the block" * is_block
    then = (
        "" if fails else " Editors cannot change such a value, and it may be refused."
    )
    yield Preflight(
        kind=PreflightKind.FIELD_TYPE,
        text=(
            f"{_place(shape, component, field)} has the type `{kind}` in the space, "
            f"which takes {TAKES.get(kind, 'text')}, and the item has {what} there; "
            "set the field back to its own type there, or change its encoding in "
            f"decisions/design.yaml{or_rule}.{then}"
        ),
        fails=fails,
        field=field,
        component=component,
    )


def _not_allowed(component: str, field: str, barred: list[str]) -> Preflight:
    """Return a warning: the item is sent.

    Source: destination, content rules. Public reports disagree: some spaces answer
    such a save with 422, in others only the editor complains.
    """
    named = ", ".join(f"`{each}`" for each in barred)
    return Preflight(
        kind=PreflightKind.COMPONENT_NOT_ALLOWED,
        text=(
            f"`{field}` of the component `{component}` takes no {named} in the space, "
            "so the editor will complain and the service may refuse the story; allow "
            "that component in the field's settings there."
        ),
        field=field,
        component=component,
    )


@dataclass(frozen=True, slots=True)
class Schemas:
    """Field definitions and groups of components, by component."""

    fields: Mapping[str, Mapping[str, JsonObject]]
    groups: Mapping[str, str]
    """The UUID of a component's group; empty without one."""
    tags: Mapping[str, frozenset[str]]
    """Ids of a component's tags."""

    @classmethod
    def after(cls, migration: Migration, ledger: Ledger, snapshot: Snapshot) -> Schemas:
        """Return what will be there once the components are made. Reads only."""
        there = {each.name: each.body for each in snapshot.components}
        after = dict(there)
        for each in Resources.of(migration, ledger, snapshot).components():
            compared = compare(each, migration.decisions.conflicts)
            if compared.owner is Owner.OURS:
                after[each.ref.key] = component_to_send(compared)
            elif each.actual is None and each.desired is not None:
                after[each.ref.key] = each.desired.body
        fields = {name: schema_of(body) for name, body in after.items()}
        groups = {
            name: str(body.get("component_group_uuid") or "")
            for name, body in there.items()
        }
        tags = {
            name: names_of(body.get("internal_tag_ids")) for name, body in there.items()
        }
        return cls(fields, groups, tags)

    def allows(self, definition: JsonObject, component: str) -> bool:
        """Return whether a field takes a block of a component.

        Source: destination, field definitions: restrict_components.
        """
        if not definition.get("restrict_components"):
            return True
        match definition.get("restrict_type"):
            case "tags":
                of, names = "component_tag", self.tags.get(component, frozenset())
            case "groups":
                of, names = "component_group", names_of(self.groups.get(component))
            case _:
                of, names = "component", frozenset((component,))
        allowed = names_of(definition.get(f"{of}_whitelist"))
        denied = names_of(definition.get(f"{of}_denylist"))
        return (not allowed or bool(names & allowed)) and not names & denied
