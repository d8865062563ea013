"""The origin's file host: bytes from the folder, or drawn."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from cmsmig.sandbox.http.asgi import Call, Reply
from cmsmig.sandbox.origin.content import Content
from cmsmig.sandbox.origin.drawing import content_type, draw

_PREFIX = "/files/"
_NOT_FILES = frozenset({"", ".", "..", "missing.json"})


@dataclass(frozen=True, slots=True)
class FileHost:
    """Answers what is not under `/v2`; needs no token and counts against nothing."""

    content: Content

    async def answer(self, call: Call) -> Reply:
        """Answer one GET or HEAD."""
        if call.method not in {"GET", "HEAD"}:
            return Reply(405, service="files", route="file")
        found = self._indexed(call) if self.content.index else self._named(call)
        if found is None:
            return Reply(404, b"Not found", "text/plain", service="files", route="file")
        data, kind = found
        tag = ("ETag", f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"')
        return Reply(200, data, kind, (tag,), service="files", route="file")

    def _indexed(self, call: Call) -> tuple[bytes, str] | None:
        index = self.content.index
        if index is None:
            return None
        wanted = _target(call)
        file = index.files.get(wanted) or index.files.get(unquote(wanted))
        if file is None:
            file = next(
                (f for path, f in index.files.items() if unquote(path) == call.path),
                None,
            )
        if file is None or not file.sha256.isalnum():
            return None
        path = self.content.folder.parent / "files" / file.sha256
        if not path.is_file():
            return None
        return path.read_bytes(), file.content_type or content_type(call.path)

    def _named(self, call: Call) -> tuple[bytes, str] | None:
        name = call.path.removeprefix(_PREFIX)
        if name == call.path or not name:
            return None
        if {name, _file_id(name)} & self.content.lost:
            return None
        stored = _stored(self.content.folder / "files", name)
        data = stored.read_bytes() if stored is not None else draw(name)
        return data, content_type(name)


def _file_id(name: str) -> str:
    return name.rpartition("/")[2].partition("_")[0]


def _stored(folder: Path, name: str) -> Path | None:
    for candidate in (name.rpartition("/")[2], _file_id(name)):
        path = folder / candidate
        if candidate not in _NOT_FILES and path.is_file():
            return path
    return None


def _target(call: Call) -> str:
    query = "&".join(f"{k}={v}" if v else k for k, v in call.query)
    return f"{call.raw_path}?{query}" if query else call.raw_path
