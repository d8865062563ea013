"""Files that mark that something ran them, laid where nothing is to be run from."""

from __future__ import annotations

from pathlib import Path

_MODULES = (
    "click",
    "cmsmig/__init__",
    "concurrent/__init__",
    "ipykernel_launcher",
    "IPython/__init__",
    "jupyterlab",
    "multiprocessing",
    "sitecustomize",
)
_TEMPLATES = (
    "<memory>", "cmsmig-page", "index.html.j2", "lab/base.html.j2", "lab/index.html.j2",
    "lab/lab/index.html.j2",
)  # fmt: skip
_MARK = "ran-"


def plant(folder: Path) -> Path:
    """Lay modules and a page template that leave a mark when they run."""
    for name in _MODULES:
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        mark = folder / f"{_MARK}{name.partition('/')[0]}"
        path.write_text(f"open({str(mark)!r}, 'w').close()\n", "utf-8")
    opened = f"lipsum.__globals__.os.open({str(folder / f'{_MARK}lab')!r}, 66)"
    for name in _TEMPLATES:
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(f"planted {{{{ {opened} }}}}", "utf-8")
    return folder


def found_running(folder: Path) -> list[str]:
    """Return the names of what ran."""
    return sorted(path.name.removeprefix(_MARK) for path in folder.glob(f"{_MARK}*"))
