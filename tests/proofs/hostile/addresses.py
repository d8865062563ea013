"""A site that names addresses inside, pulled from a sandbox on real sockets."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cmsmig.events import unobserved
from cmsmig.origin.files import FileRow, FileStore
from cmsmig.sandbox.http.asgi import Call, Next, Reply
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text, running_sandbox
from cmsmig.settings import Project, load_settings
from cmsmig.steps.pull.pull import PullReport, pull
from cmsmig.wire.session import Session
from tests.support.inward import addresses, onward
from tests.support.listening import Listener, listening, refused, resolve_inward
from tests.support.sites.exact import write_small_site

FEWEST = 95
REBINDING = "rebinding.test"
"""Resolved to a public address when it is checked first, and inward from then on."""
PUBLIC = "93.184.216.34"
ONWARD = "{origin_files}/onward/"
_OUTSIDE: list[str] = []
_GUARDING: list[bool] = []


def _guard(event: str, arguments: tuple[object, ...]) -> None:
    """Let no connection leave this machine, whatever the code does."""
    if event != "socket.connect" or not _GUARDING:
        return
    place = arguments[1]
    if isinstance(place, tuple) and not str(place[0]).startswith(("127.", "::1")):
        _OUTSIDE.append(str(place[0]))
        raise OSError("nobody outside is asked")


sys.addaudithook(_guard)


def run(work: Path) -> list[str]:
    """Pull the site and return what should not have happened."""
    return asyncio.run(_run(work))


async def _run(work: Path) -> list[str]:
    async with listening(refused) as inside:
        named = [*addresses(inside.port), f"http://{REBINDING}:{inside.port}/x.png"]
        places = list(onward(inside.port))
        write_site(work / "content", [*named, *_sent_on(places)])
        with served(work, places) as settings_text, guarded():
            project = Project(work / "project")
            project.root.mkdir()
            project.env.write_text(settings_text)
            project.env.chmod(0o600)
            report = await _pulled(project, work)
        rows = FileStore(project.files, project.raw).rows()
        return _judged(inside, named, places, report, rows)


def _sent_on(places: list[str]) -> list[str]:
    return [f"{ONWARD}{number}" for number in range(len(places))]


@contextmanager
def guarded() -> Iterator[None]:
    """Guard the connections of what is done in the block."""
    _OUTSIDE.clear()
    _GUARDING.append(True)
    try:
        yield
    finally:
        _GUARDING.clear()


@contextmanager
def served(work: Path, places: list[str]) -> Iterator[str]:
    """Serve the site; `/onward/N` redirects to a place inside. Yields the settings."""

    async def sends_on(call: Call, answer: Next) -> Reply:
        head, _, number = call.path.rpartition("/onward/")
        if not head:
            return await answer(call)
        return Reply(302, headers=(("Location", places[int(number)]),))

    options = SandboxOptions(
        content=work / "content", origin_rate=60_000, middleware=(sends_on,)
    )
    with running_sandbox(options) as handle:
        yield environment_file_text(dict(handle.announcement))


def write_site(folder: Path, named: list[str]) -> None:
    """Write a site in whose items each address stands as a picture and in a body."""
    write_small_site(folder)
    for kind in ("items", "live"):
        for path in (folder / kind).glob("*.json"):
            content = json.loads(path.read_text())
            if "picture" in content["items"][0]["fieldData"]:
                first = content["items"][0]
                content["items"] += [
                    _naming(first, number, address)
                    for number, address in enumerate(named)
                ]
                path.write_text(json.dumps(content))


def _naming(first: dict, number: int, address: str) -> dict:
    identity = hashlib.sha256(f"{number}".encode()).hexdigest()[:24]
    data = {
        **first["fieldData"],
        "name": f"Inward {number}",
        "slug": f"inward-{number}",
        "picture": {"fileId": identity, "url": address, "alt": None},
        "text": f'<p>Text</p><figure><div><img src="{address}"></div></figure>',
    }
    return {**first, "id": identity, "fieldData": data}


async def _pulled(project: Project, work: Path) -> PullReport:
    environ = {"CMSMIG_STATE_DIR": str(work / "state")}
    settings = load_settings(project, environ)
    asked = 0

    async def resolve(host: str, port: int) -> tuple[str, ...]:
        nonlocal asked
        if host != REBINDING:
            return await resolve_inward(host, port)
        asked += 1
        return (PUBLIC,) if asked == 1 else ("127.0.0.1",)

    async def at_once(seconds: float) -> None:
        pass

    async with Session(
        "files",
        authorization=None,
        budget=None,
        in_flight=8,
        sleep=at_once,
        resolve=resolve,
    ) as files:
        return await pull(settings, project, files=files, observer=unobserved)


def _judged(
    inside: Listener,
    named: list[str],
    places: list[str],
    report: PullReport,
    rows: dict[str, FileRow],
) -> list[str]:
    listed = {address for address, row in rows.items() if row.error and row.detail}
    sent_on = {address for address in rows if "/onward/" in address}
    # The first answer of the name that is bound anew is a public one.
    outside = [each for each in _OUTSIDE if each != PUBLIC]
    print(
        f"addresses that point inward: {len(named)}; redirects inward: {len(places)};"
        f" hits: {inside.connections}; connections to leave this machine:"
        f" {len(outside)}; not fetched and listed with a reason:"
        f" {len(listed & {*named, *sent_on})}; the site's own files that came:"
        f" {report.files.downloaded}"
    )
    findings = [f"{path} was asked for inside" for path in inside.asked]
    findings += [f"{place} was to be connected to" for place in outside]
    findings += [f"{each!r} is not listed" for each in named if each not in listed]
    if inside.connections != len(inside.asked):
        findings.append(f"{inside.connections} connections inside")
    if not sent_on <= listed or len(sent_on) != len(places):
        findings.append(
            f"of {len(places)} redirects {len(sent_on & listed)} are listed"
        )
    if len(named) < FEWEST or not report.files.downloaded:
        findings.append("too little was tried to show anything")
    return findings
