"""Mutants of what keeps a migration true over days: merges, decisions, deletions.

The state machine has to notice each of them.
"""

from __future__ import annotations

from tests.proofs.mutants.mutant import Edit, Mutant

MERGE = "reconcile/diff.py"
DECISIONS = "mapping/decisions/conflicts.py"
COMPONENT = "reconcile/rules/component.py"
WRITTEN = "steps/plan/edits/written_stories.py"
GONE = "steps/plan/gone/gone_at_origin.py"
RECREATED = "steps/plan/gone/recreate.py"
STAYING = "steps/rollback/staying.py"
COMPARED = "steps/verify/compare_fields.py"
LINKS = "steps/plan/drafts/linked_stories.py"


def _day(
    name: str, breaks: str, path: str, before: str, after: str, held: str = ""
) -> Mutant:
    return Mutant(name, breaks, (), (Edit(path, before, after),), held)


DAYS = (
    _day(
        "overwrites on conflict",
        "what both sides changed is written without a decision",
        MERGE,
        "return Outcome.KEEP if is_kept else Outcome.CONFLICT",
        "return Outcome.KEEP if is_kept else Outcome.WRITE",
    ),
    _day(
        "overwrites edits",
        "what they alone changed is written over",
        MERGE,
        "return Outcome.KEEP if is_kept else Outcome.CONFLICT",
        "return Outcome.WRITE if is_kept else Outcome.CONFLICT",
    ),
    _day(
        "never writes changes",
        "what the origin alone changed stays as it was",
        MERGE,
        "theirs, base):\n            return Outcome.WRITE",
        "theirs, base):\n            return Outcome.SAME",
    ),
    _day(
        "forgets a conflict",
        "an undecided conflict counts as written, and is theirs from then on",
        MERGE,
        "return settled | {name: base[name] for name in waiting if name in base}",
        "return dict(ours)",
    ),
    _day(
        "takes a decision for another",
        "a decision about one edit is taken for the next one, too",
        DECISIONS,
        'if choice.kind is kind and choice.seen in ("", seen)',
        "if choice.kind is kind",
    ),
    _day(
        "prefers decisions about all",
        "a decision about a thing does not go before one about all",
        DECISIONS,
        "self.named_action(side, what) or self.named_action(side, WHOLE)",
        "self.named_action(side, WHOLE) or self.named_action(side, what)",
    ),
    _day(
        "wipes a developer's field",
        "a component is sent as it is wanted, not as it is merged",
        COMPONENT,
        "merged = with_fields(bodies.theirs, written, bodies.ours, bodies.shape)",
        "merged = dict(bodies.ours)",
    ),
    _day(
        "publishes an edit",
        "what somebody saved since is published unseen",
        WRITTEN,
        "    return there.updated_at != story_record.updated_at\n",
        "    return False\n",
    ),
    _day(
        "publishes kept edits",
        "a story with edits of others is published like one of ours",
        WRITTEN,
        "    return asked or not story_record.kept_edits\n",
        "    return True\n",
    ),
    _day(
        "publishes again",
        "what somebody took from visitors is given back to them",
        WRITTEN,
        "    if story_record.left_public and not is_public:\n        return asked\n",
        "    if story_record.left_public and not is_public:\n        return True\n",
    ),
    _day(
        "never takes back",
        "what was decided not to be public stays public",
        WRITTEN,
        "        and is_ours_public(row.story_record, decided, is_public=True)\n",
        "        and False\n",
    ),
    _day(
        "deletes an edited story",
        "what somebody edited is taken away with its item",
        GONE,
        "        fields = edited_fields(seen, last) if seen",
        "        fields = () if seen",
    ),
    _day(
        "deletes kept edits",
        "a story that holds edits of others is taken away with its item",
        GONE,
        "    if last.record.kept_edits:\n",
        "    if False:\n",
        held="such a story is not read, and one that is not as we left it goes only "
        "when it was read",
    ),
    _day(
        "forgets a deletion",
        "what is gone at the origin is not remembered",
        GONE,
        "    ledger.gone.mark(new)\n",
        "    ledger.gone.mark({})\n",
    ),
    _day(
        "recreates what was left out",
        "what was decided to stay away is made again",
        RECREATED,
        "    if thing.is_left_out or thing.outside:\n        return False\n",
        "    if thing.is_left_out:\n        return True\n",
    ),
    _day(
        "verifies names alone",
        "a verification does not compare content",
        COMPARED,
        "        if rules.rides(field) or rules.leaves(field):\n",
        "        if field not in _CODES:\n",
    ),
    _day(
        "rolls back edits",
        "what somebody edited is removed by a rollback",
        STAYING,
        "            if each.fields and not _is_given_up(decided, each)\n",
        "            if False\n",
    ),
    _day(
        "rolls back what is used",
        "a file that an edited story shows is removed by a rollback",
        STAYING,
        "        if isinstance(row, AssetRow) and shown:\n",
        "        if False:\n",
    ),
    _day(
        "writes again",
        "each import writes every story",
        LINKS,
        "            return story_record.record_hash not in self.records\n",
        "            return True\n",
        held="an update that would move no field is not sent; a test counts the calls "
        "that comparing costs",
    ),
)
