"""A small site as a pull leaves it."""

from __future__ import annotations

import shutil
from pathlib import Path

from cmsmig.notebook.kit.opened_project import Workspace
from cmsmig.settings import Project

POSTS, PEOPLE = "65a000000000000000000001", "65a000000000000000000002"

LOSSY = (
    '<h2>One</h2><p onclick="steal()">Text with a <a href="javascript:steal()">bad '
    'link</a></p><script>steal()</script><img src="x" onerror="steal()">'
)
VIDEO = (
    '<p>Look</p><figure class="w-richtext-figure-type-video"><div>'
    '<iframe src="https://video.example.com/embed/7"></iframe></div></figure>'
)
WIDGET = (
    '<div data-rt-embed-type="true"><script src="https://widgets.example.com/a.js">'
    "</script></div><p>After</p>"
)


def write_site(folder: Path) -> None:
    """Write two collections: posts with bodies, and people whom posts refer to."""
    shutil.copytree(Path(__file__).with_name("site"), folder)


def pulled_workspace(
    root: Path, *, interactive: bool = False, dry_run: bool = False
) -> Workspace:
    """Return a workspace on a project folder into which the site was pulled."""
    project = Project(root)
    if not project.raw.exists():
        write_site(project.raw)
    return Workspace(project, dry_run, interactive)
