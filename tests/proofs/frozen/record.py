"""What a record holds: requests, documents and states without what only one run has.

Records of the space have names instead of ids, times are days of the run, tokens and
folders are masked. Ids differ as soon as two stories are made in another order, which
no command promises.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import Any

from cmsmig.canonical import canonical
from cmsmig.sandbox.destination.space import Space, StoredAsset, StoredStory
from cmsmig.sandbox.http.asgi import Call, Reply

BEGIN = datetime(2031, 3, 1, 8, tzinfo=UTC)
"""When the first day of a run begins, by the sandbox's clock: far from every date of a
site, and from today."""
_TABLES = ("stories", "components", "groups", "tags", "datasources",
           "entries", "assets", "deleted_assets", "asset_folders", "releases",
           "webhooks")  # fmt: skip
"""Of a space; the sandbox of an older revision lacks some."""
_OWN = re.compile(
    r"118\d{12}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?<=/)[0-9a-f]{10}(?=/)|\b[0-9a-f]{16}\b"
)
"""Ids, UUIDs, the part of a public address that differs, hashes of plans."""
_PLAN = re.compile(r"\b[Pp]lan ([0-9a-f]{16})\b")
_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d| UTC)?)?"
)
_MOMENT = re.compile(r"\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC")
_PUBLISHING = re.compile(r"/(un)?publish$")
_PART = re.compile(rb'name="?([^";\r\n]+)"?[^\r\n]*(?:\r\n[^\r\n]+)*\r\n\r\n')
_SIGNED = frozenset(("policy", "x-amz-signature", "x-amz-date", "Expires"))


@dataclass
class Names:
    """Names for the values that only this run has."""

    masked: dict[str, str] = field(default_factory=dict)
    """Texts that are replaced everywhere, such as tokens."""
    known: dict[str, str] = field(default_factory=dict)
    """Names of records by id, UUID and address."""
    counts: Counter[str] = field(default_factory=Counter)
    last_id: int = 0

    def learn(self, space: Space, sent: bytes = b"") -> None:
        """Name the records that are new in a space after something was `sent`."""
        if space.last_id == self.last_id:
            return
        self.last_id = space.last_id
        for table in _TABLES:
            for own, record in getattr(space, table, {}).items():
                if str(own) not in self.known:
                    name = self._numbered(f"{table} {_called(space, record)}")
                    self.known[str(own)] = f"<{name}>"
                    for what, value in _drawn(record, sent):
                        self.known[value] = f"<{what} of {name}>"

    def learn_plans(self, text: str) -> None:
        """Number the plans that a text names."""
        for found in _PLAN.findall(text):
            if found not in self.known:
                self.known[found] = f"<{self._numbered('plan')}>"

    def _numbered(self, name: str) -> str:
        self.counts[name] += 1
        return f"{name} #{self.counts[name]}" if self.counts[name] > 1 else name

    def named(self, value: Any) -> Any:
        """Return a JSON value with names and days in it."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.named(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.named(each) for each in value]
        if isinstance(value, int) and not isinstance(value, bool):
            return self.known.get(str(value), value)
        return value

    def text(self, text: str) -> str:
        """Return a text with names and days in it."""
        for old, new in self.masked.items():
            text = text.replace(old, new)
        text = _OWN.sub(self._known, text)
        return _TIME.sub(_day, _MOMENT.sub("<moment>", text))

    def _known(self, found: re.Match[str]) -> str:
        return self.known.get(found[0], found[0])


def _called(space: Space, record: Any) -> str:
    if isinstance(record, StoredStory):
        return space.full_slug(record)
    if isinstance(record, StoredAsset):
        return record.key.rpartition("/")[2]
    return str(record.get("name"))


def _drawn(record: Any, sent: bytes) -> Iterator[tuple[str, str]]:
    """Yield the values, besides its id, that the sandbox drew for a record."""
    if isinstance(record, StoredAsset):
        yield "address", record.key.split("/")[-2]
        return
    if isinstance(record, StoredStory):
        yield "uuid", record.uuid
        if record.group_id and record.group_id.encode() not in sent:
            yield "group", record.group_id
    elif uuid := record.get("uuid"):
        yield "uuid", str(uuid)


def _day(found: re.Match[str]) -> str:
    """Return the day of the run that a time is on; dates of the site stay."""
    try:
        on = date.fromisoformat(found[1])
    except ValueError:
        return found[0]
    number = (on - BEGIN.date()).days + 1
    if 1 <= number <= 366:
        return f"<day {number}>"
    today = datetime.now(UTC).date()
    return "<now>" if today - timedelta(1) <= on <= today else found[0]


def request_of(call: Call, reply: Reply, names: Names) -> dict[str, Any]:
    """Return a request as it was sent, and its status."""
    query = [(name, value) for name, value in call.query if name not in ("cv", "token")]
    return {
        "service": reply.service,
        "method": call.method,
        "path": names.text(call.path),
        "query": names.named(dict(sorted(query))),
        "body": names.named(_body(call)),
        "status": reply.status,
    }


def _body(call: Call) -> Any:
    if not call.body:
        return None
    kind = call.headers.get("content-type", "")
    if not kind.startswith("multipart/"):
        return json.loads(call.body)
    boundary = kind.partition("boundary=")[2].strip('"').encode()
    return dict(sorted(_parts(call.body.split(b"--" + boundary))))


def _parts(parts: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    for part in parts:
        if head := _PART.search(part):
            name, value = head[1].decode(), part[head.end() : -2]
            if name == "file":
                yield name, f"sha256 {hashlib.sha256(value).hexdigest()}"
            elif name not in _SIGNED:
                yield name, value.decode()


def in_order(requests: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return requests in the order that the commands promise.

    Between two writes, reads have no order of their own; nor have writes of one kind
    that follow each other.
    """
    return [
        each
        for _, group in groupby(requests, key=_kind)
        for each in sorted(group, key=canonical)
    ]


def _kind(request: Mapping[str, Any]) -> str:
    publishes = _PUBLISHING.search(request["path"])
    if request["method"] in ("GET", "HEAD") and not publishes:
        return "read"
    route = re.sub(r"<[^>]*>", "<>", request["path"])
    return f"{request['service']} {request['method']} {route}"


def state_of(space: Space, names: Names) -> dict[str, Any]:
    """Return everything that a space holds, the trash included."""
    names.learn(space)
    state: dict[str, Any] = {}
    for table in _TABLES:
        rows = [_row(space, each) for each in getattr(space, table, {}).values()]
        state[table] = sorted(names.named(rows), key=canonical)
    return state


def _row(space: Space, record: Any) -> Any:
    if isinstance(record, StoredStory):
        names = ("body", "content", "created_at", "updated_at", "published_content",
                 "published_name", "published_at", "unpublished_changes",
                 "deleted_at", "versions", "only_in")  # fmt: skip
        return {
            "full_slug": space.full_slug(record),
            **{name: getattr(record, name, None) for name in names},
            "own": record.story_id,
        }
    if isinstance(record, StoredAsset):
        names = ("asset_id", "key", "body", "created_at", "digest", "content_type",
                 "finished", "deleted_at")  # fmt: skip
        return {name: getattr(record, name, None) for name in names}
    return record
