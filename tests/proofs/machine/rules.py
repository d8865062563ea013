"""What has to hold, whatever happens: read from the space alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from tests.proofs.machine import components, used
from tests.proofs.machine.book import Days
from tests.proofs.machine.broken import insist
from tests.proofs.machine.decided import DESTINATION, LEAVE_OUT, OURS, RECREATE
from tests.proofs.machine.seen import (
    FRENCH_LINE,
    FRENCH_NAME,
    FRENCH_SLUG,
    LINE,
    MOOD,
    NAME,
    PICTURE,
    PUBLISHED,
    SLUG,
    TAGS,
    TEXT,
    TRASHED,
    Seen,
    Space,
)
from tests.proofs.machine.site import EN, FILES, FOLDER, FR, Item, Key, Words
from tests.proofs.machine.things import draft_of

_SHOWN = (NAME, LINE, TEXT, FRENCH_LINE, FRENCH_NAME, FRENCH_SLUG)


def always(days: Days, command: str, before: Space, after: Space) -> None:
    """Insist on what holds after each command that writes, also a killed one."""
    _is_single(days, after)
    _keeps_edits(days, command, before, after)
    _shows_no_unfinished(days, after)
    if command == "import":
        _keeps_slugs(days, before, after)
        _takes_nothing(days, before, after)
        _makes_nothing_again(days, before, after)


def _is_single(days: Days, after: Space) -> None:
    there = Counter(each.key for each in after.values() if not each.trashed)
    twice = [
        key for key, count in there.items() if count > 1 and key not in days.book.lost
    ]
    paths = [each.path for each in after.values() if each.key in twice]
    insist("one story for each item", not twice, f"{twice} at {paths}")


def _keeps_edits(days: Days, command: str, before: Space, after: Space) -> None:
    """An editor's edit is there, unless a decision gives it up."""
    book = days.book
    subjects = {key: subject for subject, key in days.subjects().items()}
    unfinished = days.world.open_intents()
    for (own, name), value in list(book.held.items()):
        was, seen = before[own], after[own]
        if ("show", subjects[seen.key]) in unfinished:
            continue  # A killed run gave visitors theirs; the next one puts it back.
        if name != TRASHED and seen.trashed:
            if not was.trashed:
                protected = book.protected(own).keys() - {TRASHED}
                item = book.pulled.get(seen.key)
                if item is not None and item.live and book.held.get((own, PUBLISHED)):
                    protected -= {PUBLISHED}  # As it is decided: no edit.
                if command == "import" or own in book.never_public:
                    # A publication alone does not keep what is to be deleted.
                    protected -= {PUBLISHED}
                what = f"{seen.path} went to the trash with {sorted(protected)}"
                insist(f"an edit stays ({command} deletes)", not protected, what)
            continue
        if seen.holds(name, value):
            continue
        fine = book.is_ours(own, name)
        if name == PUBLISHED and not fine:
            withdrawn = book.gone_action("origin", own) & {"unpublish"}
            fine = bool(withdrawn) or own in book.never_public
        what = f"{seen.path}: {value!r} is {seen.values.get(name)!r} ({seen.shown})"
        insist(f"an edit stays ({command}, {name})", fine, what)
        del book.held[own, name]


def _shows_no_unfinished(days: Days, after: Space) -> None:
    """What an editor saved and did not publish is not before visitors."""
    book = days.book
    for own, words in book.unfinished.items():
        shown = after[own].shown or {}
        found = {shown.get(name) for name in _SHOWN} & {*words}
        # Of what only editors have, visitors of a mirrored page get names and slugs.
        kept = {shown.get(name) for name in (FRENCH_NAME, FRENCH_SLUG)}
        is_mirrored = days.world.setup.items == "mirror"
        fine = book.is_ours(own, PUBLISHED) and not (is_mirrored and found - kept)
        what = f"{after[own].path} shows {found}"
        insist("no unfinished edit goes live", not found or fine, what)
        words -= found  # It is public by decision, also once that is taken back.


