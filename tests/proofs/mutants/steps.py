"""Mutants of the steps: intents and results, settling, ownership."""

from __future__ import annotations

from tests.proofs.mutants.mutant import Edit, Mutant

STORIES = "steps/write/create_stories.py"
CREATED = "steps/plan/interrupted_stories.py"
SIGNING = "steps/write/asset_records.py"
ASSETS = "steps/write/asset_upload.py"
EXECUTE = "steps/write/execute.py"
RELATIONS = "steps/write/link_stories.py"
UPDATING = "steps/write/update_story.py"
PUBLISHING = "steps/write/publish_stories.py"
AHEAD = "steps/worker_pool.py"

STORY = "* POST create story notes/note-1 #1"
SIGN = "* sign upload note-20.jpg #1"
UPDATE = "* PUT update story notes/note-1 #1"

NO_STORY_SETTLING = Edit(
    CREATED,
    '    for intent, row in ledger.intended("create"):\n        story =',
    "    for intent, row in ():\n        story =",
)
TAKEN_IS_FOREIGN = Edit(
    STORIES,
    "(ours := await _ours_of(job, create, listed)) is not None",
    "(ours := None) is not None",
)
ALWAYS_OURS = Edit(
    STORIES,
    'ours = story.content.get("_uid") == story_uid(job.migration.namespace, key)',
    "ours = True",
)
WRITTEN_OVER = Edit(
    UPDATING,
    "story_resource(last, there, update.fields)",
    "story_resource(last, row or there, update.fields)",
)
SEND = "    try:\n        created = await apply_once("
HOUSE = "        _save_record(job, draft.key, created)\n    job.obs"
SLUG_HOLDS = "the service refuses the slug, and who has it is looked at; see the next"


def _without_intent(path: str, given: str) -> Edit:
    """Return the edit that takes the intents from a step's work."""
    return Edit(path, given, given.replace(given.strip(" ,"), "lambda _: None"))


INTENTS = (
    Mutant(
        "no intent: story",
        "a story is created without a durable word before",
        (f"kill applied | {STORY}",),
        (_without_intent(STORIES, " _intent, "),),
    ),
    Mutant(
        "no intent: signing",
        "a file is signed without a durable word before",
        (f"kill applied | {SIGN}",),
        (_without_intent(ASSETS, "partial(signing_intent, job)"),),
    ),
    Mutant(
        "no intent: component",
        "a component is created without a durable word before",
        ("kill applied | * create component spot #1",),
        (_without_intent(EXECUTE, "partial(_intent, job, calls)"),),
    ),
    Mutant(
        "no intent: folder",
        "a folder is created without a durable word before",
        ("kill applied | * create story fr/notes #1",),
        (_without_intent(EXECUTE, "partial(_intent, job, calls)"),),
    ),
    Mutant(
        "no intent: asset folder",
        "an asset folder is created without a durable word before",
        ("kill applied | * create asset folder*",),
        (_without_intent(EXECUTE, "partial(_intent, job, calls)"),),
    ),
    Mutant(
        "no intent: datasource",
        "a datasource is created without a durable word before",
        ("kill applied | * create datasource moods #1",),
        (_without_intent(EXECUTE, "partial(_intent, job, calls)"),),
    ),
    Mutant(
        "no intent: update",
        "phase two writes without a durable word before",
        (f"kill applied | {UPDATE}", f"kill answered | {UPDATE}"),
        (_without_intent(RELATIONS, "partial(_intent, job)"),),
    ),
    Mutant(
        "no intent: publish",
        "stories are published without a durable word before",
        (
            "kill applied | * publish story notes/note-20 #1",
            "kill answered | * publish story notes/note-20 #1",
        ),
        (_without_intent(PUBLISHING, " partial(_intent, versions), "),),
        held="publishing again changes nothing, and in the sandbox it leaves a story's "
        "change date, by which a plan would know of it",
    ),
)

_LATE = (
    Edit(STORIES, 'STEP = "stories"\n', 'STEP = "stories"\n_LATE: dict = {}\n'),
    Edit(
        STORIES,
        HOUSE,
        "        _LATE.setdefault(id(job), []).append((draft.key, created))\n"
        "    job.obs",
    ),
    Edit(
        STORIES,
        '    job.observer(StepFinished(STEP, f"{',
        "    for key, story_record in _LATE.pop(id(job), []):\n"
        "        _save_record(job, key, story_record)\n"
        '    job.observer(StepFinished(STEP, f"{',
    ),
)

