"""What a person should know of the origin's schema and of earlier designs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from cmsmig.counting import counted, first_of
from cmsmig.ledger.store import Ledger
from cmsmig.mapping.decisions.choices import PublishRule
from cmsmig.mapping.decisions.conflicts import ConflictKind
from cmsmig.mapping.draft import ExistingStory
from cmsmig.mapping.propose.decision_checks import departures
from cmsmig.mapping.select.translations import NO_PRIMARY_LANGUAGE, count_languages
from cmsmig.steps.decide.migration import Migration
from cmsmig.steps.decide.pulled_origin import Origin, unread_sentences
from cmsmig.steps.plan.cleaned_fields import cleaning_notes
from cmsmig.steps.plan.recorded_stories import Move
from cmsmig.steps.plan.resources import needed_keys, taken_folders
from cmsmig.steps.plan.wanted_stories import WantedStories
from cmsmig.steps.snapshot import Snapshot

_SHOWN = 3
LABELS: Final = "origin_labels"
"""Under which name a stored plan keeps what the origin called things."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a field or an option is called."""

    key: str
    """Names it in a stored plan."""
    what: str
    origin: str
    """At the origin, now."""
    design: str


def find_notes(wanted: WantedStories, ledger: Ledger) -> Iterator[str]:
    """Yield a sentence for each. Reads only."""
    migration = wanted.migration
    left_out = migration.decisions.collections.left_out
    yield from unread_sentences(migration.origin.unread, left_out)
    yield from _find_taken(wanted, ledger)
    yield from _find_lacking(wanted)
    yield from hidden_sentences(migration)
    yield from _find_odd_characters(migration.origin)
    yield from departures(
        migration.decisions.collections,
        migration.decisions.design,
        migration.origin.collections,
        migration.origin.site.locales,
    )
    yield from cleaning_notes(wanted)
    yield from _find_renamed(migration, ledger)
    yield from _find_other_slugs(migration)
    yield from _find_moving(wanted.moves.values())
    yield from _find_unknown(migration)
    if migration.pilot.is_whole:
        yield from _find_left_behind(migration, ledger, wanted.snapshot)


def _find_taken(wanted: WantedStories, ledger: Ledger) -> Iterator[str]:
    """Name the pages that keep folders from being made, once each."""
    folders, decided = wanted.migration.places.folders, wanted.migration.decisions
    made = ledger.inventory.made("folder")
    for path, each in taken_folders(folders, made, wanted.snapshot).items():
        if path == each.path and not decided.conflicts.choice(
            ConflictKind.FOLDER, path
        ):
            yield each.sentence


def _find_lacking(wanted: WantedStories) -> Iterator[str]:
    """Say how many stories exist in each language where they are translated fields,
    and propose folders before the first import where most lack one."""
    migration = wanted.migration
    decision, total = migration.decisions.collections, len(migration.selected)
    found = count_languages(migration.selected, decision.translations)
    lacking = [each for each in found if each.items < total]
    if not lacking:
        return
    named = ", ".join(
        f"{each.items:,} in `{each.locale.code}` "
        f"({each.locale.name or each.locale.tag})"
        for each in found
    )
    yield (
        f"Stories that exist in a language: {named}, of {total:,}. The service "
        "delivers every story in every language, with the primary language's text "
        "where it lacks one: a front end has to leave those out, as docs/front-end.md "
        "says (Languages)."
    )
    mostly = [f"`{e.locale.code}`" for e in lacking if 2 * e.items < total]
    is_imported = any(row.story_record for row in wanted.rows.values())
    if mostly and not is_imported:
        yield (
            f"Most stories lack {', '.join(mostly)}. `languages: folders` in "
            "decisions/collections.yaml (Languages in notebook 01) gives a language "
            "only the stories that exist in it; decide it before the first import."
        )


def hidden_sentences(migration: Migration) -> Iterator[str]:
    """Name the pages that are live in a language and will not be, since their story is
    the primary language's, which is not live."""
    collections = migration.decisions.collections.collections
    published = {
        each.collection_id
        for each in collections
        if each.publish is PublishRule.WHAT_IS_LIVE
    }
    live = {
        item.key
        for collection_id, items in migration.origin.live.items()
        for item in items
        if collection_id in published
    }
    hidden = [
        f"`{each.name}`"
        for each in migration.skipped
        if each.reason == NO_PRIMARY_LANGUAGE and each.key in live
    ]
    for entry in migration.selected:
        if entry.item.key in migration.to_publish:
            continue
        place = migration.places.places[entry.item.key]
        story = ExistingStory.planned(entry.item.key, place)
        codes = (each.code for each in entry.item.languages if each.key in live)
        hidden += [f"`{story.path(code)}`" for code in codes]
    if hidden:
        pages = counted(len(hidden), "page is live", "pages are live")
        yield (
            f"{pages} in a language, and visitors will not get it, since the item is "
            f"not live in the primary language and both are one story: "
            f"{', '.join(hidden)}. Publish it in the primary language at the origin, "
            "or decide `languages: folders` in decisions/collections.yaml (Languages "
            "in notebook 01) before the first import."
        )