def _keeps_slugs(days: Days, before: Space, after: Space) -> None:
    """An import gives no page another slug without a decision."""
    for own, was in before.items():
        for name in {SLUG, FRENCH_SLUG} & was.values.keys():
            fine = days.book.is_ours(own, name) or was.trashed
            same = after[own].values.get(name) == was.values[name]
            insist("no slug changes undecided", same or fine, (was.path, name))


def _takes_nothing(days: Days, before: Space, after: Space) -> None:
    """An import takes away only what is gone at the origin, by decision."""
    setup = days.world.setup
    for own, was in before.items():
        seen = after[own]
        gone = days.book.is_gone(was.key, setup)
        actions = days.book.gone_action("origin", own) if gone else set()
        if seen.trashed and not was.trashed:
            insist("nothing is taken away", "delete" in actions, seen.path)
        if was.shown is not None and seen.shown is None and not seen.trashed:
            # A decision about a path is one about the page that is there now, too.
            fine = "unpublish" in actions or OURS in (
                OURS if days.book.is_ours(own, PUBLISHED) else "",
                days.book.decisions.side(seen.path, PUBLISHED, True),
            )
            insist("nothing is unpublished", fine, seen.path)


def _makes_nothing_again(days: Days, before: Space, after: Space) -> None:
    """What an editor deleted is created again by decision only."""
    book = days.book
    deleted = {
        before[own].key: own
        for own, name in book.held
        if name == TRASHED and before[own].trashed
    }
    there = {each.key for each in before.values() if not each.trashed}
    for own, seen in after.items():
        lost = deleted.get(seen.key)
        if own in before or lost is None or seen.key in there:
            continue
        actions = book.gone_action("destination", lost)
        left_out = LEAVE_OUT in actions
        if book.rolled_back or lost in book.unknown:
            # A ledger that may not have it knows it by its path alone.
            left_out = book.decisions.action_of(DESTINATION, seen.path) == LEAVE_OUT
        is_forgotten = book.rebuilt or book.rolled_back or lost in book.unknown
        fine = RECREATE in actions or (is_forgotten and not left_out)
        insist("what was deleted is not made again", fine, seen.path)
        for each in [key for key in book.held if key[0] == lost]:
            del book.held[each]


def imported(days: Days, space: Space) -> None:
    """Insist on what holds after an import that left nothing undone."""
    setup, book = days.world.setup, days.book
    there = {each.key: each for each in space.values() if not each.trashed}
    known = (
        each
        for key, each in there.items()
        if each.story_id not in book.estranged and not book.is_gone(key, setup)
    )
    used.are_there(days, known)
    for key, item in book.pulled.items():
        if book.is_gone(key, setup):
            continue
        seen = there.get(key)
        if seen is None:
            lost = {own for own, each in space.items() if each.key == key}
            fine = any(book.gone_action("destination", own) for own in lost)
            insist("each item has a story", fine, key)
            continue
        if seen.story_id in book.touched or seen.story_id in book.forgotten:
            continue
        _is_as_decided(days, seen, item)


def _is_as_decided(days: Days, seen: Seen, item: Item) -> None:
    items, book = days.world.setup.items, days.book
    draft = draft_of(item, items)
    insist("editors see what was decided", _agree(seen.values, draft), seen)
    mood = draft.line if book.pulled_mood else ""
    insist("a new field is filled", seen.values[MOOD] == mood, seen)
    if not book.decisions.publishing:
        _is_hidden(days, seen)
        return
    if item.live is None:
        _is_hidden(days, seen)
    public = item.live is not None
    insist("a live page is public", not public or seen.shown is not None, seen)
    if seen.shown is not None and item.live is not None:
        words = item.staged if items == "staged" else item.live
        insist("visitors see what was decided", _agree(seen.shown, words), seen)
    if days.world.setup.fields:
        _is_called_as_decided(days, seen, item)
    if days.world.setup.shaped:
        words = item.live if items == "mirror" and item.live else draft
        wanted = (words.label,) if words.label else ()
        insist("visitors get the decided tags", seen.values[TAGS] == wanted, seen)


