"""Does once what the HTTP library repeats for each client or request."""

from __future__ import annotations

import os
import ssl
import sys
from functools import cache
from importlib.util import find_spec

import httpx

if find_spec("sniffio") is None:
    # httpcore looks for this library at every request, in every folder of the path:
    # that it is not installed is found out once.
    sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]


def certificates() -> ssl.SSLContext:
    """Return the certificates that services are checked by; reading them is slow."""
    return _read(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _read(*named: str | None) -> ssl.SSLContext:
    return httpx.create_ssl_context()
