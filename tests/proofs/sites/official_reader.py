"""Stories as `storyblok-js-client`, the official client, delivers them. Needs Node and
npm; the client is installed as its lock file pins it, into the user's cache folder."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

import httpx
import platformdirs

CLIENT = Path(__file__).parent / "official_client"
Stories = dict[str, dict]
"""By UUID."""


def delivered_stories(announced: dict, code: str) -> dict[tuple[str, str], Stories]:
    """Return the stories by version and language, as the official client reads them."""
    base = announced["base_url"].removesuffix("/v1")
    headers = {"Authorization": announced["destination_token"]}
    space = httpx.get(
        f"{announced['base_url']}/spaces/{announced['space_id']}",
        headers=headers,
        trust_env=False,
    ).json()["space"]
    reads = [(v, c) for v in ("draft", "published") for c in sorted({"", code})]
    asked = {
        "endpoint": f"{base}/v2",
        "token": space["first_token"],
        "reads": [{"version": v, "language": c} for v, c in reads],
    }
    ended = subprocess.run(
        ["node", str(client_folder() / "read.mjs")],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = json.loads(ended.stdout)
    return {
        read: {story["uuid"]: story for story in stories}
        for read, stories in zip(reads, answers, strict=True)
    }


@cache
def client_folder() -> Path:
    """Return the folder with the official client, installed first as it is pinned."""
    lock = (CLIENT / "package-lock.json").read_bytes()
    kept = platformdirs.user_cache_path("cmsmig") / "official-client"
    folder = kept / hashlib.sha256(lock).hexdigest()[:16]
    shutil.copytree(CLIENT, folder, dirs_exist_ok=True)
    if not (folder / "node_modules" / "storyblok-js-client").exists():
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder
