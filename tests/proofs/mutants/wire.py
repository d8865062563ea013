"""Mutants of what is sent again, of what an answer means, of pauses and of lists."""

from __future__ import annotations

from tests.proofs.mutants.mutant import Edit, Mutant
from tests.proofs.mutants.steps import SIGN, SLUG_HOLDS, STORY, TAKEN_IS_FOREIGN, UPDATE

CALLS = "destination/stories.py"
READING = "destination/reading.py"
FAILURES = "wire/failures.py"
SESSION = "wire/session.py"
SENDING = "wire/sending.py"

_STORY_REPEATABLE = Edit(
    CALLS,
    "method, path, params=params, json=payload)",
    'method, path, params=params, json=payload, repeatable=method == "POST")',
)

RETRIES = (
    Mutant(
        "blind retry",
        "every request is sent again when its reply is lost",
        (f"drop_after | {SIGN}",),
        (
            Edit(
                "wire/answers.py",
                "None:\n            return self.reads_only",
                "None:\n            return True",
            ),
        ),
    ),
    Mutant(
        "blind retry of a story",
        "the create of a story is sent again when its reply is lost",
        (
            f"drop_after | {STORY}",
            "gateway_after | * POST create story spots/spot-5 #1",
        ),
        (_STORY_REPEATABLE,),
        held=SLUG_HOLDS,
    ),
    Mutant(
        "blind retry of a story, no look at who has the slug",
        "as before, and a taken slug counts as another's",
        (f"drop_after | {STORY}",),
        (_STORY_REPEATABLE, TAKEN_IS_FOREIGN),
    ),
    Mutant(
        "blind retry of an update",
        "phase two writes again when its reply is lost, whoever wrote since",
        (
            f"somebody edits, update lost | {UPDATE}",
            f"somebody edits after the update, reply lost | {UPDATE}",
        ),
        (
            Edit(
                CALLS,
                "params=params, json=payload)",
                'params=params, json=payload, repeatable=method == "PUT")',
            ),
        ),
    ),
    Mutant(
        "a broken connection: not sent",
        "a connection that breaks after sending counts as never made",
        (f"drop_after | {SIGN}",),
        (Edit(SESSION, "sent=not isinstance(error, _UNSENT)", "sent=False"),),
    ),
    Mutant(
        "a timeout: not sent",
        "an answer that does not come in time counts as never asked for",
        (f"slower than patience | {SIGN}",),
        (Edit(SESSION, "_UNSENT = (\n", "_UNSENT = (\n    httpx.ReadTimeout,\n"),),
    ),
    Mutant(
        "a 502: not applied",
        "a gateway's page counts as a request that was not applied",
        (f"gateway_after | {SIGN}",),
        (
            Edit(
                FAILURES,
                '{answer.status}", True, answer)',
                '{answer.status}", answer.status != 502, answer)',
            ),
        ),
    ),
    Mutant(
        "half an answer: not applied",
        "a success with half of its body counts as not applied",
        (f"malformed | {SIGN}",),
        (Edit(FAILURES, 'not whole JSON", True', 'not whole JSON", False'),),
    ),
    Mutant(
        "half an answer is final",
        "a reading with half of its body is not repeated",
        ("malformed | * GET components #2",),
        (
            Edit(
                FAILURES,
                '        return NoAnswer("its answer is not whole JSON", True, answer)',
                "        return None",
            ),
        ),
    ),
    Mutant(
        "an empty success is believed",
        "a success that says nothing counts as one about id 0",
        ("empty | * create asset folder*",),
        (
            Edit(
                READING,
                "None:\n        raise _missing(key)\n    return number\n",
                "None:\n        return 0\n    return number\n",
            ),
            Edit(READING, "    if bare and wrapper not in record:\n", "    if True:\n"),
        ),
    ),
)

PAUSES = (
    Mutant(
        "a 429 is final",
        "a request that came too soon counts as refused",
        (f"too_many | {STORY}",),
        (Edit(SENDING, "if outcome.status != 429:", "if True:"),),
    ),
    Mutant(
        "no freeze",
        "requests go on at full pace while 429s come back",
        (f"storm of 15 | {STORY}",),
        (
            Edit(
                "wire/budget.py",
                "        state.frozen_until = max(state.frozen_until, now + delay)\n",
                "",
            ),
        ),
    ),
    Mutant(
        "pauses do not grow",
        "each pause of a storm of 429s is as short as the first",
        (f"storm of 15 | {STORY}",),
        (Edit("wire/pacing.py", "2.0 ** min(exponent, 16)", "1.0"),),
    ),
    Mutant(
        "Retry-After ignored",
        "the pause that a 429 asks for is not kept",
        (f"too_many, Retry-After | {STORY}",),
        (
            Edit(
                SENDING,
                "        asked = answer.retry_after(self.clock())\n        if budget",
                "        asked = None\n        if budget",
            ),
        ),
    ),
)

LISTS = (
    Mutant(
        "one reading of a moving set",
        "an origin's set that moved while it was read is taken as it came",
        ("pull, list_shrinks | *",),
        (
            Edit(
                "steps/pull/item_sets.py",
                "        return len(totals) == 1 and totals.pop() in whole",
                "        return True",
            ),
        ),
    ),
    Mutant(
        "one reading of a moving list",
        "a destination's list that moved while it was read is taken as it came",
        ("list_shrinks | * GET stories page*", "list_grows | * GET stories page*"),
        (
            Edit(
                "destination/connection.py",
                "if len(found) < max((page.total or 0) for page in pages.values()):",
                "if False:",
            ),
        ),
        held="a story that the list lacks is read singly",
    ),
)

WIRE = (*RETRIES, *PAUSES, *LISTS)