def labels_to_keep(migration: Migration, ledger: Ledger) -> dict[str, str]:
    """Return what the next plan compares the origin's labels with.

    An old label that the design still has is kept, so that the new one is reported
    until an editor accepts it.
    """
    old = _old_labels(ledger)
    return {
        each.key: old[each.key] if _is_renamed(each, old) else each.origin
        for each in _labels(migration)
    }


def _find_renamed(migration: Migration, ledger: Ledger) -> Iterator[str]:
    old = _old_labels(ledger)
    for each in _labels(migration):
        if _is_renamed(each, old):
            yield (
                f"The origin calls {each.what} `{each.origin}` now; for editors it "
                f"stays `{each.design}` until it is changed in decisions/design.yaml."
            )


def _find_other_slugs(migration: Migration) -> Iterator[str]:
    """Tell of stories whose slug is not the origin's; the plan lists all."""
    places = migration.places
    named = [
        f"`{places.places[each.key].full_slug}`: {each.why}" for each in places.changes
    ]
    if named:
        shown = first_of(named, _SHOWN, " … and ", " ")
        yield (
            f"{counted(len(named), 'slug is', 'slugs are')} not the origin's, "
            f"all listed under Changes: {shown}"
        )


def _find_moving(moves: Iterable[Move]) -> Iterator[str]:
    """Name the pages that get another path; `plan --json` lists all."""
    named = [f"`{each.old}` moves to `{each.new}`" for each in moves]
    if named:
        yield (
            f"{counted(len(named), 'page gets', 'pages get')} another path: "
            f"{first_of(named, _SHOWN)}. Links to them follow in the same import."
        )


def _find_unknown(migration: Migration) -> Iterator[str]:
    """Tell of items that were decided on by name and are not there."""
    for choice in migration.decisions.collections.collections:
        for each in choice.apart:
            if (choice.collection_id, each.item_id) not in migration.known.variants:
                yield (
                    f"`{choice.collection_slug}` has no item `{each.item_id}`, which "
                    "decisions/collections.yaml names under `apart`; correct it there "
                    "or take it out."
                )
    places = migration.places.places
    started = {key.collection_id for key, each in places.items() if each.start}
    for made in migration.design.content_types:
        if made.start_page and made.collection_id not in started:
            yield (
                f"`{made.collection_slug}` has no item `{made.start_page}` that could "
                "be the start page of its folder; correct `start_page` in "
                "decisions/design.yaml or take it out."
            )


def _is_renamed(label: Label, old: Mapping[str, str]) -> bool:
    """Return whether the design has a label that the origin gave up."""
    before = old.get(label.key, label.origin)
    return label.origin != before == label.design


def _old_labels(ledger: Ledger) -> Mapping[str, str]:
    stored = ledger.newest_plan_part(LABELS) or {}
    return {key: str(label) for key, label in stored.items()}


def _labels(migration: Migration) -> Iterator[Label]:
    by_id = {each.collection_id: each for each in migration.origin.collections}
    for content_type in migration.design.content_types:
        collection = by_id.get(content_type.collection_id)
        for field in content_type.fields:
            origin = collection.field(field.origin) if collection else None
            if origin is None:
                continue
            key = f"{content_type.collection_id}.{field.origin}"
            what = f"the field `{field.origin}` of `{content_type.collection_slug}`"
            yield Label(key, what, origin.display_name, field.display_name)
            there = dict(origin.options)
            for option, label in field.options:
                if option in there:
                    yield Label(
                        f"{key}.{option}",
                        f"the option `{label}` of {what}",
                        there[option],
                        label,
                    )


def _find_left_behind(
    migration: Migration, ledger: Ledger, snapshot: Snapshot
) -> Iterator[str]:
    """Tell of what an earlier design had made and nothing needs any more."""
    for kind, needed in needed_keys(migration).items():
        for name, row in ledger.inventory.made(kind).items():
            if row.made and name not in needed and _is_there(kind, name, snapshot):
                yield (
                    f"The {kind.replace('_', ' ')} `{name}` of an earlier design stays "
                    "in the space, and the import needs it no more; delete it there "
                    "once no story does."
                )


def _is_there(kind: str, name: str, snapshot: Snapshot) -> bool:
    match kind:
        case "component":
            return snapshot.component(name) is not None
        case "folder":
            return snapshot.folder(name) is not None
        case _:
            # Lists of the others are read only where the design names some.
            return True


def _find_odd_characters(origin: Origin) -> Iterable[str]:
    """List records of the schema that held a character that no text may hold; items'
    are losses."""
    places = [origin.site.display_name] if origin.site.odd_characters else []
    places += [each.slug for each in origin.collections if each.odd_characters]
    if places:
        yield (
            "A name, an option or a help text holds half of a character, which shows "
            f"as �, or U+0000, which is left out: {'; '.join(places)}; correct it in "
            "the origin and pull again, or in decisions/design.yaml."
        )
