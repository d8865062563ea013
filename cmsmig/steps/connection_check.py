"""The connection check: tokens, scopes, plans, and what is in the space. No write."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from cmsmig.canonical import Json, JsonObject
from cmsmig.configuration.plans import ANSWER, Counted, space_limits
from cmsmig.configuration.regions import region_mismatch, region_of
from cmsmig.counting import counted
from cmsmig.destination.token_rights import SETTINGS, UNSCOPED_END, TokenRights
from cmsmig.destination.typed_records import Space
from cmsmig.events import Observer
from cmsmig.origin.client import OriginClient
from cmsmig.origin.schema import Site, parse_site
from cmsmig.settings import Settings
from cmsmig.steps.connect import open_destination, open_origin
from cmsmig.steps.token_check import (
    documented_scopes,
    ends_soon,
    missing_scopes,
    needed_by,
)

_LOOKED_AT = ("spaces:read", "components:read", "stories:read")

_NO_FILE_LIMIT = "no limit is published (an older page: 500 MB or 1 GB by plan)"
_NO_STORY_LIMIT = "no limit is published (an older page: 5 MB of JSON)"


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One line of the check."""

    what: str
    found: str
    ok: bool = True
    warning: bool = False
    """Whether to act on it later, though everything works now."""


async def check(
    settings: Settings, observer: Observer, *, publishes: bool
) -> tuple[CheckRow, ...]:
    """Ask both services who they are. Reads only.

    A scope that is needed only to publish is a warning unless the project
    `publishes`.

    Raises `CredentialsError`, `NotFoundError` or `UnreachableError` at the
    first that does not answer as it should.
    """
    return (
        *await _origin(settings, observer),
        *await _destination(settings, observer, publishes=publishes),
    )


def check_json(rows: tuple[CheckRow, ...]) -> JsonObject:
    """Return the document that `check --json` prints."""
    return {
        "ok": all(row.ok for row in rows),
        "rows": [asdict(row) for row in rows],
    }


async def _origin(settings: Settings, observer: Observer) -> tuple[CheckRow, ...]:
    async with open_origin(settings, observer) as session:
        client = OriginClient(session, settings.origin_api_url)
        sites = [
            parse_site(each, "sites")
            for each in _records(await client.sites(), "sites")
        ]
        chosen = [
            site for site in sites if settings.site_id in (None, "", site.site_id)
        ]
        rows = (
            _host("origin", settings.origin_api_url),
            CheckRow("origin token", "accepted"),
            *(
                CheckRow("origin site", f"{site.display_name} ({site.site_id})")
                for site in chosen
            ),
        )
        if len(chosen) != 1:
            which = _which_site(settings.site_id, sites)
            return (*rows, CheckRow("site_id", which, False))
        body = await client.collections(chosen[0].site_id)
        locales = ", ".join(each.tag for each in chosen[0].locales) or "one"
        return (
            *rows,
            CheckRow("origin collections", str(len(_records(body, "collections")))),
            CheckRow("origin locales", locales),
        )


async def _destination(
    settings: Settings, observer: Observer, *, publishes: bool
) -> tuple[CheckRow, ...]:
    host = _host("destination", settings.destination_base_url)
    mismatch = region_mismatch(settings.space_id, settings.destination_base_url)
    if mismatch:
        # Asking would only be answered by a 404 that explains nothing.
        return (host, CheckRow("region", mismatch, ok=False))
    async with open_destination(settings, observer) as client:
        rights = await client.token_rights()
        token = token_rows(
            rights, settings.space_id, datetime.now(UTC), publishes=publishes
        )
        can_look = all(map(rights.allows, _LOOKED_AT))
        if not (can_look and rights.reaches(settings.space_id)):
            return (host, *token)
        space = await client.space()
        components = await client.components()
        stories = await client.stories()
    region = region_of(settings.space_id) or "unknown"
    folders = sum(row.is_folder for row in stories)
    return (
        host,
        *token,
        CheckRow("space", f"{space.name} ({space.space_id})"),
        CheckRow("region", region),
        *limit_rows(settings, space),
        CheckRow(
            "already in the space",
            f"{len(components)} components, {len(stories) - folders} stories, "
            f"{folders} folders",
        ),
    )


def limit_rows(settings: Settings, space: Space) -> tuple[CheckRow, ...]:
    """Return what the space allows, as it answers or as its plan is published. Pure."""
    limits = space_limits(settings.destination_plan, space.plan, space.limits)
    level = f"level {space.plan_level}" if space.plan_level else ""
    answered = ", ".join(filter(None, (space.plan, level))) or "no plan"
    upload = space.upload_bytes
    return (
        CheckRow(
            "plan",
            f"{settings.destination_plan or 'not set'}; the space answers {answered}",
        ),
        CheckRow("write rate", f"{settings.destination_rate:g} a second"),
        CheckRow("stories allowed", str(limits[Counted.STORIES])),
        CheckRow("components allowed", str(limits[Counted.COMPONENTS])),
        CheckRow("folders allowed", str(limits[Counted.FOLDERS])),
        CheckRow("requests a month", str(limits[Counted.REQUESTS])),
        CheckRow(
            "largest file",
            f"{upload // 1024**2:,} MB ({ANSWER})" if upload else _NO_FILE_LIMIT,
        ),
        CheckRow("largest story", _NO_STORY_LIMIT),
    )


def token_rows(
    rights: TokenRights, space_id: str, now: datetime, *, publishes: bool
) -> tuple[CheckRow, ...]:
    """Return what the token may do, when it ends and what it lacks. Pure."""
    accepted = CheckRow("destination token", "accepted")
    if rights.unread:
        found = f"could not be read, since {rights.unread}; the check continues without"
        return (accepted, CheckRow("token scopes", found))
    spaces = ", ".join(sorted(rights.spaces)) or "all of its user"
    if not (covered := rights.reaches(space_id)):
        spaces += f"; not {space_id}: make a token that covers it in {SETTINGS}"
    return (
        accepted,
        CheckRow("token scopes", _scopes(rights), warning=rights.is_unscoped),
        CheckRow("token spaces", spaces, ok=covered),
        _expiry(rights, now),
        *(
            CheckRow(
                f"scope {each.scope}",
                f"missing; {needed_by(each.commands)}"
                + (" (only where stories are published)" * each.only_to_publish),
                ok=each.only_to_publish and not publishes,
                warning=each.only_to_publish and not publishes,
            )
            for each in missing_scopes(rights)
        ),
    )


def _scopes(rights: TokenRights) -> str:
    if rights.is_unscoped:
        return (
            f"none: a token without scopes stops working on {UNSCOPED_END}; make one "
            f"in {SETTINGS} with {', '.join(documented_scopes())}"
        )
    if rights.scopes is None:
        return "all rights of its user"
    return ", ".join(sorted(rights.scopes)) or "none"


def _expiry(rights: TokenRights, now: datetime) -> CheckRow:
    end = rights.expiry
    if end is None:
        return CheckRow("token expires", rights.expires_at or "never")
    found, soon = f"{end:%Y-%m-%d %H:%M %Z}", ends_soon(rights, now)
    if soon:
        left = max(end - now, timedelta())
        time = counted(left.days, "day")
        if left < timedelta(days=1):
            minutes = left // timedelta(minutes=1)
            time = f"{counted(minutes // 60, 'hour')} and "
            time += counted(minutes % 60, "minute")
        found += f", in {time}: make a new token in {SETTINGS}"
    return CheckRow("token expires", found, warning=soon)


def _host(service: str, address: str) -> CheckRow:
    """Return where the token of a service goes."""
    return CheckRow(f"{service} host", urlsplit(address).netloc)


def _which_site(site_id: str | None, sites: list[Site]) -> str:
    listed = ", ".join(f"{each.display_name} ({each.site_id})" for each in sites)
    if not sites:
        return "the token sees no site"
    if site_id:
        return f"{site_id} is none of the sites that the token sees, {listed}"
    return f"name one of the sites that the token sees, {listed}"


def _records(body: JsonObject, key: str) -> list[Json]:
    listed = body.get(key)
    return listed if isinstance(listed, list) else []
