"""The wheel, installed away from the checkout, does all that the checkout does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from cmsmig.sandbox.options import SandboxOptions
from cmsmig.sandbox.server import environment_file_text
from tests.support.sandbox.observed import running_sandbox

TOP = Path(__file__).parent.parent
RATE = 500


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel; no index is asked for anything."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
    subprocess.run(build, cwd=TOP, check=True, capture_output=True)
    (built,) = folder.glob("cmsmig-*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel in an environment of its own; return its `bin`.

    The dependencies are those of this environment, found through a path file: the
    path file of an editable install in there is not read, so that nothing comes
    from the checkout.
    """
    folder = tmp_path_factory.mktemp("environment")
    make = [sys.executable, "-m", "venv", "--without-pip", folder]
    subprocess.run(make, check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [sys.executable, "-m", "pip", "--python", folder, "install", "--quiet"]
    options = ["--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([*pip, *options, wheel], check=True)
    return folder / "bin"


def names_of_notebooks() -> list[str]:
    """Return the names of the checkout's notebooks."""
    return sorted(path.name for path in (TOP / "notebooks").glob("*.ipynb"))


def test_the_wheel_holds_the_package_and_every_notebook(wheel: Path) -> None:
    """All eight travel, byte by byte; tests and other folders do not."""
    with zipfile.ZipFile(wheel) as archive:
        held = archive.namelist()
        for name in names_of_notebooks():
            packed = archive.read(f"cmsmig/_notebooks/{name}")
            assert packed == (TOP / "notebooks" / name).read_bytes()
    below = {name.partition("/")[0] for name in held}
    (information,) = below - {"cmsmig"}
    assert information.endswith(".dist-info")
    notebooks = [name for name in held if name.startswith("cmsmig/_notebooks/")]
    assert len(notebooks) == len(names_of_notebooks()) == 8
    package = {
        path.relative_to(TOP).as_posix()
        for path in (TOP / "cmsmig").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert package <= set(held)


def test_a_migration_without_a_checkout(
    installed: Path, small_site: Path, tmp_path: Path
) -> None:
    """In an empty folder: init, pull, decide, import, and a notebook."""
    folder = tmp_path / "empty"
    folder.mkdir()
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "CMSMIG_STATE_DIR": str(tmp_path / "state"),
        # Where this environment keeps what its dependencies share.
        "JUPYTER_PATH": str(Path(sys.prefix) / "share" / "jupyter"),
    }

    def run(*arguments: str) -> str:
        ended = subprocess.run(
            [installed / "cmsmig", *arguments],
            cwd=folder,
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, f"{arguments}: {ended.stdout}{ended.stderr}"
        return ended.stdout

    options = SandboxOptions(content=small_site, rate=RATE, origin_rate=60_000)
    with running_sandbox(options) as handle:
        run("init")
        project = folder / "migration"
        laid = sorted(path.name for path in project.glob("notebooks/*.ipynb"))
        assert laid == names_of_notebooks()
        settings = environment_file_text(dict(handle.announcement), RATE)
        (project / ".env").write_text(settings)
        run("pull")
        run("decide", "--accept-proposals", "--reviewer", "a tester")
        done = json.loads(run("import", "--json"))["accounting"]
        assert (done["created"], done["failed"], done["open"]) == (47, 0, 0)
        run("run", "--only", "00", "--run-id", "first")
        assert handle.state.recorder.violations == []
    written = sorted(path.name for path in (folder / "reports" / "first").iterdir())
    stem = "00_start_here"
    assert written == [f"{stem}.html", f"{stem}.ipynb", "log.jsonl"]
    executed = (folder / "reports" / "first" / "00_start_here.ipynb").read_text()
    assert str(project / "notebooks") in executed
    assert str(TOP / "notebooks") not in executed
