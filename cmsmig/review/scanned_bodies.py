"""What is known of a body that was scanned, kept on disk: a body is scanned again when
it, a choice that its conversion asked for, or the code has changed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from cmsmig.canonical import compact, fingerprint, packed, unpacked
from cmsmig.code_digest import code_digest
from cmsmig.derived_file import DerivedFile
from cmsmig.mapping.convert.lookups import Lookups
from cmsmig.mapping.decisions.body_reviews import BodyFacts
from cmsmig.mapping.draft import DraftContext
from cmsmig.review.bodies import Body, EmbedLookups
from cmsmig.review.instances import Instance
from cmsmig.richtext.losses import Loss
from cmsmig.richtext.policy import Unclosed
from cmsmig.steps.decide.drafter import RULE_FAILED, Drafter, plain

_ROOMS = ("mapping", "origin", "review", "richtext")
_NOT_KEPT = frozenset((RULE_FAILED, "unconverted"))
"""Losses that may not happen again."""


@dataclass(frozen=True, slots=True)
class ScannedBody:
    """What lists, counts and reviews need to know of one body."""

    losses: tuple[Loss, ...]
    structures: tuple[str, ...]
    embeds: tuple[tuple[str, str, str], ...]
    """The kind, the host and the beginning of the HTML or the address of each."""
    instances: tuple[Instance, ...]
    """Of the designer's components."""
    words: str
    """What it says, to search in."""
    facts: BodyFacts
    lookups: Lookups
    choices: EmbedLookups


class ScannedBodies:
    """Scanned bodies on disk."""

    def __init__(self, file: DerivedFile, rules_digest: str) -> None:
        self.file = file
        self._rules_digest = rules_digest
        self._shared: dict[tuple[str, str], str] = {}
        """What all bodies of a field share."""

    def find(self, body: Body, context: DraftContext) -> ScannedBody | None:
        """Return what is kept of a body, if it would be the same today."""
        row = self.file.one(
            "SELECT record FROM scanned_body WHERE (key, print) = (?, ?)"
            " AND seal = seal('body', key, print, record)",
            (_key(body), self._print(body, context)),
        )
        # Another release may have written that.
        with suppress(ValueError):
            found = row and _CODEC.validate_json(unpacked(row[0]))
            if (
                found
                and found.lookups.hold(body.item.key, context)
                and found.choices.hold(context.embeds)
            ):
                return found
        return None

    def keep(self, body: Body, context: DraftContext, scanned: ScannedBody) -> None:
        """Keep what is known of a body; not what may not happen again."""
        if any(each.kind in _NOT_KEPT for each in scanned.losses):
            return
        record = packed(compact(_CODEC.dump_python(scanned, mode="json")))
        row = (_key(body), self._print(body, context), record)
        self.file.change(
            lambda db: db.execute(
                "INSERT OR REPLACE INTO scanned_body"
                " SELECT *, seal('body', column1, column2, column3)"
                " FROM (VALUES (?, ?, ?))",
                row,
            )
        )

    def _print(self, body: Body, context: DraftContext) -> str:
        """Return the fingerprint of what a scan is made of, but for what it asks
        for."""
        place = (body.collection.collection_id, body.design.origin)
        if place not in self._shared:
            self._shared[place] = self._shared_print(body, context)
        return fingerprint([self._shared[place], body.item.data_hash])

    def _shared_print(self, body: Body, context: DraftContext) -> str:
        policy = replace(
            context.embeds,
            kinds={},
            signatures={},
            components={},
            unclosed=Unclosed.KEEP,
        )
        return fingerprint(
            [
                code_digest(_ROOMS, Drafter.libraries),
                self._rules_digest,
                plain(body.design),
                plain(body.collection.field(body.design.origin)),
                plain(policy),
                sorted(context.file_hosts),
            ]
        )


def _key(body: Body) -> str:
    return f"{body.item.key} {body.design.origin}"


_CODEC = TypeAdapter(ScannedBody)
