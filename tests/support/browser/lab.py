"""JupyterLab as `cmsmig lab` starts it, in folders of the test's own."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from cmsmig.run.child import clean_environment
from cmsmig.run.lab import Place, lab_command, write_settings
from tests.support.official.fakenode import FakeConverter
from tests.support.timelimit import patience

TOKEN = "a-token-of-the-tests-own"
_AT_SOCKETS = ("--KernelManager.transport=ipc",)
"""Ports are drawn before kernels bind them: another kernel might take one."""
SETTINGS = "@jupyterlab/apputils-extension:kernels-settings"
_FOLDERS = {
    "JUPYTER_CONFIG_DIR": "config",
    "JUPYTER_DATA_DIR": "data",
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
    node: FakeConverter
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
    node = FakeConverter(folder / "programs")
    own = {name: str(folder / place) for name, place in _FOLDERS.items()}
    own |= {"CMSMIG_STATE_DIR": str(folder / "state"), "JUPYTER_TOKEN": TOKEN}
    more = ("--LabApp.expose_app_in_browser=True", *_AT_SOCKETS)
    command = lab_command(Place(root, ""), settings, browser=False, port=0, more=more)
    # Sockets lie in there: their paths are short.
    with TemporaryDirectory(prefix="lab-", dir="/tmp") as runtime:
        environ = clean_environment(node.environ, JUPYTER_RUNTIME_DIR=runtime, **own)
        environ = write_settings(settings, environ)
        async with _serving(command, environ, root) as address:
            yield Lab(address, root, folder / "user-settings", environ, node)


@asynccontextmanager
async def _serving(
    command: Sequence[str], environ: Mapping[str, str], folder: Path
) -> AsyncIterator[str]:
    """Run a server; yield the address that it says it listens at."""
    process = await asyncio.create_subprocess_exec(
        *command, env=environ, cwd=folder, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    address = asyncio.get_running_loop().create_future()
    reading = asyncio.create_task(_find_address(process.stderr, address))
    try:
        yield await asyncio.wait_for(address, 2 * patience())
    finally:
        process.send_signal(signal.SIGTERM)
        await process.wait()
        await reading


async def _find_address(
    stream: asyncio.StreamReader, address: asyncio.Future[str]
) -> None:
    """Read to the end, so that nothing waits; set the address once it is said."""
    lines = []
    while line := (await stream.readline()).decode("utf-8", "replace"):
        lines.append(line)
        found = re.search(r"(http://127\.0\.0\.1:[1-9]\d*)/lab\S*token=", line)
        if found and not address.done():
            address.set_result(found[1])
    if not address.done():
        said = "".join(lines)
        address.set_exception(AssertionError(f"JupyterLab did not start:\n{said}"))
