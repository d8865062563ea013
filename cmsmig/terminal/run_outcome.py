"""How a run ended, for a person and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cmsmig.canonical import JsonObject
from cmsmig.counting import and_more, counted, noun_for
from cmsmig.reconcile.field_diff import FieldDiff
from cmsmig.steps.plan.gone.gone_at_origin import gone_json, gone_sentence_of
from cmsmig.steps.verify.accounting import accounting_json, gone_counts_json
from cmsmig.steps.write.import_steps import Outcome
from cmsmig.ui.doc import Note, Part, Text
from cmsmig.ui.documents.plan import gone_tables


def outcome_doc(outcome: Outcome) -> Iterator[Part]:
    """Yield what closes a run; the accounting is the last."""
    yield Text(f"writes: {outcome.writes}")
    for each in outcome.refused:
        yield Note(f"The {each.kind} `{each.name}` was refused: {each.text}", "bad")
    if outcome.failed_assets:
        failed = counted(outcome.failed_assets, "file")
        yield Note(f"{failed} failed; `cmsmig status --json` lists them", "bad")
    yield from gone_tables(outcome.gone)
    yield from map(Text, outcome.accounting.lines)


def failures(outcome: Outcome) -> str:
    """Return what failed as one sentence, empty when nothing did."""
    named = [
        f"{count} {noun_for(count, name)}"
        for name, count in (
            ("item", outcome.accounting.failed),
            ("file", outcome.failed_assets),
        )
        if count
    ]
    if outcome.refused:
        first = outcome.refused[0]
        more = and_more(len(outcome.refused), 1, " (", " refused)")
        failed = f", and {' and '.join(named)} failed with it" if named else ""
        return (
            f"The {first.kind} `{first.name}` was not written{more}{failed}: "
            f"{first.text}"
        )
    if named:
        return (
            f"{' and '.join(named)} failed, listed with the reason by `cmsmig status "
            "--json`; correct what it names and run this again."
        )
    if outcome.gone_undone:
        return gone_sentence_of(outcome.gone_undone[0]) + and_more(
            len(outcome.gone_undone), 1, " (", " like this.)"
        )
    return ""


def undecided_sentence(undecided: Sequence[FieldDiff]) -> str:
    """Return what is left to decide as one sentence; the plan lists each."""
    count = len(undecided)
    more = and_more(count, 1, "; and ", ", which `cmsmig plan` lists")
    return (
        f"{count} {noun_for(count, 'field waits', 'fields wait')} for a decision, and "
        f"nothing of that was written: {undecided[0].line}{more}."
    )


def outcome_json(outcome: Outcome) -> JsonObject:
    """Return the document that `import --json` prints."""
    return {
        "plan": outcome.plan.full_json(),
        "writes": outcome.writes,
        "failed_assets": outcome.failed_assets,
        "refused": [each.as_json() for each in outcome.refused],
        "undecided": [each.as_json() for each in outcome.undecided],
        "accounting": accounting_json(outcome.accounting),
        "gone": gone_counts_json(outcome.accounting),
        "gone_at_origin": [gone_json(row) for row in outcome.gone],
    }
