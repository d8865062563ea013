"""The order in which stories are published: what others refer to goes first, so that no
page leads to one that is not there yet. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from cmsmig.item_key import ItemKey


def publication_waves(
    keys: Iterable[ItemKey], targets: Mapping[ItemKey, Sequence[ItemKey]]
) -> Iterator[tuple[ItemKey, ...]]:
    """Yield the stories in waves: each refers to stories of waves before it, as far as
    no circle of references keeps it from that.

    `targets` are the stories that each refers to. The order within a wave is that of
    `keys`; what stands in a circle goes when nothing else can.
    """
    waiting = dict.fromkeys(keys)
    open_ = {
        key: {each for each in targets.get(key, ()) if each in waiting and each != key}
        for key in waiting
    }
    referrers: dict[ItemKey, list[ItemKey]] = {}
    for key, found in open_.items():
        for each in found:
            referrers.setdefault(each, []).append(key)
    wave = tuple(key for key in waiting if not open_[key])
    while waiting:
        # In a circle the first one goes ahead of what it refers to.
        wave = wave or (next(iter(waiting)),)
        yield wave
        for key in wave:
            del waiting[key]
        freed: dict[ItemKey, None] = {}
        for key in wave:
            for each in referrers.get(key, ()):
                open_[each].discard(key)
                if each in waiting and not open_[each]:
                    freed[each] = None
        wave = tuple(freed)
