"""Work without pauses for the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the cyclic garbage collector from running until the block is left.

    A conversion makes many objects in a short time, and each is needed to its end:
    the collector would look at them again and again and find nothing, for a fifth
    of the time and more than a third with large bodies. What else is garbage waits
    for the length of one conversion. The block that found the collector running
    always starts it again, so blocks may be nested; with several threads a pause
    may end early, but never lasts.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()
