"""The address of a public site, and which addresses are its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from cmsmig.configuration.token_hosts import is_loopback
from cmsmig.errors import UsageError
from cmsmig.origin.schema import Site
from cmsmig.settings import Settings
from cmsmig.steps.baseline.page_table import absolute

_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_BARE = "/%:@!$&'()*+,;=~-._?"
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class SiteAddress:
    """One site as visitors reach it."""

    base: str
    """Scheme, host and port, without a slash at the end."""
    hosts: frozenset[str]
    """Its own, in lower case, with a port where it is not the usual one."""
    named: str = ""
    """The host that a person named or that is this machine: it may be private."""
    coming: frozenset[str] = frozenset()
    """Hosts that the site gets at the switch; they are asked for at `base`."""

    def owns(self, url: str) -> bool:
        """Return whether an absolute address is on one of the site's own hosts."""
        return host_of(url) in self.hosts | self.coming

    def asked(self, url: str) -> str:
        """Return where an address is asked for."""
        return self.page(url) if host_of(url) in self.coming else url

    def page(self, address: str) -> str:
        """Return a path or an own address at `base`; empty for one of another site."""
        url = absolute(f"{self.base}/", address)
        if not self.owns(url):
            return ""
        parts = urlsplit(url)
        path = quote(f"{parts.path or '/'}", safe=_BARE)
        path = _ESCAPE.sub(lambda found: found[0].upper(), path)
        return f"{self.base}{path}" + (f"?{parts.query}" if parts.query else "")


def host_of(url: str) -> str:
    """Return the host of an address in ASCII and lower case, with a port where it is
    not the usual one; empty when there is none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    host = (parts.hostname or "").rstrip(".")
    with suppress(UnicodeError):
        host = host.encode("idna").decode()
    host = f"[{host}]" if ":" in host else host
    usual = port is None or port == _PORTS.get(parts.scheme)
    return host if usual else f"{host}:{port}"


def named_site(
    url: str, others: Iterable[str] = (), coming: Iterable[str] = ()
) -> SiteAddress:
    """Return the site at an address that a person gave; `others` are hosts of it, too,
    and `coming` those that it gets at the switch.

    Raises `UsageError` for what is no address of a site.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    host = host_of(url)
    if parts.scheme not in _PORTS or not host or parts.username or parts.query:
        raise UsageError(
            f"{url} is no address of a site; write it as https://www.example.com."
        )
    hosts, later = _with_www((host, *others)), _with_www(coming)
    return SiteAddress(f"{parts.scheme}://{host}", hosts, host, later - hosts)


def old_site(site: Site, settings: Settings, given: str) -> SiteAddress:
    """Return the site whose pages visitors open before the switch.

    `given` wins. In a rehearsal the sandbox's origin serves the pages. Else it is the
    site's first domain. Raises `UsageError` when the site has none.
    """
    if given:
        return named_site(given, site.domains)
    if is_loopback(urlsplit(settings.origin_api_url).hostname or ""):
        return named_site(settings.origin_api_url, site.domains)
    if not site.domains:
        raise UsageError(
            f"The site {site.display_name} has no domain; name its address with"
            " --site https://www.example.com."
        )
    return SiteAddress(f"https://{site.domains[0]}", _with_www(site.domains))


def _with_www(hosts: Iterable[str]) -> frozenset[str]:
    bare = [host_of(f"//{each}").removeprefix("www.") for each in hosts]
    return frozenset([*bare, *(f"www.{each}" for each in bare)])
