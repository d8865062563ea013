"""Hostile services: no token is shown anywhere.

Services return the tokens in every form, in bodies, headers, redirects and
errors; whole runs of commands and notebooks, then a search through all that they
printed and left. Exits 1 with findings.
"""

from __future__ import annotations

import itertools
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from cmsmig.sandbox.http.asgi import Call, Next, Reply
from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text
from tests.proofs.measuring.processes import COMMAND
from tests.support.rehearsal import write_env
from tests.support.sandbox.observed import running_sandbox
from tests.support.sites.exact import write_small_site
from tests.support.token_encodings import ENCODINGS, reveals

RATE = 500
TOKENS = {
    "origin": "wf4Tq9-8c1e_Zk27af03bd55",
    "destination": "sbL0p3.Xy77-aQ_e21fc94tt",
}
ERRORS = (301, 400, 401, 403, 404, 409, 422)
"""Statuses that end a command at once."""
ENDING = (401, 422)
"""Those of them that every command meets."""
LATER = 503
"""One that is tried again."""
ASKING = ("plan", "verify", "rebuild")
WRITING = ("POST", "PUT", "DELETE")


@dataclass
class Echo:
    """A middleware that returns the token of each call, and fails on demand."""

    failing: int = 0
    """A status that calls are answered with; 0: as they should be."""
    only_writes: bool = False
    sent: Counter[str] = field(default_factory=Counter)
    """How often each encoding of a token was sent."""
    turn: Iterator[str] = field(default_factory=lambda: itertools.cycle(ENCODINGS))

    async def __call__(self, call: Call, answer: Next) -> Reply:
        """Answer a call, the token of its sender all over the answer."""
        token = call.headers.get("authorization", "").rpartition(" ")[2]
        refused = self.failing and (call.method in WRITING or not self.only_writes)
        if refused and token in TOKENS.values():
            return self._refusal(token)
        reply = await answer(call)
        if token not in TOKENS.values():
            # Requests for files carry no token: the answer reveals both.
            both = ", ".join(ENCODINGS["address"](each) for each in TOKENS.values())
            return replace(reply, headers=(*reply.headers, ("X-Tokens", both)))
        body = self._woven(reply.body, token) if "json" in reply.content_type else b""
        headers = (*reply.headers, *self._headers(token))
        return replace(reply, body=body or reply.body, headers=headers)

    def _refusal(self, token: str) -> Reply:
        name = next(self.turn)
        said = self._said(name, token)
        body = (
            f'{{"message": "refused {said}", "code": "{said}", "error": "{said}",'
            f' "name": ["{said}"], "details": ["{said}", {{"field": "{said}",'
            f' "message": "{said}"}}]}}'
        )
        place = ENCODINGS["address"](token)
        location = ("Location", f"https://elsewhere.test/{place}/{token}?t={token}")
        headers = (location, ("Retry-After", "0"), *self._headers(token))
        return Reply(self.failing, body.encode(), "application/json", headers)

    def _headers(self, token: str) -> list[tuple[str, str]]:
        every = ", ".join(encoded(token) for encoded in ENCODINGS.values())
        self.sent.update(list(ENCODINGS))
        return [("Deprecation", every), ("Sunset", token), ("X-Echo", every)]

    def _said(self, name: str, token: str) -> str:
        """Return an encoded token as a JSON string: its own escapes stay."""
        self.sent[name] += 1
        encoded = ENCODINGS[name](token)
        try:
            json.loads(f'"{encoded}"')
        except ValueError:
            return json.dumps(encoded)[1:-1]
        return encoded

    def _woven(self, body: bytes, token: str) -> bytes:
        """Put encoded tokens into names, texts and keys of their own."""
        try:
            document = json.loads(body)
        except ValueError:
            return b""
        places: list[str] = []

        def here() -> str:
            places.append(next(self.turn))
            return f"@@{len(places) - 1}@@"

        if isinstance(document, dict):
            document["echo"] = [here() for _ in ENCODINGS]
            for each in _records(document):
                _tell(each, here)
        text = json.dumps(document, ensure_ascii=False)
        for number, name in enumerate(places):
            text = text.replace(f"@@{number}@@", self._said(name, token))
        return text.encode("utf-8", "surrogatepass")


def _records(document: dict) -> Iterator[dict]:
    yield document
    for value in document.values():
        rows = value if isinstance(value, list) else [value]
        yield from (row for row in rows if isinstance(row, dict))


