"""Signed uploads: what was promised, and the host that takes a form or pretends to."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import NoReturn

from cmsmig.sandbox.destination.space import Signing, Space, StoredAsset
from cmsmig.sandbox.http.asgi import AnsweredError, Call, Reply

LIFETIME = 600.0
"""Seconds that a signing holds."""
LARGEST = 5_242_879_999
"""Bytes; the upper end of the signed content-length-range."""
_SECRET = b"sandbox"
_BOUNDARY = re.compile(r'boundary=(?:"([^"]+)"|([^;\s]+))')
_NAME = re.compile(r'(?:^|;)\s*name="?([^";\s]*)')


def sign(space: Space, asset: StoredAsset, content_type: str) -> Signing:
    """Return a new signing; its fields come in another order each time."""
    begun = datetime.fromtimestamp(space.clock(), UTC)
    plain = {
        "acl": "public-read",
        "Expires": format_datetime(begun + timedelta(days=365), usegmt=True),
        "Cache-Control": "public; max-age=31536000",
        "Content-Type": content_type,
        "x-amz-credential": f"SANDBOX/{begun:%Y%m%d}/local/s3/aws4_request",
        "x-amz-algorithm": "AWS4-HMAC-SHA256",
        "x-amz-date": f"{begun:%Y%m%dT%H%M%SZ}",
    }
    serial, expires = len(space.signings), begun + timedelta(seconds=LIFETIME)
    conditions: list[object] = [
        {"key": asset.key},
        *({name: value} for name, value in plain.items()),
        ["content-length-range", 1, LARGEST],
    ]
    document = {
        "expiration": f"{expires:%Y-%m-%dT%H:%M:%SZ}",
        "conditions": conditions,
        "serial": serial,
    }
    policy = base64.b64encode(json.dumps(document).encode()).decode()
    plain["policy"] = policy
    digest = hmac.new(_SECRET, policy.encode(), hashlib.sha256)
    plain["x-amz-signature"] = digest.hexdigest()
    last = next(reversed(space.signings.values()), None)
    names = before = [*last.fields][1:] if last is not None else []
    drawn = random.Random(f"order {serial}")
    while names == before:
        names = drawn.sample([*plain], len(plain))
    fields = {"key": asset.key, **{name: plain[name] for name in names}}
    signing = Signing(
        asset.asset_id, asset.key, content_type, fields, expires.timestamp()
    )
    space.signings[policy] = signing
    return signing


@dataclass(frozen=True, slots=True)
class FormPart:
    """One part of a form."""

    name: str
    headers: dict[str, str]
    """Lower-case names."""
    data: bytes


@dataclass(frozen=True, slots=True)
class UploadHost:
    """Answers the form posts; needs no token and counts against nothing."""

    space: Space

    async def answer(self, call: Call) -> Reply:
        """Answer one upload."""
        self.space.received(call)
        try:
            reply = self._upload(call)
        except AnsweredError as answered:
            reply = answered.reply
        return replace(reply, service="upload", route="upload")

    def _upload(self, call: Call) -> Reply:
        if call.method != "POST":
            _refuse(405, "MethodNotAllowed", "The method is not allowed.")
        if "authorization" in call.headers:
            _refuse(400, "InvalidArgument", "Unsupported Authorization Type")
        if "content-length" not in call.headers:
            message = "You must provide the Content-Length HTTP header."
            _refuse(411, "MissingContentLength", message)
        parts = read_form(call.headers.get("content-type", ""), call.body)
        names = [part.name for part in parts]
        policy = next((part.data for part in parts if part.name == "policy"), None)
        if policy is None:
            return Reply(204)
        signing = self._signing(policy.decode("latin-1"))
        for part in parts[: names.index("file")] if "file" in names else parts:
            _check_value(part, signing.fields)
        if names != [*signing.fields, "file"]:
            # The trap of the specification: all looks well and nothing is there.
            return Reply(204)
        return self._stored(signing, parts[-1])

    def _signing(self, policy: str) -> Signing:
        signing = self.space.signings.get(policy)
        if signing is None:
            message = "The request signature we calculated does not match."
            _refuse(403, "SignatureDoesNotMatch", message)
        if self.space.clock() >= signing.expires:
            _deny("Policy expired.")
        return signing

    def _stored(self, signing: Signing, file: FormPart) -> Reply:
        if not file.data:
            message = "Your proposed upload is smaller than the minimum allowed size"
            _refuse(400, "EntityTooSmall", message)
        if len(file.data) > LARGEST:
            message = "Your proposed upload exceeds the maximum allowed size"
            _refuse(400, "EntityTooLarge", message)
        asset = self.space.assets.get(signing.asset_id)
        if asset is None:
            return Reply(204)
        asset.data = file.data
        asset.content_type = signing.content_type
        self.space.version += 1
        tag = hashlib.md5(file.data, usedforsecurity=False).hexdigest()
        location = ("Location", self.space.address(asset))
        headers = (("ETag", f'"{tag}"'), location)
        return Reply(204, headers=headers)


def _check_value(part: FormPart, signed: dict[str, str]) -> None:
    if part.name not in signed:
        _deny(f"Extra input fields: {part.name}")
    if not hmac.compare_digest(part.data, signed[part.name].encode()):
        _deny(f'Policy Condition failed: ["eq", "${part.name}", ...]')


def read_form(content_type: str, body: bytes) -> list[FormPart]:
    """Return the parts of a complete form in their order, byte by byte."""
    kind, _, rest = content_type.partition(";")
    found = _BOUNDARY.search(rest)
    if kind.strip().lower() != "multipart/form-data" or found is None:
        _refuse_form("The upload is not a multipart form.")
    mark = re.escape(b"--" + (found[1] or found[2]).encode())
    pieces = re.split(rb"\r\n" + mark + rb"(--|[ \t]*\r\n)", b"\r\n" + body)
    # The ends of the marks are between the pieces; the last one closes.
    if len(pieces) < 3 or pieces[-2] != b"--" or b"--" in pieces[1:-2:2]:
        _refuse_form("The multipart form is not complete.")
    return [_part(piece) for piece in pieces[2:-2:2]]


def _part(piece: bytes) -> FormPart:
    head, blank, data = piece.partition(b"\r\n\r\n")
    if not blank:
        _refuse_form("A part of the form has no body.")
    lines = head.decode("utf-8", "replace").split("\r\n")
    pairs = [line.partition(":")[::2] for line in lines if ":" in line]
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    found = _NAME.search(headers.get("content-disposition", ""))
    if found is None:
        _refuse_form("A part of the form has no name.")
    return FormPart(found[1], headers, data)


def _refuse_form(message: str) -> NoReturn:
    _refuse(400, "MalformedPOSTRequest", message)


def _deny(message: str) -> NoReturn:
    _refuse(403, "AccessDenied", f"Invalid according to Policy: {message}")


def _refuse(status: int, code: str, message: str) -> NoReturn:
    escaped = message.replace("&", "&amp;").replace("<", "&lt;")
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>{code}</Code><Message>{escaped}</Message></Error>"
    )
    raise AnsweredError(Reply(status, body.encode(), "application/xml"))