def _is_called_as_decided(days: Days, seen: Seen, item: Item) -> None:
    """Insist on the names in French, of what editors and what visitors see."""
    items = days.world.setup.items
    french = days.book.pulled.get((seen.key[0], FR))
    if french is None or french.archived:
        return  # A page that was there stays until it is decided.
    name = draft_of(french, items).name
    insist("editors see what was decided", seen.values.get(FRENCH_NAME) == name, seen)
    if seen.shown is None or item.live is None:
        return  # A page that is no longer to be public stays as it is.
    live = french.staged if items == "staged" else french.live
    wanted = live.name if french.live and live else None
    insist("visitors see what was decided", seen.shown.get(FRENCH_NAME) == wanted, seen)


def _is_hidden(days: Days, seen: Seen) -> None:
    """Insist that what is not to be public is not, where that was decided."""
    public = seen.shown is not None
    side = days.book.decisions.side(seen.path, PUBLISHED, public)
    insist("what was decided is hidden", side != OURS or not public, seen)


def _agree(values: Mapping[str, Any], words: Words) -> bool:
    text = words.text + "".join(f"to {each}" for each in words.related)
    wanted = {NAME: words.name, LINE: words.line, PICTURE: words.picture}
    if words.text:
        wanted[TEXT] = text
    return all(values[name] == value for name, value in wanted.items())


def verified(
    days: Days, space: Space, differences: Sequence[Mapping[str, Any]]
) -> None:
    """Insist that a verification names nothing but what editors edited."""
    book = days.book
    by_subject = days.subjects()
    for each in differences:
        key = by_subject.get(each["subject"])
        item = book.pulled.get(key) if key else None
        asked = book.decisions.publishing and (item is None or item.live is not None)
        if each["code"] == "published_unasked" and not asked:
            continue  # No longer to be public: a person decides.
        is_unclear = book.rebuilt or book.is_section_unsent
        if each["code"] == "not_published" and key is None and is_unclear:
            continue  # A section that a killed run had not published, or an editor hid.
        if each["subject"] in (components.NAME, *FILES):
            continue
        stories = [own for own, seen in space.items() if seen.key == key]
        touched = any(own in book.touched or own in book.forgotten for own in stories)
        insist("a verification names edits alone", touched, each)


def rolled_back(days: Days, before: Space, after: Space) -> None:
    """Insist that nothing is left that no editor ever touched."""
    book = days.book
    left = [
        seen.path
        for own, seen in after.items()
        if not seen.trashed and own not in book.touched | book.forgotten
    ]
    insist("a rollback leaves edits alone", not left, left)


def redirected(days: Days, space: Space, map_: Mapping[str, str]) -> None:
    """Insist that every address that visitors knew leads to the page."""
    stories = [each for each in space.values() if not each.trashed]
    there = {each.key: each for each in stories if each.shown is not None}
    # Nothing leads on from where a story is, also one that is not public yet.
    pages = {f"/{each.path}" for each in stories}
    _note_addresses(days, there)
    claims: dict[str, set[Key]] = defaultdict(set)
    for key, addresses in days.book.addresses.items():
        for old in addresses:
            claims[old].add(key)
    for key, seen in there.items():
        # Where slugs were exchanged without a decision, pages keep theirs, too.
        claims[f"/{FOLDER}/{seen.values[SLUG]}"].add(key)
    circles = [old for old in map_ if _end(old, map_) is None]
    insist("no redirect is a loop", not circles, circles)
    for key, addresses in days.book.addresses.items():
        item, seen = days.book.pulled.get(key), there.get(key)
        if seen is None or item is None or item.live is None:
            continue
        if seen.story_id in days.book.touched:
            continue  # Where editors moved a page, they lead visitors on.
        for old in addresses:
            if claims[old] == {key} and old not in pages:
                end = _end(old, map_)
                insist("an old address leads on", end == f"/{seen.path}", (old, end))


def _note_addresses(days: Days, there: Mapping[Key, Seen]) -> None:
    """Take note of what visitors can open now, on both sides."""
    for key, item in days.book.pulled.items():
        if item.live is not None and key in there:
            above = "" if key[1] == EN else f"/{FR}"
            old = f"{above}/{FOLDER}/{item.live.slug}"
            days.book.addresses[key] |= {old, f"/{there[key].path}"}


def _end(old: str, map_: Mapping[str, str]) -> str | None:
    for _ in range(len(map_) + 1):
        if old not in map_:
            return old
        old = map_[old]
    return None
