"""What the sandbox's token may not do: all but reading sites and collections."""

from __future__ import annotations

import re

SCOPES = "sites:read cms:read"
"""The scopes of the token. Spec: the origin, credentials."""
_SITE = r"/v2/sites/[^/]+"
_READS = (
    (rf"{_SITE}/pages|/v2/pages/.+", "pages:read"),
    (rf"{_SITE}/(assets|asset_folders)|/v2/(assets|asset_folders)/.+", "assets:read"),
    (rf"{_SITE}/forms|/v2/(forms|form_submissions)/.+", "forms:read"),
    (rf"{_SITE}/components.*", "components:read"),
    (rf"{_SITE}/(custom_code|registered_scripts).*", "custom_code:read"),
    (rf"{_SITE}/comments.*", "comments:read"),
    (rf"{_SITE}/(products|orders|ecommerce)(/.*)?", "ecommerce:read"),
    (r"/v2/token/authorized_by", "authorized_user:read"),
)
_WRITES = (
    (rf"/v2/collections/.+|{_SITE}/collections", "cms:write"),
    (rf"{_SITE}(/.*)?", "sites:write"),
)


def missing_scope(method: str, path: str) -> str:
    """Return the scope that a call would need and the token has not, else ""."""
    known = _READS if method in {"GET", "HEAD"} else _WRITES
    wanted = path.rstrip("/")
    found = (scope for pattern, scope in known if re.fullmatch(pattern, wanted))
    return next(found, "")


def for_enterprise(path: str) -> bool:
    """Return whether a path is answered to sites of the highest plan alone."""
    return re.fullmatch(rf"{_SITE}/redirects(/.*)?", path.rstrip("/")) is not None
