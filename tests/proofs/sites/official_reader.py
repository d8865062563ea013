"""Stories as `storyblok-js-client`, the official client, delivers them. Needs Node and
npm; the client is installed as its lock file pins it, into the user's cache folder."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import platformdirs

CLIENT = Path(__file__).parent / "official_client"
Stories = dict[str, dict]
"""By UUID."""


def delivered_stories(announced: dict, code: str) -> dict[tuple[str, str], Stories]:
    """Return the stories by version and language, as the official client reads them."""
    reads = [(v, c) for v in ("draft", "published") for c in sorted({"", code})]
    asked = [{"version": version, "language": c} for version, c in reads]
    answers = ask("read.mjs", announced, reads=asked)
    return {
        read: {story["uuid"]: story for story in stories}
        for read, stories in zip(reads, answers, strict=True)
    }


def ask(program: str, announced: dict, **asked: Any) -> Any:
    """Return what a program of the folder answers about the space of a sandbox."""
    base = announced["base_url"].removesuffix("/v1")
    headers = {"Authorization": announced["destination_token"]}
    space = httpx.get(
        f"{announced['base_url']}/spaces/{announced['space_id']}",
        headers=headers,
        trust_env=False,
    ).json()["space"]
    asked |= {"endpoint": f"{base}/v2", "token": space["first_token"]}
    return json.loads(run(program, input=json.dumps(asked)))


def run(program: str, *arguments: str, **given: Any) -> str:
    """Return what a program of the folder prints; end where it fails."""
    folder = installed(CLIENT)
    command = ["node", program, *arguments]
    ended = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True, **given
    )
    return ended.stdout


@cache
def installed(source: Path) -> Path:
    """Return a copy of a folder with its Node packages, installed first as it pins
    them."""
    lock = (source / "package-lock.json").read_bytes()
    kept = platformdirs.user_cache_path("cmsmig") / source.name
    folder = kept / hashlib.sha256(lock).hexdigest()[:16]
    shutil.copytree(source, folder, dirs_exist_ok=True)
    if not (folder / "node_modules" / ".package-lock.json").exists():
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder
