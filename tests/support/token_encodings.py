"""Forms in which a service may return a token, and a search that decodes them.

The search shares no code with the masking: it decodes all that can be decoded and
looks for the token itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import quote, unquote_to_bytes

ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda token: token,
    "in a sentence": lambda token: f"the token {token}, which you sent, is wrong",
    "with its scheme": lambda token: f"Bearer {token}",
    "upper case": str.upper,
    "json": lambda token: json.dumps(token)[1:-1].replace("/", r"\/"),
    "address": lambda token: quote(f"/{token}/", safe=""),
    "address, lower case": lambda token: quote(f"/{token}/", safe="").lower(),
}
"""From a token to a text that reveals it."""


def reveals(data: bytes, token: str) -> bool:
    """Return whether bytes hold a token, plain or in any of these forms."""
    wanted = token.encode().lower()
    unescaped = data.replace(b"\\/", b"/").replace(b'\\"', b'"')
    readings = (data, unescaped, unquote_to_bytes(unescaped))
    return any(wanted in each.lower() for each in readings)