ORDER = (
    Mutant(
        "send before commit",
        "the intent of a story is committed when its reply is there",
        (f"kill applied | {STORY}",),
        (
            _without_intent(STORIES, " _intent, "),
            Edit(
                STORIES,
                HOUSE,
                f"        job.ledger.intents.write([_intent(create)])\n{HOUSE}",
            ),
        ),
    ),
    Mutant(
        "batch order",
        "the first piece of each batch is sent ahead of the batch's intents",
        (f"kill applied | {STORY}",),
        (Edit(AHEAD, "for each in batch]", "for each in batch[1:]]"),),
    ),
    Mutant(
        "intent closed on sending",
        "a story's intent is closed when its request goes out",
        (f"kill applied | {STORY}",),
        (
            Edit(
                STORIES,
                SEND,
                '    job.ledger.intents.settle("create", str(draft.key), "sent")\n'
                + SEND,
            ),
        ),
    ),
    Mutant(
        "commits that may be lost",
        "nothing in the ledger waits for the disk, intents neither",
        (f"kill applied | {STORY}", f"kill applied | {SIGN}"),
        (
            Edit(
                "ledger/connection.py",
                "PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}",
                "PRAGMA synchronous = OFF",
            ),
        ),
        held="a kill loses nothing that was written, only a power cut would; a test "
        "asks the ledger for the setting",
    ),
    Mutant(
        "late result",
        "the records of stories are committed when all are created",
        (
            "kill before | * POST create story notes/note-18 #1",
            "kill answered | * POST create story notes/note-8 #1",
        ),
        _LATE,
        held="open intents are settled by looking; see the next",
    ),
    Mutant(
        "late result, no settling",
        "as before, and open intents of stories are not looked at",
        ("kill answered | * POST create story notes/note-8 #1",),
        (*_LATE, NO_STORY_SETTLING, TAKEN_IS_FOREIGN),
    ),
    Mutant(
        "result of the wrong row",
        "a reply is written to the story that was begun last",
        ("random plan | seed 0", "random plan | seed 150"),
        (
            Edit(STORIES, 'STEP = "stories"\n', 'STEP = "stories"\n_LAST: list = []\n'),
            Edit(STORIES, SEND, f"    _LAST[:] = [draft.key]\n{SEND}"),
            Edit(STORIES, HOUSE, HOUSE.replace("draft.key", "_LAST[0]")),
        ),
    ),
)

SETTLING = (
    Mutant(
        "no settling: signing",
        "files whose signing is open are signed blindly",
        (f"kill applied | {SIGN}",),
        (Edit(SIGNING, 'intents.open("sign")\n', 'intents.open("sign")[:0]\n'),),
    ),
    Mutant(
        "no settling: story",
        "stories whose create is open are created blindly",
        (f"kill applied | {STORY}", "kill answered | * create story notes/note-18 #1"),
        (NO_STORY_SETTLING,),
        held=SLUG_HOLDS,
    ),
    Mutant(
        "no settling: story, no look at who has the slug",
        "as before, and a taken slug counts as another's",
        (f"kill applied | {STORY}",),
        (NO_STORY_SETTLING, TAKEN_IS_FOREIGN),
    ),
    Mutant(
        "settling says: not there",
        "what a killed run created counts as never applied",
        (f"kill applied | {STORY}",),
        (
            Edit(
                CREATED,
                "        story = found.get(row.key) if row is not None else None\n"
                "        if row is None or story is None:\n"
                '            ledger.intents.settle("create",',
                "        story = None\n"
                "        if row is None or story is None:\n"
                '            ledger.intents.settle("create",',
            ),
        ),
    ),
    Mutant(
        "settling within a run says: not there",
        "a create whose reply was lost counts as never applied",
        ("drop_after | * create asset folder*",),
        (
            Edit(
                "steps/write/idempotent_write.py",
                "            found = await look()\n            if found",
                "            found = None\n            if found",
            ),
        ),
    ),
    Mutant(
        "unconfirmed is closed",
        "the intent of a signing that was never confirmed is closed",
        (f"drop_after x 6 | {SIGN}",),
        (
            Edit(
                SIGNING,
                "orphan = await poll_until_visible(look, job.sleep, ONCE_MORE)",
                "orphan = None",
            ),
            Edit(
                ASSETS,
                '"not_confirmed", str(error), intent_outcome="")',
                '"not_confirmed", str(error))',
            ),
        ),
    ),
)

OWNERSHIP = (
    Mutant(
        "never ours",
        "no story at an item's place counts as ours",
        (f"kill applied | {STORY}",),
        (
            Edit(
                STORIES,
                'ours = story.content.get("_uid") == story_uid(job.migration.namespace,'
                " key)",
                "ours = False",
            ),
        ),
    ),
    Mutant(
        "always ours",
        "any story at an item's place counts as ours",
        (
            f"somebody takes the place, create lost | {STORY}",
            f"somebody takes the place, killed | {STORY}",
        ),
        (ALWAYS_OURS,),
    ),
    Mutant(
        "always ours, and written over",
        "as before, and phase two replaces what is not ours",
        (f"somebody takes the place, create lost | {STORY}",),
        (ALWAYS_OURS, WRITTEN_OVER),
    ),
    Mutant(
        "any asset is ours",
        "an asset is looked for without its external id",
        ("drop_after | * sign upload note-04.jpg #1",),
        (Edit(SIGNING, "client.assets(ext_id=ext_id)", "client.assets()"),),
    ),
    Mutant(
        "edits are written over",
        "phase two replaces what somebody changed since",
        (f"somebody edits after the create | {STORY}",),
        (WRITTEN_OVER,),
    ),
    Mutant(
        "change dates are not compared",
        "phase two does not look for what changed since",
        (f"somebody edits after the create | {STORY}",),
        (
            Edit(
                UPDATING,
                "or not is_as_left(row, last)",
                "or False",
            ),
        ),
    ),
    Mutant(
        "edited before it was found",
        "a story that is found again counts as unchanged since",
        (f"somebody edits after the create, killed | {STORY}",),
        (
            Edit(
                "steps/plan/edits/written_stories.py",
                "written is None or edited_fields(story, last)",
                "False",
            ),
        ),
    ),
)

STEPS = (*INTENTS, *ORDER, *SETTLING, *OWNERSHIP)
