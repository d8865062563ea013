"""The order in which stories are published: what others refer to goes first, so that no
page leads to one that is not there yet. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

from cmsmig.item_key import ItemKey

_Graph: TypeAlias = "dict[ItemKey, list[ItemKey]]"


def publication_waves(
    keys: Iterable[ItemKey], targets: Mapping[ItemKey, Sequence[ItemKey]]
) -> Iterator[tuple[ItemKey, ...]]:
    """Yield the stories in waves: each refers to stories of waves before it, as far as
    no circle of references keeps it from that.

    `targets` are the stories that each refers to. The order within a wave is that of
    `keys`. What stands in circles, or between them, is one wave.
    """
    rank = {key: number for number, key in enumerate(keys)}
    graph = _among(rank, targets)
    while graph:
        for wave in _waves(graph):
            yield tuple(sorted(wave, key=rank.__getitem__))
            for key in wave:
                del graph[key]
        if circles := _circles(graph):
            yield tuple(circles)
            graph = _among([key for key in graph if key not in circles], graph)


def _among(
    keys: Iterable[ItemKey], targets: Mapping[ItemKey, Sequence[ItemKey]]
) -> _Graph:
    """Return what each of the keys refers to among the others."""
    known = dict.fromkeys(keys)
    return {
        key: [each for each in targets.get(key, ()) if each in known and each != key]
        for key in known
    }


def _waves(graph: _Graph) -> Iterator[tuple[ItemKey, ...]]:
    """Yield the waves up to the first circle."""
    sorter = TopologicalSorter(graph)
    with suppress(CycleError):
        sorter.prepare()
    while wave := sorter.get_ready():
        yield wave
        sorter.done(*wave)


def _circles(graph: _Graph) -> dict[ItemKey, None]:
    """Return what is left once all is gone that nothing else refers to."""
    referrers: _Graph = {key: [] for key in graph}
    for key, found in graph.items():
        for each in found:
            if each in referrers:
                referrers[each].append(key)
    left = dict.fromkeys(graph)
    for wave in _waves(referrers):
        for key in wave:
            del left[key]
    return left
