"""Plain httpx at work: the floor of what making so many calls takes.

usage: plain.py CALLS.json

CALLS.json: `headers`, `in_flight`, and `phases`, each a list of requests that are
made side by side: `method`, `url`, `body` (JSON), `keep` (the answer's id is kept
under this name and replaces `@name@` in a later url) and `file` (bytes that are
uploaded as the answer says).
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx

_KEPT = re.compile(r"@(\w+)@")


async def main(path: Path) -> None:
    """Make the calls; every answer has to be a success."""
    asked = json.loads(path.read_text(encoding="utf-8"))
    ids: dict[str, str] = {}
    limits = httpx.Limits(max_connections=asked["in_flight"])
    async with httpx.AsyncClient(limits=limits, timeout=60) as client:
        for phase in asked["phases"]:
            requests = iter(phase)
            await asyncio.gather(
                *(
                    work(client, asked["headers"], requests, ids)
                    for _ in range(asked["in_flight"])
                )
            )


async def work(
    client: httpx.AsyncClient,
    headers: dict[str, str],
    requests: Iterator[dict],
    ids: dict[str, str],
) -> None:
    """Make one call after the other, as long as there are any."""
    for request in requests:
        url = _KEPT.sub(lambda found: ids[found[1]], request["url"])
        answer = await client.request(
            request["method"], url, headers=headers, json=request.get("body")
        )
        answer.raise_for_status()
        document = (
            answer.json()
            if answer.headers.get("content-type", "").startswith("application/json")
            else {}
        )
        if "keep" in request:
            ids[request["keep"]] = str(document["story"]["id"])
        if "file" in request:
            stored = await client.post(
                document["post_url"],
                data=document["fields"],
                files={"file": ("file", b"x" * request["file"], "image/jpeg")},
            )
            stored.raise_for_status()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
