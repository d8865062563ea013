"""Settings and credentials that cannot work: one sentence, and a clean rerun."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace

import pytest

from cmsmig.sandbox.http.asgi import Call, Reply
from tests.support.cli.bad_input import Case, Rig, Undo, check, sentence, written


def closed_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def setting(**settings: str) -> Callable[[Rig], Undo]:
    return lambda rig: rig.set(**settings)


def toml(text: str) -> Callable[[Rig], Undo]:
    return lambda rig: written(rig.folder / "cmsmig.toml", text)


def nobody_at(name: str, path: str) -> Callable[[Rig], Undo]:
    return lambda rig: rig.set(**{name: f"http://127.0.0.1:{closed_port()}{path}"})


def answers(status: int, service: str, method: str = "") -> Callable[[Rig], Undo]:
    """Let one service refuse everything, or every request of one method."""

    def refuse(call: Call, reply: Reply) -> Reply:
        if reply.service != service or method not in ("", call.method):
            return reply
        body = b'{"error": "Not with this token"}'
        return replace(reply, status=status, body=body)

    def cause(rig: Rig) -> Undo:
        rig.faults.append(refuse)
        return rig.faults.clear

    return cause


def read_only_token(rig: Rig) -> Undo:
    return rig.set(destination_token=rig.handle.state.tokens.read_only)


CASES = [
    Case(
        "missing origin token",
        "pull",
        2,
        ("CMSMIG_ORIGIN_TOKEN", "cms:read", ".env"),
        setting(origin_token=""),
        decided=False,
    ),
    Case(
        "missing destination token",
        "plan",
        2,
        ("CMSMIG_DESTINATION_TOKEN", ".env"),
        setting(destination_token=""),
    ),
    Case(
        "missing token, checked",
        "check",
        2,
        ("CMSMIG_DESTINATION_TOKEN",),
        setting(destination_token=""),
    ),
    Case(
        "refused origin token",
        "pull",
        7,
        ("origin refused the token", "401", "cms:read"),
        setting(origin_token="of-another-site"),
        decided=False,
    ),
    Case(
        "refused destination token",
        "import",
        7,
        ("401", "expired", "2026-11-30", "region"),
        setting(destination_token="of-another-account"),
    ),
    Case(
        "refused token, proposals",
        "decide --accept-proposals --reviewer R --overwrite",
        7,
        ("401", "expired"),
        setting(destination_token="of-another-account"),
    ),
    Case(
        "forbidden origin",
        "pull",
        7,
        ("403", "Not with this token", "cms:read"),
        answers(403, "origin"),
        decided=False,
    ),
    Case(
        "forbidden destination",
        "check",
        7,
        ("403", "Not with this token", "not about the token", "administrator"),
        answers(403, "destination"),
    ),
    Case(
        "token that may only read",
        "import",
        7,
        ("stories:write", "components:write", "`cmsmig import`", "nothing was written"),
        read_only_token,
    ),
    Case(
        "token refused in the middle",
        "import",
        7,
        ("401", "expired"),
        answers(401, "destination", "PUT"),
    ),
    Case(
        "unreachable origin",
        "pull",
        1,
        ("origin", "cannot be reached", "check its address"),
        nobody_at("origin_api_url", ""),
        decided=False,
    ),
    Case(
        "unreachable destination",
        "import",
        1,
        ("destination", "cannot be reached", "start a stopped rehearsal with"),
        nobody_at("destination_base_url", "/v1"),
    ),
    Case(
        "wrong site",
        "pull",
        2,
        ("0123456789abcdef01234567", "Saltmarsh Quarterly"),
        setting(site_id="0123456789abcdef01234567"),
        decided=False,
    ),
    Case(
        "site of another pull",
        "pull",
        2,
        ("holds the site", "0123456789abcdef01234567", "another project folder"),
        setting(site_id="0123456789abcdef01234567"),
    ),
    Case(
        "wrong site, planned",
        "plan",
        2,
        ("0123456789abcdef01234567", "Saltmarsh Quarterly"),
        setting(site_id="0123456789abcdef01234567"),
    ),
    Case(
        "wrong site, checked",
        "check",
        2,
        ("0123456789abcdef01234567", "site_id"),
        setting(site_id="0123456789abcdef01234567"),
    ),
    Case(
        "wrong space",
        "import",
        1,
        ("404", "space 290513", "deleted"),
        setting(space_id="290513"),
    ),
    Case(
        "missing space",
        "plan",
        2,
        ("space_id", "CMSMIG_SPACE_ID"),
        setting(space_id=""),
    ),
    Case(
        "space of another region",
        "plan",
        2,
        ("1000001", "region us", "https://api-us.storyblok.com/v1"),
        setting(
            space_id="1000001", destination_base_url="https://mapi.storyblok.com/v1"
        ),
    ),
    Case(
        "toml with a mistake",
        "plan",
        2,
        ("cmsmig.toml", "TOML", "line 2"),
        toml('site_id = "x"\nspace_id = \n'),
    ),
    Case(
        "toml with an unknown key",
        "plan",
        2,
        ("cmsmig.toml", "space_ids", "did you mean space_id?"),
        toml("space_ids = 1\n"),
    ),
    Case(
        "toml with a wrong type",
        "plan",
        2,
        ("cmsmig.toml", "in_flight", "whole number"),
        toml('in_flight = "many"\n'),
    ),
    Case(
        "toml with a token",
        "plan",
        2,
        ("cmsmig.toml", "origin_token", ".env"),
        toml('origin_token = "a-token-nobody-may-see"\n'),
    ),
    Case(
        "toml that is no text",
        "plan",
        2,
        ("cmsmig.toml", "UTF-8"),
        lambda rig: written(rig.folder / "cmsmig.toml", b"\xff\xfe\x00"),
    ),
    Case(
        "env with a mistake",
        "plan",
        2,
        (".env", "line 1"),
        lambda rig: written(rig.folder / ".env", "'\n"),
    ),
    Case(
        "env with an unknown name",
        "plan",
        2,
        (".env", "CMSMIG_SPACE", "did you mean CMSMIG_SPACE_ID?"),
        setting(space="1"),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_wrong_settings_end_in_one_sentence(
    rig: Callable[..., Rig], whole: Rig, case: Case
) -> None:
    """A wrong setting is named in one sentence, and its correction is enough."""
    check(case, rig(decided=case.decided), whole)


def test_debug_shows_where_it_failed(rig: Callable[..., Rig]) -> None:
    """With --debug the traceback comes first and the same sentence last."""
    started = rig()
    started.set(space_id="290513")
    plain = started.run("plan")
    debugged = started.run("--debug", "plan")
    assert debugged.code == plain.code == 1
    assert "Traceback (most recent call last)" in debugged.err
    assert debugged.err.splitlines()[-1] == sentence(plain)
