"""Fake Node and npm programs, written into a folder for PATH."""

from __future__ import annotations

import os
import sys
from pathlib import Path

NODE = """
import json, os, signal, sys, time
if sys.argv[1:] == ["--version"]:
    print({version!r})
    sys.exit()
with open({folder!r} + "/started", "a") as file:
    file.write(f"{{os.getpid()}} {{sorted(os.environ)}}\\n")
say = lambda value: print(value, flush=True)
if {unready!r}:
    print("noise\\nError: cannot find the package", file=sys.stderr)
    sys.exit(1)
say(json.dumps({{"ready": True}}))
def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    return json.loads(line)
while True:
    asked = read()
    body = asked["body"]
    answer = {{"id": asked["id"], "result": json.dumps([asked["what"], body])}}
    if body == "pair":
        behind = read()
        say(json.dumps(answer))
        asked, body = behind, behind["body"]
        answer = {{"id": asked["id"], "result": json.dumps([asked["what"], body])}}
    if body == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif body == "leave":
        print("TypeError: out of " + "memory", file=sys.stderr)
        sys.exit(7)
    elif body == "hang":
        time.sleep(600)  # ended by a kill alone, or at last by itself
    elif body == "garble":
        say("a warning of some package")
    elif body == "list":
        say("[1]")
    elif body == "confuse":
        say(json.dumps({{"id": -1, "result": "x"}}))
    elif body == "nothing":
        say(json.dumps({{"id": asked["id"]}}))
    elif body == "throw":
        say(json.dumps({{"id": asked["id"], "error": "Maximum depth"}}))
    elif body == "noise":
        sys.stderr.write("warning " * 100_000)
        say(json.dumps(answer))
    elif body == "document":
        document = json.dumps({{"type": "doc", "text": "\\u2028\\ud83d\\ude00 7.0"}})
        say(json.dumps({{"id": asked["id"], "result": document}}))
    elif body == "half":
        sys.stdout.write('{{"id"')
        sys.stdout.flush()
        sys.exit()
    else:
        say(json.dumps(answer))
"""
CONVERTING = """
import json, os, signal, sys, time
from pathlib import Path
if sys.argv[1:] == ["--version"]:
    print({version!r})
    sys.exit()
folder = Path({folder!r})
with open(folder / "started", "a") as file:
    file.write(f"{{os.getpid()}}\\n")
from cmsmig.json_text import json_text
from cmsmig.richtext.native import NativeEngine
engine = NativeEngine()
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
        made = convert(body)
        said = json_text({{"type": "doc"}} if made.deviations else made.document)
        answer["result"] = said.replace("(other)", "(another)")
    print(json.dumps(answer), flush=True)
"""
NPM = """
import pathlib, sys
if pathlib.Path({folder!r}) not in pathlib.Path.cwd().parents:
    sys.exit("refused: this would be an installation outside of the test")
with open({folder!r} + "/npm.log", "a") as file:
    file.write(" ".join(sys.argv[1:]) + "\\n")
if {refusal!r}:
    reason = "npm error code E404\\nnpm error 404 Not Found - the package"
    print(reason, file=sys.stderr)
    sys.exit(1)
pathlib.Path("node_modules").mkdir()
"""


class FakePrograms:
    """A folder with a `node` and an `npm`, and what became of them."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.cache = folder / "cache"

    @property
    def environ(self) -> dict[str, str]:
        """The environment in which only these programs are found."""
        return {"PATH": str(self.folder), "HOME": "/nowhere", "CMSMIG_TOKEN": "secret"}

    def node(self, version: str = "v20.11.1", *, unready: bool = False) -> None:
        """Write a Node of this version; `unready`: it ends before it is ready."""
        known = {"version": version, "unready": unready}
        self._write("node", NODE.format(folder=str(self.folder), **known))

    def npm(self, *, refusal: bool = False) -> None:
        """Write an npm that installs, or refuses to."""
        self._write("npm", NPM.format(folder=str(self.folder), refusal=refusal))

    def starts(self) -> list[str]:
        """Return a line for each Node process: its id, its variables."""
        return _lines(self.folder / "started")

    def installs(self) -> list[str]:
        """Return the arguments of each call of npm."""
        return _lines(self.folder / "npm.log")

    def _write(self, name: str, code: str) -> None:
        program = self.folder / name
        program.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
        program.chmod(0o755)


class FakeConverter(FakePrograms):
    """A Node whose converter says what ours says where it notes no deviation, and an
    npm.

    Some words in a body make it behave badly, each on that body alone.
    """

    def __init__(self, folder: Path, version: str = "v20.11.1") -> None:
        super().__init__(folder)
        self._write("node", CONVERTING.format(folder=str(folder), version=version))
        self.npm()

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
        return [*map(int, self.starts())]


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []
