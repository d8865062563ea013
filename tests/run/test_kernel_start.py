"""How unattended kernels start."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cmsmig.run.unattended import Finished
from tests.support.run.small_notebooks import run_notebooks, start_apart, write_notebook
from tests.support.timelimit import patience

STARTING = """
import json, os, socket, sys
{before}
del os.environ["PYTHONPATH"]
os.execv(sys.executable, [sys.executable, "-m", "ipykernel_launcher", *sys.argv[1:]])
"""
TAKING_ITS_PORT = """
drawn = json.load(open(sys.argv[2]))
if drawn["transport"] == "tcp":
    thief = socket.socket()
    thief.bind((drawn["ip"], drawn["shell_port"]))
    thief.listen()
    thief.set_inheritable(True)
"""
FAILING = """
with open({starts!r}, "a") as file:
    file.write("x")
sys.exit("no room for a kernel")
"""


@pytest.fixture
def starting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let code run in each new kernel before anything else does."""

    def before(code: str) -> None:
        script = tmp_path / "first" / "ipykernel_launcher.py"
        script.parent.mkdir()
        script.write_text(STARTING.format(before=code), "utf-8")
        monkeypatch.setenv("PYTHONPATH", str(script.parent))

    return before


def run(folder: Path, source: str = "1") -> tuple[Finished, list[str]]:
    """Run one notebook; return how it ended and what was noticed."""
    write_notebook(folder / "notebooks", "00_first", source)
    return run_notebooks(folder)


def shown(folder: Path) -> str:
    """Return what the last cell printed."""
    output = folder / "reports" / "run" / "00_first.ipynb"
    cells = json.loads(output.read_text("utf-8"))["cells"]
    return "".join(cells[-1]["outputs"][0]["text"])


def test_no_other_process_takes_what_a_kernel_is_to_listen_at(
    tmp_path: Path, starting: Callable[[str], None]
) -> None:
    """A process that takes a drawn port before the kernel does finds none."""
    starting(TAKING_ITS_PORT)
    finished, noticed = run(tmp_path)
    assert finished.run.complaint == ""
    assert noticed == []


NOT_THIS_ONE = ["sh", "-c", "echo of another environment >&2; exit 1"]
PYTHON3 = {"name": "python3", "display_name": "Python 3", "language": "python"}
ELSEWHERE = {
    "of a variable": ("JUPYTER_PATH", "kernels/python3", PYTHON3),
    "of a user": ("JUPYTER_DATA_DIR", "kernels/python3", PYTHON3),
    "named otherwise": ("JUPYTER_PATH", "kernels/site", {**PYTHON3, "name": "site"}),
    "not there": ("JUPYTER_PATH", "kernels/site", {**PYTHON3, "name": "gone"}),
}


@pytest.mark.parametrize(
    ("variable", "folder", "named"), ELSEWHERE.values(), ids=ELSEWHERE
)
def test_the_kernel_is_the_interpreter_of_the_command(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    folder: str,
    named: dict[str, str],
) -> None:
    """Whichever kernel a notebook names, and whose environment that is."""
    spec = tmp_path / "jupyter" / folder / "kernel.json"
    spec.parent.mkdir(parents=True)
    kernel = {"argv": NOT_THIS_ONE, "display_name": "Another", "language": "python"}
    spec.write_text(json.dumps({**kernel, "env": {"OF": "another"}}), "utf-8")
    monkeypatch.setenv(variable, str(tmp_path / "jupyter"))
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "0")
    code = "import os, sys; print(sys.executable, os.environ.get('OF'))"
    book = write_notebook(tmp_path / "notebooks", "00_first", code)
    document = json.loads(book.read_text("utf-8"))
    document["metadata"] = {"kernelspec": named}
    book.write_text(json.dumps(document), "utf-8")
    finished, noticed = run_notebooks(tmp_path, "limit=4")
    assert (finished.run.complaint, noticed) == ("", [])
    assert shown(tmp_path) == f"{sys.executable} None\n"


def test_a_start_that_fails_ends_the_run(
    tmp_path: Path, starting: Callable[[str], None]
) -> None:
    """There is no second one, and what is not run is named."""
    starts = tmp_path / "starts"
    starting(FAILING.format(starts=str(starts)))
    finished, _ = run(tmp_path)
    assert starts.read_text() == "x"
    assert finished.exit_code == 1
    assert "Kernel died before replying" in finished.run.complaint


STOPPED_WHILE_STARTING = """
with open({starts!r}, "a") as file:
    file.write("x")
os.kill(os.getppid(), {number})
import time
time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_while_a_kernel_starts_ends_with_5(
    tmp_path: Path, starting: Callable[[str], None], number: int
) -> None:
    """The kernel ends at once, however long it would take; nothing starts after it."""
    starts = tmp_path / "starts"
    starting(STOPPED_WHILE_STARTING.format(starts=str(starts), number=int(number)))
    written = tmp_path / "written"
    write_notebook(tmp_path / "notebooks", "00_first", f"open({str(written)!r}, 'w')")
    process = start_apart(tmp_path)
    said, _ = process.communicate(timeout=patience())
    assert process.returncode == 5
    assert "00_first stopped: it was stopped (see" in said
    assert starts.read_text() == "x"
    assert not written.exists()
