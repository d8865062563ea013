"""Whose site `raw/` holds: another site's token finds nothing in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from cmsmig.errors import SettingsError
from cmsmig.origin.cache import RawCache
from cmsmig.origin.client import OriginClient
from cmsmig.sandbox.server import environment_file_text
from cmsmig.steps.pull.pull import pull
from cmsmig.steps.pull.raw_site import learn_site, token_digest
from tests.support.rehearsal import Rehearsal, write_env
from tests.support.steps.pull_origin import (
    FakeOrigin,
    item,
    no_files,
    project,
    session,
    settings,
    tree,
)
from tests.support.token_encodings import reveals

OLD = ".pages/site.json"


async def pulled(folder: Path, origin: FakeOrigin, **more: Any) -> None:
    """Pull into a project."""
    refresh = more.pop("refresh", False)
    configured = settings(folder, **more)
    async with session(origin) as api, session(no_files, "files") as files:
        await pull(
            configured, project(folder), origin=api, files=files, refresh=refresh
        )


def site(*site_ids: str) -> FakeOrigin:
    """Return an origin whose token sees these sites."""
    return FakeOrigin(staged={"posts": [item(1)]}, site_ids=site_ids)


def asked(origin: FakeOrigin) -> list[str]:
    """Return the paths that were asked for."""
    return [request.url.path for request in origin.requests]


async def test_another_sites_token_is_refused(tmp_path: Path) -> None:
    """It is said which site is here, which the token is for, and what to do."""
    await pulled(tmp_path, site("site-1"))
    before = tree(project(tmp_path).root)
    other = site("site-2")
    with pytest.raises(SettingsError) as caught:
        await pulled(tmp_path, other, origin_token=SecretStr("another-token-7f3a"))
    assert asked(other) == ["/v2/sites"]
    said = str(caught.value)
    assert "SITE-1 (site-1)" in said
    assert "SITE-2 (site-2)" in said
    assert "another project folder" in said
    assert "cmsmig pull --refresh" in said
    assert tree(project(tmp_path).root) == before


async def test_another_token_of_the_same_site_is_asked_once(tmp_path: Path) -> None:
    """A pull with a renewed token continues; it is known and masked from then on."""
    await pulled(tmp_path, site("site-1"))
    renewed = {"origin_token": SecretStr("renewed-token-91be")}
    origin = site("site-0", "site-1")
    await pulled(tmp_path, origin, **renewed)
    assert asked(origin) == ["/v2/sites"]
    origin.requests.clear()
    await pulled(tmp_path, origin, **renewed)
    assert asked(origin) == []
    kept = tree(project(tmp_path).root).values()
    assert not any(reveals(each, "renewed-token-91be") for each in kept)


async def test_a_continued_pull_asks_no_site_again(tmp_path: Path) -> None:
    """One that ended before it knew the collections; another token is asked about."""
    cache = RawCache(project(tmp_path).raw)
    sites = {"sites": [{"id": "site-1", "displayName": "SITE-1"}]}
    cache.keep_sites(sites, token_digest(settings(tmp_path)))
    origin = site("site-1")
    await pulled(tmp_path, origin)
    assert "/v2/sites" not in asked(origin)
    assert cache.held_site() == "site-1"


async def test_sites_of_another_token_are_asked_for_again(tmp_path: Path) -> None:
    """As long as nothing else of a site is held, the folder is anybody's."""
    cache = RawCache(project(tmp_path).raw)
    sites = {"sites": [{"id": "site-1", "displayName": "SITE-1"}]}
    cache.keep_sites(sites, token_digest(settings(tmp_path)))
    other = site("site-2")
    await pulled(tmp_path, other, origin_token=SecretStr("another-token-7f3a"))
    assert asked(other)[0] == "/v2/sites"
    assert cache.held_site() == "site-2"


async def test_a_refresh_takes_the_other_site(tmp_path: Path) -> None:
    """What the sentence advises works, and then the folder is the other site's."""
    await pulled(tmp_path, site("site-1"))
    other = {"origin_token": SecretStr("another-token-7f3a")}
    await pulled(tmp_path, site("site-2"), refresh=True, **other)
    assert RawCache(project(tmp_path).raw).held_site() == "site-2"
    with pytest.raises(SettingsError, match="site-2"):
        await pulled(tmp_path, site("site-1"))


