"""What of the input has no place in the output, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from cmsmig.canonical import JsonObject
from cmsmig.data_address import short_text


class Severity(StrEnum):
    """How bad a loss is for a reader of the new site."""

    LAYOUT = "layout"
    """Looks only: a class, an inline style, an alignment."""
    MEANING = "meaning"
    """The content stays, something about it is gone: an alt text, an anchor."""
    CONTENT = "content"
    """Something a reader saw or could click is gone."""


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that did not survive: the thing itself, not what is around it."""

    kind: str
    """A stable reason code in lower case with hyphens, such as `iframe`."""
    what: str
    """The address or the text that is lost."""
    where: str
    """Where in the input: a path such as `div/p[3]/a`, or a field's slug."""
    context: str
    """Some text around it, for a person to find it by."""
    why: str
    """One sentence for an editor."""
    severity: Severity

    def __post_init__(self) -> None:
        """Name a file that is in its own address by the short form of that."""
        for name in ("what", "context", "why"):
            text = getattr(self, name)
            if (short := short_text(text)) != text:
                object.__setattr__(self, name, short)

    def as_json(self) -> JsonObject:
        """Return the loss as `--losses` and the ledger write it."""
        return {
            "kind": self.kind,
            "what": self.what,
            "where": self.where,
            "context": self.context,
            "why": self.why,
            "severity": str(self.severity),
        }


LossCounts: TypeAlias = Mapping[Severity, Mapping[str, int]]
"""How many losses there are, by severity and kind: a kind may have several."""


def losses_by_severity(losses: Iterable[Loss]) -> LossCounts:
    """Count losses."""
    return all_losses({each.severity: {each.kind: 1}} for each in losses)


def all_losses(counts: Iterable[LossCounts]) -> LossCounts:
    """Return the sum of counts."""
    found: dict[Severity, Counter[str]] = {}
    for count in counts:
        for severity, kinds in count.items():
            found.setdefault(severity, Counter()).update(kinds)
    return {severity: dict(kinds) for severity, kinds in found.items()}


def kinds_of(counts: LossCounts) -> Mapping[str, int]:
    """Return the counts by kind alone."""
    found = Counter[str]()
    for kinds in counts.values():
        found.update(kinds)
    return found
