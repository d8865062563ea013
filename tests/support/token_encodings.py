"""Encodings in which a service may return a token, and a search that decodes them.

The search shares no code with the masking: it decodes all that can be decoded and
looks for the token itself.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Callable, Iterator
from urllib.parse import quote, unquote_to_bytes

ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda token: token,
    "in a sentence": lambda token: f"the token {token}, which you sent, is wrong",
    "with its scheme": lambda token: f"Bearer {token}",
    "upper case": str.upper,
    "json, every character": lambda token: "".join(
        f"\\u{ord(each):04x}" for each in token
    ),
    "json, some characters": lambda token: "".join(
        f"\\u{ord(each):04X}" if number % 3 else each
        for number, each in enumerate(token)
    ),
    "json in json": lambda token: json.dumps(
        json.dumps("".join(f"\\u{ord(each):04x}" for each in token))
    ),
    "python": lambda token: "".join(f"\\x{ord(each):02x}" for each in token),
    "address": lambda token: "".join(f"%{ord(each):02X}" for each in token),
    "address, as browsers do": lambda token: quote(f"/{token}/", safe=""),
    "address twice": lambda token: quote(
        "".join(f"%{ord(each):02x}" for each in token), safe=""
    ),
    "html": lambda token: "".join(f"&#{ord(each)};" for each in token),
    "html, hexadecimal": lambda token: "".join(f"&#x{ord(each):X};" for each in token),
    "html in html": lambda token: html.escape(
        "".join(f"&#{ord(each)};" for each in token)
    ),
    "base64": lambda token: base64.b64encode(token.encode()).decode(),
    "base64, basic": lambda token: base64.b64encode(f"user:{token}".encode()).decode(),
    "base64, shifted": lambda token: base64.b64encode(f"ab{token}c".encode()).decode(),
    "base64 for addresses": lambda token: (
        base64.urlsafe_b64encode(f"?{token}?".encode()).decode().rstrip("=")
    ),
    "base64 in an address": lambda token: quote(
        base64.b64encode(token.encode()).decode(), safe=""
    ),
    "hexadecimal": lambda token: token.encode().hex(),
    "hexadecimal, upper case": lambda token: token.encode().hex().upper(),
}
"""From a token to a text that reveals it."""
_ROUNDS = 6
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{8,}")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){6,}")
_ESCAPED = re.compile(rb"\\+(?:u00|x)([0-9a-fA-F]{2})")


def reveals(data: bytes, token: str) -> bool:
    """Return whether bytes hold a token, plain or in any encoding."""
    wanted = token.encode().lower()
    return any(wanted in each.lower() for each in _readings(data, len(wanted)))


def _readings(data: bytes, shortest: int) -> Iterator[bytes]:
    for _ in range(_ROUNDS):
        yield data
        yield from _decoded(data, shortest)
        read = _unescaped(data)
        if read == data:
            return
        data = read


def _unescaped(data: bytes) -> bytes:
    data = _ESCAPED.sub(lambda match: bytes([int(match[1], 16)]), data)
    data = data.replace(b"\\/", b"/").replace(b'\\"', b'"')
    text = html.unescape(data.decode("latin-1"))
    return unquote_to_bytes(text.encode("latin-1", "replace"))


def _decoded(data: bytes, shortest: int) -> Iterator[bytes]:
    for run in _BASE64.findall(data):
        if len(run) < shortest * 4 // 3:
            continue
        plain = run.replace(b"-", b"+").replace(b"_", b"/")
        for start in range(4):
            part = plain[start : len(plain) - (len(plain) - start) % 4]
            yield base64.b64decode(part + b"==")
            rest = plain[start:] + b"AAA"
            yield base64.b64decode(rest[: len(rest) // 4 * 4])
    for run in _HEX.findall(data):
        if len(run) < shortest * 2:
            continue
        yield binascii.unhexlify(run)
        yield binascii.unhexlify(run[1:-1]) if len(run) > 3 else b""
