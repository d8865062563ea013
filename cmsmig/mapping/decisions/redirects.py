"""What was decided about old addresses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from cmsmig.mapping.decisions.decision_records import Record, unless
from cmsmig.mapping.decisions.design import Decision, Reviewed

BELOW = "/(.*)"
"""At the end of an old address: every address below it."""
REST = "%1"
"""In a target: what `(.*)` matched. Source: Webflow, 301 redirects."""
ABSOLUTE = re.compile(r"https?://[^\s/?#@\\]+(?P<path>[/?#][^\s\\]*)?", re.IGNORECASE)
_HOST = re.compile(r"https?://[a-z0-9.-]+(:[0-9]+)?")


class RedirectAction(StrEnum):
    """What happens to an old address."""

    KEEP = "keep"
    """The new site has a page at the same address."""
    MOVE = "move"
    """It leads to another address for good (301)."""
    GONE = "gone"
    """It has no successor (410)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedirectChoice(Record):
    """What happens to one old address, or to all below one."""

    old: str
    """A path as people read it, without percent-encoding; `/above/(.*)` for all
    addresses below one."""
    action: RedirectAction
    to: Annotated[str, unless("")] = ""
    """A new path, an old path that is followed, or the address of another site;
    `%1` for what `(.*)` matched."""
    note: Annotated[str, unless("")] = ""
    reviewed: Annotated[Reviewed | None, unless(None)] = None
    """Who decided this one; none: as the file."""


@dataclass(frozen=True, slots=True)
class RedirectsDecision(Decision):
    """`redirects.yaml`."""

    host: Annotated[str, unless("")] = field(default="", kw_only=True)
    """Such as `https://www.example.com`, before each new path; empty: paths alone."""
    addresses: tuple[RedirectChoice, ...] = ()


def redirect_problems(decision: RedirectsDecision) -> Iterator[str]:
    """Yield what is wrong with the decision, each as a sentence without its stop."""
    if decision.host and not _HOST.fullmatch(decision.host):
        yield (
            f"the host `{decision.host}` is no address of a site; write it as "
            "https://www.example.com"
        )
    for old, times in Counter(each.old for each in decision.addresses).items():
        if times > 1:
            yield f"`{old}` is decided {times} times"
    for each in decision.addresses:
        if not each.old.startswith("/"):
            yield f"the old address `{each.old}` does not begin with /"
        if (each.action is RedirectAction.MOVE) != bool(each.to):
            yield (
                f"`{each.old}` needs a target under `to` with `action: move`, and none "
                "with another action"
            )
        if each.to and not (each.to.startswith("/") or ABSOLUTE.fullmatch(each.to)):
            yield (
                f"the target `{each.to}` of `{each.old}` is neither a path that begins "
                "with / nor an address that begins with https://"
            )