def _tell(record: dict, here: object) -> None:
    """Put an encoded token into the fields of an item, a site or a space."""
    say = here if callable(here) else str
    data = record.get("fieldData")
    if isinstance(data, dict):
        data["name"] = f"{data.get('name')} {say()}"
        if isinstance(data.get("text"), str):
            data["text"] += f'<p>{say()} <a href="https://e.test/{say()}">a</a></p>'
        data["undeclared"] = say()
    elif "shortName" in record or "plan_level" in record or "owner_id" in record:
        for key in {"displayName", "name"} & record.keys():
            record[key] = f"{record[key]} {say()}"


@dataclass
class Run:
    """Commands on one project, and all that they printed."""

    work: Path
    echo: Echo
    said: list[tuple[str, bytes]] = field(default_factory=list)

    @property
    def project(self) -> Path:
        """Return the project folder."""
        return self.work / "project"

    def do(self, line: str, *, failing: int = 0, only_writes: bool = False) -> int:
        """Run a command while the services fail so; return its exit code."""
        self.echo.failing, self.echo.only_writes = failing, only_writes
        ended = subprocess.run(
            [*COMMAND, "--debug", "--project", str(self.project), *line.split()],
            capture_output=True,
            check=False,
            cwd=self.work,
            env={**os.environ, "CMSMIG_STATE_DIR": str(self.work / "state")},
        )
        self.echo.failing = 0
        self.said.append((f"{line} ({failing})", ended.stdout + ended.stderr))
        during = f" while services answer {failing}" if failing else ""
        print(f"{line}{during}: {ended.returncode}", flush=True)
        return ended.returncode


def run(work: Path) -> list[str]:
    """Do whole runs, search all that they left, and return where a token is found."""
    write_small_site(work / "content")
    echo = Echo()
    options = SandboxOptions(
        content=work / "content",
        rate=RATE,
        origin_rate=60_000,
        middleware=(echo,),
        origin_token=TOKENS["origin"],
        destination_token=TOKENS["destination"],
    )
    with running_sandbox(options) as handle:
        made = Run(work, echo)
        made.do("init")
        write_env(made.project, environment_file_text(dict(handle.announcement), RATE))
        findings = _worked(made)
    return findings + _searched(made)


def _worked(made: Run) -> list[str]:
    """Run everything; return what did not go as it should with such services."""
    for status in (*ERRORS, LATER):
        made.do("check", failing=status)
    wrong = [made.do(line) for line in ("check", "pull")]
    wrong.append(made.do("decide --accept-proposals --reviewer tester"))
    for status in ENDING:
        made.do("pull --refresh", failing=status)
    wrong.append(made.do("pull"))
    for line, status in itertools.product(ASKING, ENDING):
        made.do(line, failing=status)
    for status in ENDING:
        made.do(f"run --run-id failing-{status} --only 00", failing=status)
        line = f"run --run-id writing-{status} --from 04"
        made.do(line, failing=status, only_writes=True)
    for status in (*ENDING, LATER):
        made.do("import", failing=status, only_writes=True)
    wrong += [made.do(line) for line in ("plan", "import", "verify", "status --json")]
    wrong.append(made.do("run --run-id whole"))
    return [f"a run that should end well ends with {code}" for code in wrong if code]


def _searched(made: Run) -> list[str]:
    findings = []
    looked = found = 0
    for place, data in (*made.said, *_kept(made.work)):
        looked += 1
        for name, token in TOKENS.items():
            if reveals(data, token):
                findings.append(f"{place} holds the {name}'s token")
                found += 1
    env = (made.project / ".env").read_bytes()
    findings += [
        f"the search finds no {name} token in .env"
        for name, token in TOKENS.items()
        if not reveals(env, token)
    ]
    unsent = [name for name in ENCODINGS if not made.echo.sent[name]]
    findings += [f"{name!r} was never sent" for name in unsent]
    print(
        f"commands: {len(made.said)}; encodings: {len(ENCODINGS)}; echoes sent:"
        f" {sum(made.echo.sent.values())}; outputs and files searched: {looked};"
        f" with a token: {found}"
    )
    return findings


def _kept(work: Path) -> Iterator[tuple[str, bytes]]:
    """Yield all files but `.env`, and what is in the ledger as text."""
    for path in sorted(work.rglob("*")):
        if path.is_file() and path.name != ".env":
            yield str(path.relative_to(work)), path.read_bytes()
        if path.name == "ledger.sqlite":
            with closing(sqlite3.connect(path)) as ledger:
                yield "the ledger's rows", "\n".join(ledger.iterdump()).encode()


def main() -> int:
    """Run, search, and return the exit code."""
    work = Path(tempfile.mkdtemp(prefix="cmsmig-hostile-"))
    findings = run(work)
    for each in findings:
        print(f"FINDING {each}")
    print(f"{len(findings)} findings; work in {work}")
    return int(bool(findings))


if __name__ == "__main__":
    sys.exit(main())
