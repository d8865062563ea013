"""Tell the engine what `fleet.toml` says; running it again brings it up to date.

usage: python register.py [fleet.toml]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

from flows import migrate_all, migrate_site
from prefect import get_client
from prefect.flows import Flow
from sites import Site, read_sites

POOL = "cmsmig"
HERE = Path(__file__).resolve().parent


def main() -> None:
    """Set one limit per space, and register one deployment per site and the table's."""
    path = Path(sys.argv[1] if sys.argv[1:] else HERE / "fleet.toml")
    sites = read_sites(path)
    with get_client(sync_client=True) as client:
        for limit in sorted({site.limit for site in sites}):
            client.upsert_global_concurrency_limit_by_name(limit, 1)
    for site in sites:
        _stored(migrate_site, "migrate_site").deploy(
            name=site.name,
            work_pool_name=POOL,
            parameters=_parameters(site),
            cron=site.cron,
            print_next_steps=False,
        )
    names = [site.name for site in sites]
    _stored(migrate_all, "migrate_all").deploy(
        name="all-sites",
        work_pool_name=POOL,
        parameters={"names": names},
        print_next_steps=False,
    )
    print(f"{len(sites)} sites, {len({site.space for site in sites})} spaces")


def _stored(flow: Flow[Any, Any], name: str) -> Flow[Any, Any]:
    """Return a flow that workers load from this folder."""
    stored = flow.from_source(source=str(HERE), entrypoint=f"flows.py:{name}")
    return cast("Flow[Any, Any]", stored)


def _parameters(site: Site) -> dict[str, object]:
    return {
        "name": site.name,
        "project": site.project,
        "space": site.space,
        "limit": site.limit,
        "command": list(site.command),
        "target": site.target,
    }


if __name__ == "__main__":
    main()
