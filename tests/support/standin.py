"""A Node and an npm of the tests' own, whose converter says what exact mode says.

Some words in a body make it behave badly, each on that body alone.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

NODE = """
import json, os, signal, sys, time
from pathlib import Path
if sys.argv[1:] == ["--version"]:
    print({version!r})
    sys.exit()
folder = Path({folder!r})
with open(folder / "started", "a") as file:
    file.write(f"{{os.getpid()}}\\n")
from cmsmig.json_text import json_text
from cmsmig.richtext.native import Mode, NativeEngine
engine = NativeEngine(Mode.EXACT)
parent = os.getppid()
print(json.dumps({{"ready": True}}), flush=True)
for line in sys.stdin:
    # A test that failed leaves no process: this one ends with its parent.
    while (folder / "hold").exists() and os.getppid() == parent:
        time.sleep(0.02)
    asked = json.loads(line)
    body = asked["body"]
    if "(die)" in body:
        os.kill(os.getpid(), signal.SIGKILL)
    if "(hang)" in body:
        time.sleep(600)  # ended by a kill alone, or at last by itself
    answer = {{"id": asked["id"]}}
    if "(throw)" in body:
        answer["error"] = "Maximum call stack size exceeded"
    else:
        markdown = asked["what"] == "markdown"
        convert = engine.from_markdown if markdown else engine.from_html
        said = json_text(convert(body).document)
        answer["result"] = said.replace("(other)", "(another)")
    print(json.dumps(answer), flush=True)
"""
NPM = """
import os, pathlib, sys
here = pathlib.Path.cwd()
if pathlib.Path({folder!r}) not in here.parents:
    sys.exit("refused: this would be an installation outside of the test")
pathlib.Path("node_modules").mkdir()
"""


class StandIn:
    """A folder with both programs, and the installations that they make."""

    def __init__(self, folder: Path, version: str = "v20.11.1") -> None:
        folder.mkdir()
        self.folder = folder
        self.cache = folder / "cache"
        self._write("node", NODE.format(folder=str(folder), version=version))
        self._write("npm", NPM.format(folder=str(folder)))

    @property
    def environ(self) -> dict[str, str]:
        """An environment in which these programs are found, and the user's cache is
        a folder of theirs."""
        path = f"{self.folder}{os.pathsep}{os.environ.get('PATH', '')}"
        return {**os.environ, "PATH": path, "XDG_CACHE_HOME": str(self.cache)}

    def hold(self) -> None:
        """Let no body be answered until `go_on`."""
        (self.folder / "hold").touch()

    def go_on(self) -> None:
        """Let bodies be answered."""
        (self.folder / "hold").unlink()

    def processes(self) -> list[int]:
        """Return the ids of all processes that were started so far."""
        started = self.folder / "started"
        return [int(line) for line in started.read_text().split()]

    def _write(self, name: str, code: str) -> None:
        program = self.folder / name
        program.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
        program.chmod(0o755)
