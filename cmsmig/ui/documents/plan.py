"""A plan as a document: decisions first, then each action by name, what is lost, and
the calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cmsmig.configuration.plans import Counted
from cmsmig.counting import counted
from cmsmig.item_key import ItemKey
from cmsmig.ledger.rows import ItemRow
from cmsmig.mapping.select.reference_targets import EXPLAINED, fields_replaced
from cmsmig.mapping.select.routes import PageCause
from cmsmig.reconcile.field_diff import FieldDiff, Outcome
from cmsmig.reconcile.kinds import Kind
from cmsmig.reconcile.labels import NO_LABELS, Labels
from cmsmig.reconcile.resource import Action, Verb
from cmsmig.reconcile.rules.story_fields import CONTENT
from cmsmig.reconcile.value_changes import sides_of
from cmsmig.steps.plan.conflicts import taken_places
from cmsmig.steps.plan.gone.missing_objects import Gone, Missing, gone_sentence
from cmsmig.steps.plan.plan import Plan
from cmsmig.steps.plan.preflights.findings import LIMITS
from cmsmig.ui.doc import (
    Cell,
    Doc,
    Fold,
    Heading,
    Mark,
    Note,
    Part,
    Severity,
    Table,
    Text,
    applicable,
    table,
)
from cmsmig.ui.documents.findings import LINK_KINDS, loss_facts, reason_name
from cmsmig.ui.documents.plan_steps import STEP_OF, TITLES
from cmsmig.ui.format import duration

_JSON = "`cmsmig plan --json` lists all"
_VERBS: Mapping[Verb, tuple[str, Severity, str]] = {
    Verb.CREATE: ("+", "good", "create"),
    Verb.UPDATE: ("~", "warning", "change"),
    Verb.HIDE: ("-", "warning", "unpublish"),
    Verb.DELETE: ("-", "bad", "delete"),
}
"""Publications are listed apart, with what changes for visitors."""
_ORDER = (
    Kind.DATASOURCE,
    Kind.COMPONENT,
    Kind.FOLDER,
    Kind.ASSET_FOLDER,
    Kind.ASSET,
    Kind.STORY,
)
_SPARED: Mapping[str, tuple[str, str]] = {
    "files_with_the_same_bytes": (
        "file that equals another",
        "files that equal others",
    ),
    "stories_without_anything_to_link": (
        "story that phase two need not write: nothing in it is to be linked or updated",
        "stories that phase two need not write: nothing in them is to be linked or "
        "updated",
    ),
    "finish_calls": ("upload that ends by itself", "uploads that end by themselves"),
}
"""What no call is made for, by its name in the plan."""
PUBLICATIONS = "Publications that wait for you: choose in notebook 04"
_READING = "Reading the space"


def plan_line(plan: Plan) -> str:
    """Return in one line what a plan does, and the outcome of every item."""
    items = plan.items
    part = "" if plan.pilot.is_whole else f"Pilot ({plan.pilot}). "
    why = "; ".join(f"{reason_name(e)}: {count:,}" for e, count in plan.skipped.items())
    counts = (
        (items["to_create"], "item becomes a new story", "items become new stories"),
        (items["already_there"], "item has a story", "items have a story"),
        (items["gone"], "story is missing", "stories are missing"),
        (items["skipped"], "item is left out", "items are left out"),
        (items["failed"], "item fails", "items fail"),
    )
    said = [counted(count, one, many) for count, one, many in counts if count]
    reasons = f" ({why})" if why else ""
    changes = f"{part}Changes: {_verbs(plan.actions) or 'none'}"
    if published := len(plan.publications):
        changes += f", {published:,} to publish"
    return f"{changes}. {', '.join(said) or 'No items'}{reasons}."


def plan_doc(plan: Plan, *, is_decided_above: bool = False) -> Doc:
    """Return a plan for a person to read before anything is written;
    `is_decided_above`: below the list in which its conflicts are decided."""
    whole = plan_without_calls(plan, is_decided_above=is_decided_above)
    return (*whole, *_calls(plan), plan_name(plan))


def plan_name(plan: Plan) -> Text:
    """Return what `--plan` takes, for the end of a plan."""
    return Text(f"Plan {plan.plan_hash[:16]}")


def plan_without_calls(plan: Plan, *, is_decided_above: bool = False) -> Doc:
    """Return a plan for a client: all of it but the numbers of calls."""
    return (
        Text(plan_line(plan)),
        *_section("Decisions", () if is_decided_above else _decisions(plan)),
        *_warnings(plan),
        *_section("Not sent", _refused(plan)),
        *_section("Changes", _changes(plan)),
        *_section("What is lost or stays as it is", _losses(plan)),
    )


def _section(title: str, parts: Iterable[Part]) -> Iterator[Part]:
    if found := [*parts]:
        yield from (Heading(title), *found)


def _decisions(plan: Plan) -> Iterator[Part]:
    """Yield what waits for a decision."""
    yield from _gone_there(plan.gone.undecided)
    labels = plan.details.labels if plan.details else NO_LABELS
    yield from table(
        ("What", "Field", "Last import", "Origin now", "Space now", "Why"),
        [
            (labels.item(each.what), *_conflict(labels, each), each.cause)
            for each in plan.edit_conflicts
            if not each.why
        ],
        "Conflicts: choose in notebook 04, keep theirs or write ours",
        _JSON,
    )
    yield from table(
        ("Story", "What to decide"),
        [
            (labels.item(each.what), Text(each.why))
            for each in plan.edit_conflicts
            if each.why
        ],
        PUBLICATIONS,
        _JSON,
    )
    yield from table(
        ("Place", "Taken by", "Item", "Decided"),
        [
            (
                found[0].what,
                found[0].who,
                counted(len(found), "item")
                if found[0].folder
                else item_name(plan, found[0].key),
                found[0].action or "nothing yet",
            )
            for found in taken_places(plan.conflicts)
        ],
        "Conflicts: the place of an item, or its folder's, is taken",
        _JSON,
    )
    yield from table(
        ("Kind", "Name", "What to do"),
        [(each.kind, each.what, Text(each.text)) for each in plan.in_the_way],
        "In the way: not ours, so it is not overwritten",
        _JSON,
    )
    yield from gone_tables(plan.gone_at_origin)


def _conflict(labels: Labels, found: FieldDiff) -> tuple[str, ...]:
    values = (found.base, found.ours, found.theirs)
    sides = sides_of(labels, found.ref, found.field, *values)
    return sides.field, sides.last, sides.origin, sides.space


def _gone_there(undecided: Gone) -> Iterator[Part]:
    if undecided.things:
        yield Note(gone_sentence(undecided), "warning")
        rows = [
            (kind.noun(), name)
            for kind, names in undecided.names().items()
            for name in names
        ]
        yield from table(("Kind", "Name"), rows, "Gone from the destination", _JSON)


def gone_tables(rows: Sequence[ItemRow]) -> Iterator[Table]:
    """Yield the items that are gone at the origin, and the outcome for each story."""
    cells = [
        (
            row.name or str(row.key),
            row.story_record.full_slug if row.story_record else row.full_slug,
            row.gone.sentence,
            f"{_words(row.gone.state)}. {row.gone.note}".removesuffix(". "),
        )
        for row in rows
        if row.gone
    ]
    head = ("Item", "Story", "Why", "The story")
    yield from table(head, cells, "Gone at the origin")


def _warnings(plan: Plan) -> Iterator[Note]:
    for sentence in plan.checks.limits:
        yield Note(f"limit: {sentence}", "warning")
    for sentence in plan.notes:
        yield Note(sentence)
    for each in plan.checks.findings:
        if not each.fails and each.kind not in LIMITS:
            yield Note(each.text, "warning")


def _refused(plan: Plan) -> Iterator[Part]:
    rows = [
        (each.full_slug or each.folder, each.field, Text(each.text))
        for each in plan.checks.findings
        if each.fails
    ]
    yield from table(
        ("Where", "Field", "What to do"), rows, "The service would refuse it", _JSON
    )
    files = [*plan.missing_files.items()]
    yield from table(("File", "Why"), files, "Files that could not be downloaded")


def _verbs(actions: Iterable[Action]) -> str:
    counts = Counter(each.verb for each in actions)
    return ", ".join(
        f"{counts[verb]:,} to {name}"
        for verb, (_, _, name) in _VERBS.items()
        if counts[verb]
    )


def _changes(plan: Plan) -> Iterator[Part]:
    texts: dict[tuple[str, str], list[str]] = {}
    for each in plan.schema_changes:
        if each.outcome is Outcome.WRITE:
            texts.setdefault((each.kind, each.what), []).append(each.text)
    for kind in _ORDER:
        listed = (each for each in plan.actions if each.verb in _VERBS)
        of_kind = [each for each in listed if each.ref.kind is kind]
        if of_kind:
            rows = [_action_row(each, texts) for each in of_kind]
            title = f"{kind.noun(2).capitalize()}: {_verbs(of_kind)}"
            yield Fold(title, (Table((), rows),))
    published = [(Text(each.line),) for each in plan.publications]
    moves = [(each.old, each.new) for each in plan.moves]
    slugs = [
        (str(each["full_slug"]), str(each["origin"]), Text(str(each["why"])))
        for each in (plan.details.slug_changes() if plan.details else ())
    ]
    slug_head = ("Page", "Slug at the origin", "Why")
    kept = [
        (each.kind, each.what, Text(each.text))
        for each in plan.schema_changes
        if each.outcome not in (Outcome.WRITE, Outcome.ACCEPT)
    ]
    stories = counted(len(published), "story", "stories")
    kept_title = f"Kept as editors changed it: {len(kept):,}"
    made_again = plan.gone.of(Missing.RECREATE).counts()
    yield from applicable(
        (published, Fold(f"Published: {stories}", (Table((), published),))),
        (moves, Fold(f"Moved: {len(moves):,}", (Table(("From", "To"), moves),))),
        (
            slugs,
            Fold(
                f"Another slug than at the origin: {len(slugs):,}",
                (Table(slug_head, slugs),),
            ),
        ),
        (kept, Fold(kept_title, (Table((), kept),))),
        (made_again, Text(f"Made again, since it is gone: {_counts(made_again)}.")),
    )


def _action_row(
    action: Action, texts: Mapping[tuple[str, str], Sequence[str]]
) -> tuple[Cell, ...]:
    kind, name = action.ref
    fields = sorted(each.removeprefix(CONTENT) for each in action.fields)
    said = texts.get((str(kind), name)) or fields
    sign, color, _ = _VERBS[action.verb]
    return Mark(f"{sign} {kind.noun()}", color), name, Text(", ".join(said))


def _losses(plan: Plan) -> Iterator[Part]:
    yield from loss_facts(plan.losses)
    yield from left_as_it_is(plan)


def left_as_it_is(plan: Plan) -> Iterator[Part]:
    """Yield which references stay empty and which links stay as they are."""
    causes = Counter(EXPLAINED[each.cause] for each in plan.dangling)
    empty = counted(len(plan.dangling), "reference stays", "references stay")
    replaced = fields_replaced(plan.dangling)
    fields = counted(replaced, "translated field")
    outside = counted(len(plan.not_in_pilot), "reference")
    borrowed = counted(len(plan.borrowed), "reference")
    links = Counter(
        {LINK_KINDS.get(k, _words(k)): n for k, n in plan.links_left.items()}
    )
    elsewhere = links.pop(LINK_KINDS[PageCause.LANGUAGE], 0)
    crossing = counted(elsewhere, "link leads", "links lead")
    left = links.total()
    stay = counted(
        left,
        "link into the old site stays as it is",
        "links into the old site stay as they are",
    )
    yield from applicable(
        (causes, Text(f"{empty} empty{_reasons(causes)}.")),
        (
            replaced,
            Text(
                f"Of these, visitors get the primary language's references in {fields}."
            ),
        ),
        (
            plan.not_in_pilot,
            Text(f"{outside} to items outside this pilot: a whole import fills them."),
        ),
        (plan.borrowed, Text(f"{borrowed} to the story in the primary language.")),
        (left, Text(f"{stay}: {_counts(links)}.")),
        (
            elsewhere,
            Text(
                f"{crossing} to a page in another language than the text, where a link "
                "to a story cannot lead: its address on the new site is stored, and "
                "each import renews it."
            ),
        ),
    )


def _calls(plan: Plan) -> Iterator[Part]:
    rows: list[tuple[Cell, ...]] = []
    for step in (_READING, *TITLES):
        named = [
            (name, count)
            for name, count in plan.calls.items()
            if STEP_OF.get(name, _READING) == step
        ]
        for number, (name, count) in enumerate(named):
            title = "" if number else TITLES.get(step, step)
            rows.append((title, _words(name), count, _time(plan, count)))
    total = plan.total_calls
    rows.append(("All", "", total, _time(plan, total)))
    head = ("Step", "Call", "Calls", "Time")
    spared = (
        counted(count, *_SPARED[name]) for name, count in plan.saved.items() if count
    )
    saved = "; ".join(spared)
    at = ", ".join(f"{duration(plan.seconds(rate))} at {rate}" for rate in (3, 6))
    parts = (
        Table(head, rows, shown=len(rows)),
        *applicable((saved, Text(f"No call is needed for: {saved}."))),
        *(
            Text(f"With one verification {each.added:,} requests; {each.limit}.")
            for each in plan.checks.counts
            if each.what == Counted.REQUESTS
        ),
    )
    title = (
        f"Calls: {total:,}, {_time(plan, total)} at {plan.rate:g} a second ({at}); "
        "uploading the bytes of files costs none"
    )
    yield Fold(title, parts)


def _time(plan: Plan, count: int) -> str:
    return duration(plan.seconds(plan.rate) * count / max(1, plan.total_calls))


def item_name(plan: Plan, key: ItemKey) -> str:
    """Return what an item is called, else its key."""
    item = plan.details.migration.items.get(key) if plan.details else None
    return item.name if item else str(key)


def _counts(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{_words(name)} {count:,}" for name, count in ordered)


def _reasons(causes: Mapping[str, int]) -> str:
    if len(causes) == 1:
        return f" because {next(iter(causes))}"
    ordered = sorted(causes.items(), key=lambda pair: (-pair[1], pair[0]))
    return f": {', '.join(f'{n:,} because {cause}' for cause, n in ordered)}"


def _words(code: str) -> str:
    return code.replace("_", " ")
