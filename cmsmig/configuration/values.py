"""Types of single settings: what was written in, what is meant out.

A value that does not fit is refused with the description of its setting, which says
what to write, or with the words of a `ValueError` where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PureWindowsPath
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    SecretStr,
    StringConstraints,
    ValidationInfo,
)

from cmsmig.configuration.plans import plan_name
from cmsmig.configuration.token_hosts import is_loopback
from cmsmig.valid_text import is_valid

_VERSION = re.compile(r"v\d+")
_PLAIN_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
_ADDRESS = "write an https address, such as https://api.example.com"


def address(value: str) -> str:
    """Return an address that a token or a key may be sent to.

    Raises `ValueError` for anything but https, and http on this machine.
    """
    try:
        parts = urlsplit(value)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError(_ADDRESS) from None
    if parts.scheme not in ("http", "https") or not is_valid(value):
        raise ValueError(_ADDRESS)
    if "@" in parts.netloc or parts.fragment or not value.isprintable() or " " in value:
        raise ValueError(f"{_ADDRESS}, without user and fragment")
    if not _PLAIN_HOST.fullmatch(host):
        raise ValueError(f"{_ADDRESS}, its host in letters, digits, dots and hyphens")
    if parts.scheme == "http" and not is_loopback(host):
        raise ValueError(f"a token would travel in the clear, {_ADDRESS}")
    return value


def base_address(version: str, *, keep: bool) -> AfterValidator:
    """Return the reading of a service's base address.

    Takes it with or without its version segment and a trailing slash; gives it
    with the segment if `keep`, never with the slash.
    """

    def read(value: str) -> str:
        parts = urlsplit(address(value))
        if parts.query:
            raise ValueError(f"{_ADDRESS}, without a query")
        path = [each for each in parts.path.strip("/").split("/") if each]
        if path and _VERSION.fullmatch(path[-1]) and path.pop() != version:
            raise ValueError(f"only version {version} of this service can be used")
        path = [*path, version] if keep else path
        return "/".join([f"{parts.scheme}://{parts.netloc}", *path])

    return AfterValidator(read)


def plan_of(known: Iterable[str]) -> AfterValidator:
    """Return the reading of a plan's name, in any spelling of it."""
    names = tuple(known)

    def read(value: str) -> str:
        name = plan_name(value)
        if name not in names:
            raise ValueError(f"the plans are {', '.join(names)}")
        return name

    return AfterValidator(read)


def _usable(secret: SecretStr) -> SecretStr:
    token = secret.get_secret_value()
    if not (token.isascii() and token.isprintable()):
        raise ValueError("it holds characters that no token has, copy it again")
    return secret


def _without_scheme(secret: SecretStr) -> SecretStr:
    # The origin knows one scheme only, so a pasted header value means the same.
    scheme, _, rest = secret.get_secret_value().partition(" ")
    return SecretStr(rest.strip()) if scheme.lower() == "bearer" else secret


def _without_sign(number: str) -> str:
    return number.removeprefix("#")


def _below_context(path: Path, info: ValidationInfo[Path | None]) -> Path:
    return (info.context or Path()) / path.expanduser()


def _rules_file(name: str) -> str:
    absolute = PureWindowsPath(name).drive or name.startswith(("/", "\\", "~"))
    if absolute or ".." in PureWindowsPath(name).parts:
        raise ValueError("name a file in the project folder, such as rules.py")
    if not name.endswith(".py"):
        raise ValueError("name a Python file, such as rules.py")
    return name


def _split_at_commas(value: object) -> object:
    return value.split(",") if isinstance(value, str) else value


def _switch_in_words(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


Token = Annotated[SecretStr, AfterValidator(_usable)]
OriginToken = Annotated[Token, AfterValidator(_without_scheme)]
RulesFile = Annotated[str, AfterValidator(_rules_file)]
"""A Python file, by its path below the project folder."""
Host = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True, to_lower=True, pattern=r"^[A-Za-z0-9._:-]+$"
    ),
]
Hosts = Annotated[tuple[Host, ...], BeforeValidator(_split_at_commas)]
"""A list of bare hosts, or a text with commas."""
SpaceId = Annotated[
    str, StringConstraints(pattern=r"^#?[0-9]{1,20}$"), AfterValidator(_without_sign)
]
"""With or without the # that the service shows before it."""
Folder = Annotated[Path, AfterValidator(_below_context)]
"""A path; a relative one is below the folder that is the context."""
Texts = dict[str, Annotated[str, BeforeValidator(_switch_in_words)]]
