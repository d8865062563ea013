"""Steps of cases about what a service answers other than the sandbox does."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from cmsmig.sandbox.http.asgi import Call, Next, Reply, json_reply
from tests.support.sandbox.fault_rules import Fault as Kind
from tests.support.sandbox.fault_rules import PlannedFault

if TYPE_CHECKING:
    from tests.support.steps.scenario.play import Scenario

DELETED = "2026-11-01T08:00:00.000Z"


@dataclass
class Answers:
    """A middleware: a service that answers other than the sandbox does."""

    rules: list[dict[str, Any]] = field(default_factory=list)
    """Each has the `request` (method and path, with or without the query) that may hold
    a text (`holds`, `but` not another), maybe how many `times` it counts, and one of:
    `status` and `body`, sent in place of an answer to what is `applied` or not; `to`,
    an address that it is sent on to; `space`, keys of the space's record; `swap`, a
    text of the body and another one; `lists_lack`, the ids of records that lists do not
    show; `deleted`, the end of the address of what is shown with a date of deletion, in
    `records` alone or in lists, too."""

    async def __call__(self, call: Call, answer: Next) -> Reply:
        rules = [rule for rule in self.rules if _is_meant(rule, call)]
        for rule in rules:
            rule["times"] = rule.get("times", 1_000_000) - 1
            if "to" in rule:
                return _sent_on(call, rule["to"])
            if "status" in rule:
                if rule.get("applied"):
                    await answer(call)
                none = (("Total", "0"),)
                return json_reply(rule["status"], rule.get("body", {}), headers=none)
        reply = await answer(call)
        for rule in rules:
            reply = _changed(reply, rule)
        return reply


def _sent_on(call: Call, to: str) -> Reply:
    """Send a request on, where only a query is given to the same place."""
    if to.startswith("?"):
        to = f"{call.path}{to}&by_uuids={call.parameter('by_uuids')}"
    return Reply(301, headers=(("Location", to),))


def _is_meant(rule: dict[str, Any], call: Call) -> bool:
    asked = f"{call.method} {call.path}"
    forms = (asked, f"{asked}?{urlencode(call.query)}")
    body = call.body.decode(errors="replace")
    return (
        any(re.search(rule["request"], each) for each in forms)
        and rule.get("holds", "") in body
        and rule.get("but", "nothing of it") not in body
        and rule.get("times", 1) > 0
    )


def _changed(reply: Reply, rule: dict[str, Any]) -> Reply:
    if "swap" in rule:
        old, new = (each.encode() for each in rule["swap"])
        return replace(reply, body=reply.body.replace(old, new, rule.get("first", -1)))
    body = json.loads(reply.body or "{}")
    if "space" in rule:
        body["space"] |= rule["space"]
    for key, value in [*body.items(), ("", body)]:
        if isinstance(value, list) and "lists_lack" in rule:
            body[key] = [e for e in value if e.get("id") not in rule["lists_lack"]]
            reply = replace(reply, headers=(("Total", str(len(body[key]))),))
        in_lists = "records" not in rule and isinstance(value, list)
        for each in value if in_lists else [value]:
            if "deleted" in rule and isinstance(each, dict):
                names = (each.get(name) for name in ("full_slug", "filename", "name"))
                if any(str(name).endswith(rule["deleted"]) for name in names):
                    each["deleted_at"] = DELETED
    return replace(reply, body=json.dumps(body).encode())


def answers(scenario: Scenario, *rules: dict[str, Any]) -> None:
    """Let the service answer by these rules from now on, and by no others."""
    scenario.answers.rules = list(rules)


def sandbox_fault(scenario: Scenario, kind: str = "", **more: Any) -> None:
    """Let the sandbox inject a fault of its own into requests, or no more."""
    plan = [PlannedFault(Kind(kind), **more)] if kind else []
    scenario.project.handle.state.injector.set(plan)


def faults_given(scenario: Scenario, expected: int) -> None:
    """Expect how many faults of its own the sandbox injected."""
    assert scenario.project.handle.state.injector.given == expected


def lists_lack(scenario: Scenario, kind: str, *, last: int) -> None:
    """Let lists of a kind not show the newest records."""
    ids = list(getattr(scenario.project.space, kind))[-last:]
    answers(scenario, {"request": f"GET .*/{kind}$", "lists_lack": ids})
