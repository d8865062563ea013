"""Nothing that names or services say acts on the terminal it is printed on."""

from __future__ import annotations

import io
import json
import logging
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from dataclasses import fields, replace
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cmsmig import events
from cmsmig.cli.console import complain, complain_of, log_printably
from cmsmig.cli.progress import Progress
from cmsmig.printable import printable, printable_json, printable_lines
from cmsmig.sandbox.http.asgi import Call, Reply
from cmsmig.ui.doc import table_lines
from tests.support.cli.bad_input import Rig
from tests.support.hostiletext import ACTING, HALF, RAW, SALT, acting
from tests.support.rehearsal import Rehearsal, run_here
from tests.support.saltedsite import salted_project

COMMANDS = (
    "check",
    "pull",
    "pull --refresh",
    "decide --accept-proposals --reviewer SALT",
    "plan",
    "import --dry-run",
    "prepare",
    "create",
    "link",
    "publish",
    "import",
    "verify",
    "status",
    "rollback --plan",
    "rebuild",
    "decide --accept-proposals --overwrite --split headings --reviewer SALT",
)
anything = st.text(st.one_of(st.sampled_from(ACTING), st.characters()))
hostile = example(SALT)


@pytest.fixture(scope="session")
def salted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rehearsal]:
    """Return a project on a site whose every text holds every such character."""
    with salted_project(tmp_path_factory.mktemp("salted"), SALT) as made:
        yield made


def test_no_command_prints_a_control(salted: Rehearsal) -> None:
    """All names of the site, a hostile reviewer, and what the space says of them."""
    for command in COMMANDS:
        ended = salted.run(
            *(SALT if part == "SALT" else part for part in command.split())
        )
        assert acting(ended.out + ended.err) == [], command
        assert "should not happen" not in ended.err, command
        assert ended.code in (0, 2), (command, ended.err)
        for line in (ended.out + ended.err).splitlines():
            assert not line.startswith("npg"), f"{command}: a name forged a line"


def test_json_holds_the_names_themselves(salted: Rehearsal) -> None:
    """`--json` is for programs: the same values, with nothing raw in the text."""
    salted.run("pull")
    for command in ("check", "pull"):
        ended = salted.done(command, "--json")
        assert RAW.findall(ended.out.replace("\n", "")) == []
        kept = SALT.replace(HALF, "\ufffd").replace("\0", "")
        assert _holds(ended.document, kept), command


def _holds(value: object, text: str) -> bool:
    if isinstance(value, dict):
        return any(_holds(each, text) for each in [*value.keys(), *value.values()])
    if isinstance(value, list):
        return any(_holds(each, text) for each in value)
    return isinstance(value, str) and text in value


def _says(status: int, body: object) -> Callable[[Call, Reply], Reply]:
    """Return a fault: every answer has this status and body."""

    def fault(call: Call, reply: Reply) -> Reply:
        text = body if isinstance(body, str) else json.dumps(body)
        sent = text.encode(errors="surrogatepass")
        return replace(reply, status=status, body=sent)

    return fault


def _renames(call: Call, reply: Reply) -> Reply:
    """A fault: whatever the service lists has a hostile name."""
    if reply.status != 200 or not reply.content_type.startswith("application/json"):
        return reply
    return replace(reply, body=json.dumps(_renamed(json.loads(reply.body))).encode())


def _renamed(value: object) -> object:
    if isinstance(value, list):
        return [_renamed(each) for each in value]
    if not isinstance(value, dict):
        return value
    named = ("name", "slug", "full_slug", "display_name", "path", "displayName")
    return {
        key: f"{held}{SALT}" if key in named and isinstance(held, str) else held
        for key, held in ((key, _renamed(held)) for key, held in value.items())
    }


ASKING = ("check", "pull --refresh", "plan", "import", "verify", "rebuild")
SAID = {
    "refused": _says(401, {"error": SALT}),
    "nothing there": _says(404, {"message": SALT}),
    "fields": _says(422, {"slug": [SALT], SALT: [SALT], "base": SALT}),
    "a list": _says(422, [SALT, {"name": SALT}]),
    "text": _says(409, f"<html>{SALT}</html>"),
    "not an object": _says(200, [SALT]),
    "hostile names": _renames,
}


@pytest.mark.parametrize("fault", SAID.values(), ids=SAID)
def test_no_service_reaches_the_terminal(rig: Callable[..., Rig], fault) -> None:
    """Errors, lists and names of both services, through every command that asks."""
    opened = rig()
    opened.faults.append(fault)
    for command in ASKING:
        if command == "rebuild":
            (opened.folder / "ledger.sqlite").unlink(missing_ok=True)
        ended = opened.run(*command.split())
        assert acting(ended.out + ended.err) == [], command
        assert "should not happen" not in ended.err, (command, ended.err)


