"""A multipart body taken apart byte by byte, its order kept."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cmsmig.errors import CmsmigError

_NAME = re.compile(r'(?:^|;)\s*name="([^"]*)"|(?:^|;)\s*name=([^;"\s]+)')


class FormError(CmsmigError):
    """The body is not a complete multipart form."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a form."""

    name: str
    headers: dict[str, str]
    """Lower-case names."""
    data: bytes

    @property
    def is_file(self) -> bool:
        """Return whether the part names a file."""
        return "filename" in self.headers.get("content-disposition", "")


def read_form(content_type: str, body: bytes) -> list[Part]:
    """Return the parts of a form in the order they stand in the body.

    Raises `FormError` for anything but a complete multipart/form-data body.
    """
    kind, _, rest = content_type.partition(";")
    found = re.search(r'boundary=(?:"([^"]+)"|([^;\s]+))', rest)
    if kind.strip().lower() != "multipart/form-data" or found is None:
        raise FormError("The upload is not a multipart form.")
    mark = re.escape(b"--" + (found[1] or found[2]).encode())
    pieces = re.split(rb"\r\n" + mark + rb"(--|[ \t]*\r\n)", b"\r\n" + body)
    # What the marks end with stands between the pieces; the last one closes.
    if len(pieces) < 3 or pieces[-2] != b"--" or b"--" in pieces[1:-2:2]:
        raise FormError("The multipart form is not complete.")
    return [_part(piece) for piece in pieces[2:-2:2]]


def _part(piece: bytes) -> Part:
    head, blank, data = piece.partition(b"\r\n\r\n")
    if not blank:
        raise FormError("A part of the form has no body.")
    headers = {}
    for line in head.decode("utf-8", "replace").split("\r\n"):
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    found = _NAME.search(headers.get("content-disposition", ""))
    if found is None:
        raise FormError("A part of the form has no name.")
    return Part(found[1] if found[1] is not None else found[2], headers, data)
