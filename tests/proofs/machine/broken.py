"""A rule that does not hold."""

from __future__ import annotations


class BrokenRuleError(AssertionError):
    """A rule does not hold."""

    def __init__(self, rule: str, what: object) -> None:
        super().__init__(f"{rule}: {what}")
        self.rule = rule


def insist(rule: str, holds: object, what: object) -> None:
    """Fail with a rule that does not hold."""
    if not holds:
        raise BrokenRuleError(rule, what)
