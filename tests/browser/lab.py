"""JupyterLab as `cmsmig lab` starts it, in folders of the test's own."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from standin import StandIn

from cmsmig.run.child import clean_environment
from cmsmig.run.lab import OVERRIDES, Place, lab_command

TOKEN = "a-token-of-the-tests-own"
SETTINGS = "@jupyterlab/apputils-extension:kernels-settings"
_FOLDERS = {
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
    "JUPYTER_RUNTIME_DIR": "runtime",
    "JUPYTERLAB_SETTINGS_DIR": "user-settings",
    "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    "IPYTHONDIR": "ipython",
}


@dataclass(frozen=True)
class Lab:
    """A JupyterLab that runs."""

    address: str
    """Without a slash at the end."""
    root: Path
    """The folder it shows."""
    user_settings: Path
    environ: dict[str, str]
    node: StandIn
    """The Node and npm that kernels find."""

    def serve_comms(self, mode: str) -> None:
        """Choose how comms are served, for pages that are opened from now on.

        `disabled`: on the kernel's main thread; `perCommTarget`: on a subshell.
        """
        path = self.user_settings / f"{SETTINGS.replace(':', '/')}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"commsOverSubshells": mode}), "utf-8")


@asynccontextmanager
async def running_lab(folder: Path) -> AsyncIterator[Lab]:
    """Run JupyterLab on `folder`/root while the block runs."""
    root, settings = folder / "root", folder / "app-settings"
    for each in (root, settings):
        each.mkdir()
    (settings / "overrides.json").write_text(json.dumps(OVERRIDES), "utf-8")
    node = StandIn(folder / "programs")
    own = {name: str(folder / place) for name, place in _FOLDERS.items()}
    environ = clean_environment(
        node.environ, CMSMIG_STATE_DIR=str(folder / "state"), JUPYTER_TOKEN=TOKEN, **own
    )
    command = lab_command(
        Place(root, ""),
        settings,
        browser=False,
        port=0,
        more=("--LabApp.expose_app_in_browser=True",),
    )
    process = await asyncio.create_subprocess_exec(
        *command, env=environ, cwd=root, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    said = await asyncio.wait_for(_until_it_serves(process.stderr), 60)
    draining = asyncio.create_task(process.stderr.read())
    try:
        yield Lab(said, root, folder / "user-settings", environ, node)
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()
        await draining


async def _until_it_serves(stream: asyncio.StreamReader) -> str:
    """Return the address that the server says it listens at."""
    lines = []
    while line := (await stream.readline()).decode("utf-8", "replace"):
        lines.append(line)
        if found := re.search(r"(http://127\.0\.0\.1:[1-9]\d*)/lab\S*token=", line):
            return found[1]
    raise AssertionError(f"JupyterLab did not start:\n{''.join(lines)}")
