"""Where the services live, and which region a space belongs to."""

from __future__ import annotations

from urllib.parse import urlsplit

ORIGIN_API_URL = "https://api.webflow.com"
ORIGIN_HOSTS = frozenset(("api.webflow.com", "api-cdn.webflow.com"))
ORIGIN_VERSION = "v2"
DESTINATION_VERSION = "v1"

REGION_BASES = {
    "eu": "https://mapi.storyblok.com/v1",
    "us": "https://api-us.storyblok.com/v1",
    "ca": "https://api-ca.storyblok.com/v1",
    "ap": "https://api-ap.storyblok.com/v1",
    "cn": "https://app.storyblokchina.cn/v1",
}
"""Management API bases. Source: the service's region list."""

_REGION_CODES = {0: "eu", 1: "eu", 2: "us", 3: "ca", 4: "ap", 6: "cn"}
_OLD_RANGES = ("eu", "us", "ca", "ap")
"""By millions: space ids given out before the ids named their region."""
_FIRST_CODED_ID = 1 << 48


def region_of(space_id: str) -> str:
    """Return the region a space id belongs to, or empty when it names none.

    Newer ids carry the region in bits 48 to 52; older ones are in ranges of a
    million each. An old id of the Chinese service reads as `eu`, since the two
    ranges overlap.
    """
    if not (space_id.isascii() and space_id.isdigit()):
        return ""
    number = int(space_id)
    if number >= _FIRST_CODED_ID:
        return _REGION_CODES.get((number >> 48) & 0b11111, "")
    millions = number // 1_000_000
    return _OLD_RANGES[millions] if millions < len(_OLD_RANGES) else ""


def base_of(space_id: str) -> str:
    """Return the management base of a space's region; Europe's when unknown."""
    return REGION_BASES[region_of(space_id) or "eu"]


def delivery_base(base_url: str) -> str:
    """Return the address of the delivery side that belongs to a management base.

    Source: the service's region list; another host serves both.
    """
    address = base_url.rstrip("/").removesuffix(f"/{DESTINATION_VERSION}")
    address = address.replace("//mapi.storyblok.com", "//api.storyblok.com", 1)
    return f"{address}/v2/cdn"


def region_mismatch(space_id: str, base_url: str) -> str:
    """Return one sentence if the space cannot be behind this base, else nothing.

    Says nothing about a base of no known region, such as a sandbox.
    """
    region = region_of(space_id)
    host = _host(base_url)
    served = [name for name, base in REGION_BASES.items() if _host(base) == host]
    if not region or not served or region in served:
        return ""
    if served == ["cn"] and int(space_id) < _FIRST_CODED_ID:
        return ""
    return (
        f"Space {space_id} belongs to the region {region}, but {base_url} serves "
        f"{served[0]}: set the destination's base URL to {REGION_BASES[region]}."
    )


def _host(base_url: str) -> str | None:
    return urlsplit(base_url).hostname