@given(anything)
@hostile
def test_a_line_is_one_line(text: str) -> None:
    """Nothing acts, nothing is hidden, and what acts nowhere stays as it is."""
    shown = printable(text)
    assert acting(shown) == []
    assert "\n" not in shown
    assert "\t" not in shown
    shown.encode()
    assert printable(shown) == shown
    assert RAW.search(text) or shown == text
    assert acting(printable_lines(text)) == []
    assert printable_lines(text).count("\n") == text.count("\n")


@given(st.recursive(anything, lambda inner: st.dictionaries(anything, inner)))
@hostile
def test_json_stays_the_same_value(value: object) -> None:
    """What acts is JSON's own escape."""
    text = printable_json(json.dumps(value, ensure_ascii=False, indent=1))
    assert [each for each in RAW.findall(text) if each != "\n"] == []
    assert json.loads(text) == json.loads(json.dumps(value))


class _Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


_OWN = "\r\x1b[K"


@pytest.mark.parametrize("kind", get_args(events.Event))
@given(text=anything)
@hostile
def test_progress_lets_nothing_through(kind: type, text: str) -> None:
    """Every event, with this text in all of its texts, on a terminal and in a file."""
    given_ = {"str": text, "float": 99.0, "int": 3, "bool": True, "int | None": 3}
    event = kind(**{each.name: given_[str(each.type)] for each in fields(kind)})
    for stream in (_Screen(), io.StringIO()):
        progress = Progress(stream)
        progress(events.StepStarted(text, 3))
        progress(event)
        progress(events.StepAdvanced(text, text))
        assert acting(stream.getvalue().replace(_OWN, "")) == []


@given(st.lists(st.lists(anything, min_size=2, max_size=2), min_size=1))
def test_tables_are_as_wide_as_what_is_shown(rows: list[list[str]]) -> None:
    """Columns line up although what acts takes more room when it is escaped."""
    rows = [[f"{first}|", second] for first, second in rows]
    lines = [*table_lines(rows)]
    assert acting("".join(lines)) == []
    width = min(48, max(len(printable(first)) for first, _ in rows))
    assert lines == [
        f"{printable(first).ljust(width)}  {printable(second)}".rstrip()
        for first, second in rows
    ]


@given(anything)
@hostile
def test_sentences_tracebacks_and_logs(text: str) -> None:
    """Standard error has no other ways."""
    with redirect_stderr(io.StringIO()) as said:
        complain(text)
        complain_of(ValueError(text))
        log_printably()
        assert logging.lastResort is not None
        record = logging.LogRecord("any", 40, "", 0, "%s", (text,), None)
        logging.lastResort.emit(record)
    assert acting(said.getvalue()) == []


def test_rules_of_a_project_print_nothing_that_acts(tmp_path: Path) -> None:
    """What a rule prints of a body goes the same way."""
    (tmp_path / "rules.py").write_text("def rule(tag):\n    print(tag.text)\n")
    (tmp_path / "cmsmig.toml").write_text('richtext.rules = "rules.py"\n')
    body = tmp_path / "body.html"
    body.write_text(f"<div class='box'>{SALT.replace(HALF, '')}</div>", "utf-8")
    ended = run_here("--project", str(tmp_path), "convert", str(body))
    assert ended.code == 0, ended.err
    assert "\\x1b]52" in ended.err
    assert acting(ended.err) == []


@pytest.mark.parametrize("command", ["convert", "render"])
def test_content_is_itself_in_a_file_and_escaped_on_a_terminal(
    tmp_path: Path, command: str
) -> None:
    """Documents and HTML are content: a pipe gets every byte, a terminal sees it."""
    salt = SALT.translate(dict.fromkeys((0, 0xC, 0xD))).replace(HALF, "")
    node = {"type": "text", "text": salt}
    document = {"type": "doc", "content": [{"type": "paragraph", "content": [node]}]}
    source = tmp_path / "source"
    written = f"<p>{salt}</p>" if command == "convert" else json.dumps(document)
    source.write_text(written, "utf-8")
    asked = [sys.executable, "-m", "cmsmig.cli", command, str(source)]
    piped = subprocess.run(asked, capture_output=True, check=True).stdout.decode()
    assert "\x9b2J\u202e" in piped
    assert acting(_on_a_terminal(asked)) == []


def _on_a_terminal(asked: list[str]) -> str:
    """Return what a command writes to a terminal, its line ends as they were."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(asked, stdout=theirs) as process:
        os.close(theirs)
        said = b""
        while chunk := _read(ours):
            said += chunk
    os.close(ours)
    assert process.returncode == 0
    return said.decode().replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:
        # Linux reports that when the other end of a terminal is gone.
        return b""
