"""A network that is away for a while: which hosts are waited for, and how long."""

from __future__ import annotations

from urllib.parse import urlsplit

from cmsmig.wire.answers import bare


class Outage:
    """Hosts that answered once are waited for when they cannot be reached.

    One that never answered is waited for no longer than other failures: its address
    may be wrong, or a firewall may be in the way.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        """Seconds that one request waits."""
        self._answered: set[str] = set()

    def over(self, url: str) -> None:
        """Take note that a host answered."""
        self._answered.add(_host(url))

    def is_waited_for(self, url: str, seconds: float) -> bool:
        """Return whether a request waits on, whose host was away for so long."""
        return seconds < self._limit and _host(url) in self._answered


def _host(url: str) -> str:
    return urlsplit(bare(url)).netloc
