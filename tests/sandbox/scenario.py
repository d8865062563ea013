"""Plays the steps of a case against a sandbox of its own, without a network.

A step makes a request and says what has to follow. `ask` is its method and path: below
the space, or a whole path of either service. Shorthands: `component`, `folder`, `story`
and `sign` are the record to make; `save` is the fields of a story of the content type
`everything`; `upload` is a signing that was kept. Further parts of a request: `send`
(JSON), `body` (text), `query`, `headers`, `as` (a token of the sandbox, or what the
header holds). What has to follow: `status` (a success, where it is not given), `answer`
(a part of it, see `part`), `whole` (all of it), `text`, `header`, `column` (of all
rows, at a path such as `stories.slug`) and `noted` (the violations since the last step
that names them). `keep` names the answer: `<one.id>` is a part of it.

Steps without a request: `clock` (seconds), `readings` of `Unknowns`, `credential`.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from cmsmig.sandbox.options import SandboxOptions
from tests.support.cases import part
from tests.support.sandbox.observed import ObservedSandbox, build_observed

ORIGIN, DESTINATION = "http://127.0.0.1:1", "http://127.0.0.1:2"
AT_DESTINATION = ("/v1", "/v2/cdn", "/upload", "/a/", "/_sandbox")
REQUESTS = ("ask", "component", "folder", "story", "save", "sign", "upload")
NAME = re.compile(r"<([\w.]+)>")


class Clock:
    """A clock that only a step moves."""

    def __init__(self) -> None:
        self.now = 1_790_000_000.25

    def __call__(self) -> float:
        return self.now


@dataclass
class Scenario:
    """One sandbox, its clock, and what was kept of its answers."""

    sandbox: ObservedSandbox
    clock: Clock
    client: httpx.AsyncClient
    kept: dict[str, Any] = field(default_factory=dict)
    noted: int = 0

    @classmethod
    def of(cls, content: Path, choices: dict[str, Any]) -> Scenario:
        clock = Clock()
        rates = {"rate": 10_000, "origin_rate": 10_000, "languages": ("fr", "pt-br")}
        chosen = {"content": content, "clock": clock, **rates, **choices}
        chosen["plugins"] = frozenset(choices.get("plugins", ()))
        sandbox = build_observed(SandboxOptions(**chosen), content, ORIGIN, DESTINATION)
        applications = {ORIGIN: sandbox.origin, DESTINATION: sandbox.destination}
        mounts = {at: httpx.ASGITransport(app) for at, app in applications.items()}
        scenario = cls(sandbox, clock, httpx.AsyncClient(mounts=mounts))
        space = sandbox.space
        scenario.kept |= {"preview": space.preview_token, "public": space.public_token}
        scenario.kept |= asdict(sandbox.tokens)
        return scenario

    async def play(self, steps: list[dict[str, Any]]) -> None:
        for number, step in enumerate(steps, start=1):
            await self._step(self._filled(step), f"step {number}: {step}")

    async def _step(self, step: dict[str, Any], where: str) -> None:
        self.clock.now += step.get("clock", 0)
        space, credential = self.sandbox.space, self.sandbox.credential
        space.unknowns = replace(space.unknowns, **step.get("readings", {}))
        for name, value in step.get("credential", {}).items():
            setattr(
                credential, name, tuple(value) if isinstance(value, list) else value
            )
        if any(name in step for name in REQUESTS):
            self._check(step, await self._reply(step), where)
        if "noted" in step:
            found = [each.kind for each in self.sandbox.recorder.violations]
            assert found[self.noted :] == step["noted"], where
            self.noted = len(found)

    def _check(self, step: dict[str, Any], reply: httpx.Response, where: str) -> None:
        said = f"{where}\n{reply.status_code} {reply.text[:1000]}"
        wanted = step.get("status", reply.status_code if reply.is_success else 200)
        assert reply.status_code == wanted, said
        answer = reply.json() if "json" in reply.headers.get("content-type", "") else {}
        header = {name: reply.headers.get(name) for name in step.get("header", {})}
        given = {"text": reply.text, "header": header, "answer": answer}
        for key, value in given.items():
            assert part(value, step.get(key, value)) == step.get(key, value), said
        assert answer == step.get("whole", answer), said
        for path, values in step.get("column", {}).items():
            rows, _, key = path.partition(".")
            assert [_at(row, key) for row in answer[rows]] == values, said
        if "keep" in step:
            whole = isinstance(answer, dict) and len(answer) == 1
            self.kept[step["keep"]] = next(iter(answer.values())) if whole else answer

    async def _reply(self, step: dict[str, Any]) -> httpx.Response:
        if "upload" in step:
            return await self._upload(step)
        method, _, path = _request(step).partition(" ")
        address, token = self._address(path)
        named = step.get("as", token)
        headers = {"Authorization": self.kept.get(named, named)}
        sent = (
            {"json": _sent(step)} if "body" not in step else {"content": step["body"]}
        )
        return await self.client.request(
            method,
            address,
            params=step.get("query"),
            headers={k: v for k, v in headers.items() if v} | step.get("headers", {}),
            follow_redirects=step.get("follow", False),
            **{key: value for key, value in sent.items() if value is not None},
        )

    def _address(self, path: str) -> tuple[str, str]:
        """Return the whole address of a path, and the token that it usually needs."""
        if path.startswith("http"):
            return path, ""
        if path.startswith(AT_DESTINATION):
            return DESTINATION + path, "user" if path.startswith("/v1") else ""
        if path.startswith(("/v2", "/files", "/elsewhere")):
            return ORIGIN + path, f"Bearer {self.sandbox.tokens.origin}"
        space = f"{DESTINATION}/v1/spaces/{self.sandbox.space.space_id}"
        return space + path, "user"

    async def _upload(self, step: dict[str, Any]) -> httpx.Response:
        signed = step["upload"]
        parts = [*{**signed["fields"], **step.get("altered", {})}.items(), ("file", "")]
        for first, second in step.get("swapped", []):
            parts[first], parts[second] = parts[second], parts[first]
        left = [each for at, each in enumerate(parts) if at != step.get("without")]
        kind, data = signed["fields"]["Content-Type"], step.get("data", "bytes")
        body = "".join(_form_part(name, value, kind, data) for name, value in left)
        headers = {"Content-Type": "multipart/form-data; boundary=mark"}
        return await self.client.post(
            signed["post_url"],
            content=f"{body}--mark--\r\n",
            headers=headers | step.get("headers", {}),
        )

    def _filled(self, value: Any) -> Any:
        """Return a step with what was kept in the place of its names."""
        if isinstance(value, dict):
            return {self._filled(k): self._filled(v) for k, v in value.items()}
        if isinstance(value, list):
            return [self._filled(each) for each in value]
        if not isinstance(value, str):
            return value
        if (alone := NAME.fullmatch(value)) and alone[1].split(".")[0] in self.kept:
            return _at(self.kept, alone[1])
        return NAME.sub(
            lambda found: (
                str(_at(self.kept, found[1]))
                if found[1].split(".")[0] in self.kept
                else found[0]
            ),
            value,
        )


def _request(step: dict[str, Any]) -> str:
    if "ask" in step:
        return str(step["ask"])
    path = {"component": "components", "sign": "assets"}
    return f"POST /{next((path[key] for key in path if key in step), 'stories')}"


def _sent(step: dict[str, Any]) -> Any:
    """Return the JSON of a request; a shorthand's record in its envelope."""
    if "component" in step:
        return {"component": {"is_root": True, "schema": {}, **step["component"]}}
    if "sign" in step:
        return {"filename": "a.png", **step["sign"]}
    if "save" in step:
        content = {"component": "everything", "_uid": "root", **step["save"]}
        return {"story": {"name": "saved", "slug": "saved", "content": content}}
    for key, more in (("folder", {"is_folder": True}), ("story", {})):
        if key in step:
            return {"story": {"name": step[key]["slug"] or "x", **more, **step[key]}}
    return step.get("send")


def _at(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def _form_part(name: str, value: str, kind: str, data: str) -> str:
    head = f'--mark\r\nContent-Disposition: form-data; name="{name}"'
    if name != "file":
        return f"{head}\r\n\r\n{value}\r\n"
    file = f'; filename="a.png"\r\nContent-Type: {kind}'
    return f"{head}{file}\r\n\r\n{data}\r\n"
