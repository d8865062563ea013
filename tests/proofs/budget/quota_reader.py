"""A process that lists stories over and over, as another project of the space would.

usage: quota_reader.py PROJECT NAME

Until SIGINT. Each request has the name as a filter, which identifies the process in
the service's history.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path

from cmsmig.events import unobserved
from cmsmig.settings import Project, load_settings
from cmsmig.steps.connect import open_destination


async def read(project: Path, name: str) -> None:
    """List all stories, again and again."""
    settings = load_settings(Project(project), os.environ, need_origin=False)
    async with open_destination(settings, unobserved) as client:
        while True:
            await client.stories(with_slug=name)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(read(Path(sys.argv[1]), sys.argv[2]))
