"""Where an item's page is on the old site, for a person to open it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from functools import partial
from typing import Protocol
from urllib.parse import quote

from markupsafe import Markup

from cmsmig.item_key import ItemKey
from cmsmig.mapping.select.routes import OldPaths
from cmsmig.origin.schema import Collection, Site
from cmsmig.steps.decide.pulled_origin import Origin
from cmsmig.ui.html.html_templates import fragment

_made = partial(fragment, "survey/page_addresses.html")


class HasPage(Protocol):
    """What may have a page: an item, or what a list knows of it."""

    @property
    def key(self) -> ItemKey:
        """Return what identifies it."""

    @property
    def slug(self) -> str:
        """Return the last part of its address; may be empty."""


@dataclass(frozen=True, slots=True)
class OldPages:
    """The old addresses of a site's items. Reads only."""

    domain: str
    """The first domain of the site, or empty."""
    paths: OldPaths
    tags: Mapping[str, str]
    """Of locales, by id."""
    live: Set[ItemKey]

    @classmethod
    def of(cls, origin: Origin) -> OldPages:
        """Return the addresses of what was pulled."""
        live = {item.key for items in origin.live.values() for item in items}
        return cls.of_site(origin.site, origin.collections, live)

    @classmethod
    def of_site(
        cls, site: Site, collections: Iterable[Collection], live: Set[ItemKey]
    ) -> OldPages:
        """Return the addresses of a site of which these items are live."""
        return cls(
            domain=site.domains[0] if site.domains else "",
            paths=OldPaths.of(site, collections),
            tags={each.locale_id: each.tag for each in site.locales},
            live=live,
        )

    def path(self, item: HasPage) -> str:
        """Return the path of an item's page, whether or not it is live."""
        return self.paths.path(item.key, item.slug or item.key.item_id)

    def link(self, item: HasPage) -> Markup:
        """Return the path as a link to the page where visitors see one."""
        path = self.path(item)
        if not self.domain or item.key not in self.live:
            return _made("not_live", path=path)
        return _made("link", domain=self.domain, quoted=quote(path), path=path)