async def test_a_cache_without_its_record_tells_by_its_only_site(
    tmp_path: Path,
) -> None:
    """A copy of `raw/` may lack the hidden folder."""
    await pulled(tmp_path, site("site-1"))
    raw = project(tmp_path).raw
    (raw / OLD).unlink()
    assert RawCache(raw).held_site() == "site-1"
    with pytest.raises(SettingsError, match=r"holds the site SITE-1 \(site-1\)"):
        await pulled(tmp_path, site("site-2"))
    await pulled(tmp_path, site("site-1"))
    with pytest.raises(SettingsError, match="site_id names site-0"):
        await pulled(tmp_path, site("site-0"), site_id="site-0")


async def test_a_cache_that_tells_nothing_is_refused(tmp_path: Path) -> None:
    """Several sites, no word and no locale: it may be anybody's."""
    await pulled(tmp_path, site("site-1", "site-2"), site_id="site-1")
    (project(tmp_path).raw / OLD).unlink()
    with pytest.raises(SettingsError, match="does not say which site"):
        await pulled(tmp_path, site("site-1", "site-2"), site_id="site-1")
    with pytest.raises(SettingsError, match="does not say which site"):
        await pulled(tmp_path, site("site-2"))


@pytest.mark.parametrize("command", ["pull", "plan", "import", "verify", "rebuild"])
def test_no_command_uses_another_sites_answers(
    rehearse: Callable[..., Rehearsal], command: str
) -> None:
    """With another site's token in `.env`, no plan is made of an old `raw/`."""
    first, second = rehearse().decided(), rehearse()
    shutil.rmtree(second.folder / "raw", ignore_errors=True)
    for name in ("raw", "files", "decisions"):
        shutil.copytree(first.folder / name, second.folder / name)
    raw = second.folder / "raw"
    listed = (raw / "sites.json").read_text()
    held = RawCache(raw).held_site()
    assert held is not None
    (raw / "sites.json").write_text(listed.replace(held, "f" * 24))
    (raw / OLD).unlink()
    before = tree(second.folder)
    ended = second.run(command)
    assert ended.code == 2
    assert f"({'f' * 24})" in ended.err
    assert f"({held})" in ended.err
    assert "cmsmig pull --refresh" in ended.err
    # The lock is there when a run is over, and holds nothing; what is derived of
    # `raw/` may be there, and does not count.
    after = {
        name: each
        for name, each in tree(second.folder).items()
        if not name.startswith("derived.")
    }
    assert after | {"ledger.lock": b""} == before | {"ledger.lock": b""}


def test_a_known_token_costs_no_call(rehearse: Callable[..., Rehearsal]) -> None:
    """Once the pull knows it, plan and import ask the origin nothing."""
    made = rehearse().decided()
    asked = [entry for entry in made.handle.state.recorder.entries if _of_origin(entry)]
    made.done("plan")
    made.done("import")
    after = [entry for entry in made.handle.state.recorder.entries if _of_origin(entry)]
    assert len(after) == len(asked)


def test_an_origin_that_is_gone_stops_no_import_of_an_old_cache(
    rehearse: Callable[..., Rehearsal],
) -> None:
    """Whose a cache from before is cannot be asked then; it is said, once known not."""
    made = rehearse().decided()
    served = dict(made.handle.announcement) | {"origin_api_url": "http://127.0.0.1:9"}
    write_env(made.folder, environment_file_text(served, 500))
    (made.folder / "raw" / OLD).unlink()
    said = made.done("plan").err
    assert "taken to be of the site" in said
    assert " again in " not in said, "it is asked once"
    served["origin_token"] = "some-other-token-5521"
    write_env(made.folder, environment_file_text(served, 500))
    RawCache(made.folder / "raw").keep_held(
        RawCache(made.folder / "raw").held_site() or "", "0" * 16
    )
    ended = made.run("plan")
    assert ended.code == 2
    assert "read with another token" in ended.err


async def test_an_origin_that_stumbles_is_asked_again(tmp_path: Path) -> None:
    """One bad answer does not decide whose site it is."""
    await pulled(tmp_path, site("site-1"))
    raw = RawCache(project(tmp_path).raw)
    raw.keep_held("site-1", "0" * 16)
    origin = site("site-1")
    failures = iter([503])

    def stumbling(request: httpx.Request) -> httpx.Response:
        status = next(failures, None)
        return httpx.Response(status) if status else origin(request)

    async with session(stumbling) as api:
        configured = settings(tmp_path)
        client = OriginClient(api, configured.origin_api_url)
        await learn_site(raw, configured, client, patient=False)
    assert raw.key() == token_digest(configured)


def _of_origin(entry: Any) -> bool:
    return "/v2/sites" in entry.path or "/v2/collections" in entry.path
