"""Whose site `raw/` holds, and whether the settings mean that one.

Another site's token next to an old `raw/` would put one client's content into
another client's space.
"""

from __future__ import annotations

import hashlib

from cmsmig.errors import ServiceError, SettingsError
from cmsmig.events import Noticed, Observer
from cmsmig.origin.cache import RawCache, parse_sites
from cmsmig.origin.client import OriginClient
from cmsmig.origin.schema import Site
from cmsmig.settings import Project, Settings
from cmsmig.steps.connect import open_origin


async def require_same_site(
    project: Project, settings: Settings, observer: Observer
) -> None:
    """Raise `SettingsError` if `raw/` holds another site than the settings mean.

    Asks the origin whose the token is, once for each token that `raw/` does not know
    yet; without a token only `site_id` counts. Writes what it learnt to `raw/`.
    """
    cache = RawCache(project.raw)
    if not settings.origin_token or is_known(cache, settings):
        return
    try:
        async with open_origin(settings, observer) as session:
            client = OriginClient(session, settings.origin_api_url)
            await learn_site(cache, settings, client, patient=False)
    except ServiceError as error:
        if cache.key():
            why = str(error).rstrip(".")
            raise SettingsError(
                f"{cache.folder} was read with another token, and the origin does not"
                f" say whose this one is ({why}); correct the origin's token, or take"
                " it out to go on with what was read."
            ) from error
        held = cache.name_of(cache.held_site() or "")
        observer(Noticed("raw", f"it is taken to be of the site {held}, since {error}"))


def is_known(cache: RawCache, settings: Settings) -> bool:
    """Return whether there is nothing to ask: no site is held, or its token is known.

    Raises `SettingsError` when `site_id` names another site, or the site of `raw/` is
    unknown.
    """
    if not cache.holds_collections():
        return True
    held = cache.held_site()
    cache.require_held(held, settings.site_id)
    if held is None:
        raise SettingsError(
            f"{cache.folder} does not say which site it holds; read it again with"
            " `cmsmig pull --refresh`."
        )
    return cache.key() == token_digest(settings)


async def learn_site(
    cache: RawCache, settings: Settings, client: OriginClient, *, patient: bool = True
) -> None:
    """Ask whose the token is; raises `SettingsError` when it is not the held site's.

    Unless `patient`, an origin that cannot be reached is asked once.
    """
    sites = parse_sites(await client.sites(patient=patient), "The origin's answer")
    held = cache.held_site() or ""
    if held in {site.site_id for site in sites}:
        cache.keep_held(held, token_digest(settings))
        return
    raise SettingsError(
        f"{cache.folder} holds the site {cache.name_of(held)}, but the origin's token"
        f" is for {_name_sites(sites)}; use another project folder for that, or read"
        " it into this one with `cmsmig pull --refresh`."
    )


def token_digest(settings: Settings) -> str:
    """Return a digest of the origin's token, too short to reveal anything of it."""
    token = settings.origin_token.get_secret_value()
    return hashlib.sha256(f"whose raw/ is {token}".encode()).hexdigest()[:16]


def _name_sites(sites: tuple[Site, ...]) -> str:
    named = [f"{site.display_name} ({site.site_id})" for site in sites]
    return ", ".join(named) or "no site"
