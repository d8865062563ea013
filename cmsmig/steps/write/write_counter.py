"""How many requests changed the destination, counted where they are sent."""

from __future__ import annotations

from cmsmig.events import Event, Observer, RequestSent

_READING = ("GET", "HEAD")


class WriteCounter:
    """An observer that counts writes and hands every event on."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self.writes = 0
        self.quota_calls = 0

    def __call__(self, event: Event) -> None:
        """Count the event if it is a request to the destination."""
        if isinstance(event, RequestSent) and event.service == "destination":
            publishing = event.path.endswith(("/publish", "/unpublish"))
            self.writes += event.method not in _READING or publishing
            self.quota_calls += event.quota
        self._observer(event)
