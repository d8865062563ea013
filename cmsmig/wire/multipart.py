"""A form body with its parts in the order given, the file last."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from cmsmig.valid_text import valid_text

_ESCAPES = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})
"""As browsers escape names, so that a hostile name cannot open another header."""


def form_body(
    fields: Sequence[tuple[str, str]], file_name: str, content_type: str, data: bytes
) -> tuple[bytes, str]:
    """Return the body and its content type.

    Spec: asset upload rules. A wrong order makes the upload seem to succeed.
    """
    boundary = _boundary(data)
    head = b"".join(_field(boundary, name, value) for name, value in fields)
    kind = content_type.translate(_ESCAPES) or "application/octet-stream"
    opening = (
        f"--{boundary}\r\n"
        'Content-Disposition: form-data; name="file";'
        f' filename="{file_name.translate(_ESCAPES)}"\r\n'
        f"Content-Type: {kind}\r\n\r\n"
    )
    closing = f"\r\n--{boundary}--\r\n"
    body = head + valid_text(opening).encode() + data + closing.encode()
    return body, f"multipart/form-data; boundary={boundary}"


def _field(boundary: str, name: str, value: str) -> bytes:
    return valid_text(
        f"--{boundary}\r\n"
        f'Content-Disposition: form-data; name="{name.translate(_ESCAPES)}"\r\n\r\n'
        f"{value}\r\n"
    ).encode()


def _boundary(data: bytes) -> str:
    while True:
        boundary = secrets.token_hex(16)
        if boundary.encode() not in data:
            return boundary
