"""A process that lists stories over and over, as another project of the space would.

usage: quotareader.py PROJECT NAME

Until SIGINT. Its name goes along as a filter, so that the service's history tells it
from others; how long it waits for its turn goes to standard error.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from cmsmig.events import BudgetWaited, Event
from cmsmig.settings import Project, load_settings
from cmsmig.steps.connect import open_destination


async def read(project: Path, name: str) -> None:
    """List all stories, again and again."""
    settings = load_settings(Project(project), os.environ, need_origin=False)
    async with open_destination(settings, tell) as client:
        while True:
            await client.stories(excluding_slugs=name)


def tell(event: Event) -> None:
    """Write about pauses; waits that only space the calls go without saying."""
    if isinstance(event, BudgetWaited) and event.reason != "pace":
        sys.stderr.write(f"waiting {event.delay:.2f} s, {event.reason}\n")
        sys.stderr.flush()


async def main(project: Path, name: str) -> None:
    """Read until told to stop."""
    reading = asyncio.ensure_future(read(project, name))
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, reading.cancel)
    await asyncio.gather(reading, return_exceptions=True)
    if not reading.cancelled():
        reading.result()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
