"""Addresses that hold the bytes of a file themselves (`data:`), and their short form.

One of a photograph has millions of characters. Everything but the content itself
names it by its beginning and its hash.
"""

from __future__ import annotations

import re
from base64 import b64decode
from hashlib import sha256
from urllib.parse import unquote_to_bytes

from cmsmig.picture_types import picture_type

_BEGINNING = 32
_DIGITS = 32
_SHORT = _BEGINNING + 1 + _DIGITS
_IN_TEXT = re.compile(rf"data:[^\s\"'<>,]{{0,200}},[^\s\"'<>]{{{_BEGINNING},}}", re.I)
_FRAGMENT = re.compile(r"#[\w.-]+\Z")
_MOST_HEAD = 400
"""Characters before the comma, of a type with all its parameters."""


def is_data(address: str) -> bool:
    """Return whether an address holds the bytes themselves."""
    return address.lstrip()[:5].lower() == "data:"


def file_key(address: str) -> str:
    """Return what a file is known by: its address without a fragment, in short where
    it holds the bytes."""
    if is_data(address):
        return short_address(address.strip().removesuffix(data_fragment(address)))
    return address.partition("#")[0]


def short_address(address: str) -> str:
    """Return what a file is named by: any other address, and one that is short,
    unchanged."""
    if not is_data(address) or len(bare := address.strip()) <= _SHORT:
        return address
    digest = sha256(bare.encode("utf-8", "replace")).hexdigest()[:_DIGITS]
    return f"{bare[:_BEGINNING]}…{digest}"


def short_text(text: str) -> str:
    """Return a text with the short form of each such address in it."""
    if is_data(text):
        return short_address(text)
    return _IN_TEXT.sub(lambda found: short_address(found[0]), text)


def data_fragment(address: str) -> str:
    """Return the fragment with its `#`. One inside of an unescaped drawing, such as a
    colour, is none."""
    found = _FRAGMENT.search(address.strip())
    return found[0] if found else ""


def holds_picture(address: str) -> bool:
    """Return whether the bytes that an address holds begin as those of a picture."""
    try:
        return bool(picture_type(data_bytes(address)))
    except ValueError:
        return False


def data_bytes(address: str) -> bytes:
    """Return the bytes of an address; raises `ValueError` where it holds none.

    Source: RFC 2397, and the forgiving base64 of the URL standard.
    """
    bare = address.strip()
    head, comma, body = bare.removesuffix(data_fragment(bare)).partition(",")
    if not comma or len(head) > _MOST_HEAD:
        raise ValueError("no comma")
    if not head.lower().rstrip().endswith("base64"):
        # Text that was never escaped is in there as it is.
        return unquote_to_bytes(body)
    letters = b"".join(unquote_to_bytes(body).split()).rstrip(b"=")
    letters = letters.translate(bytes.maketrans(b"-_", b"+/"))
    return b64decode(letters + b"=" * (-len(letters) % 4), validate=True)
