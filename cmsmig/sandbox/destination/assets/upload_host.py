"""The upload host: takes a signed form, or pretends to."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from cmsmig.sandbox.destination.assets.form_parts import FormError, Part, read_form
from cmsmig.sandbox.destination.assets.signing import LARGEST, Signer, Signing
from cmsmig.sandbox.destination.space import Space
from cmsmig.sandbox.http.asgi import AnsweredError, Call, Reply


@dataclass(frozen=True, slots=True)
class UploadHost:
    """Answers the form posts; needs no token and counts against nothing."""

    space: Space
    signer: Signer

    async def answer(self, call: Call) -> Reply:
        """Answer one upload."""
        self.space.begin(call)
        try:
            reply = self._upload(call)
        except AnsweredError as answered:
            reply = answered.reply
        return Reply(
            reply.status,
            reply.body,
            reply.content_type,
            reply.headers,
            service="upload",
            route="upload",
            item=reply.item,
        )

    def _upload(self, call: Call) -> Reply:
        if call.method != "POST":
            return _refusal(405, "MethodNotAllowed", "The method is not allowed.")
        if "authorization" in call.headers:
            message = "Unsupported Authorization Type"
            return _refusal(400, "InvalidArgument", message)
        if "content-length" not in call.headers:
            message = "You must provide the Content-Length HTTP header."
            return _refusal(411, "MissingContentLength", message)
        try:
            parts = read_form(call.headers.get("content-type", ""), call.body)
        except FormError as error:
            return _refusal(400, "MalformedPOSTRequest", str(error))
        return self._form(parts)

    def _form(self, parts: list[Part]) -> Reply:
        signing = self._signing(parts)
        if signing is None:
            return self._swallowed(parts, "no policy or key before the file")
        ahead = _before_file(parts)
        self._check_values(signing, ahead)
        if not self._in_order(signing, parts):
            return self._swallowed(parts, signing.key)
        return self._stored(signing, parts[-1])

    def _signing(self, parts: list[Part]) -> Signing | None:
        """Find the signing by its policy; a foreign policy is refused."""
        policies = [
            part.data.decode("latin-1") for part in parts if _is(part, "policy")
        ]
        if not policies:
            return None
        signing = self.signer.signings.get(policies[0])
        if signing is None:
            message = "The request signature we calculated does not match."
            raise AnsweredError(_refusal(403, "SignatureDoesNotMatch", message))
        if self.signer.clock() >= signing.expires:
            message = "Invalid according to Policy: Policy expired."
            raise AnsweredError(_refusal(403, "AccessDenied", message))
        return signing

    def _check_values(self, signing: Signing, ahead: list[Part]) -> None:
        signed = dict(signing.fields)
        for part in ahead:
            if part.name not in signed:
                message = (
                    f"Invalid according to Policy: Extra input fields: {part.name}"
                )
                raise AnsweredError(_refusal(403, "AccessDenied", message))
            value = signed[part.name].encode()
            if not hmac.compare_digest(part.data, value):
                message = "Invalid according to Policy: Policy Condition failed"
                message = f'{message}: ["eq", "${part.name}", ...]'
                raise AnsweredError(_refusal(403, "AccessDenied", message))

    def _in_order(self, signing: Signing, parts: list[Part]) -> bool:
        names = [part.name for part in parts]
        return names == [*(name for name, _ in signing.fields), "file"]

    def _stored(self, signing: Signing, file: Part) -> Reply:
        if not file.data:
            message = "Your proposed upload is smaller than the minimum allowed size"
            return _refusal(400, "EntityTooSmall", message)
        if len(file.data) > LARGEST:
            message = "Your proposed upload exceeds the maximum allowed size"
            return _refusal(400, "EntityTooLarge", message)
        asset = self.space.assets.get(signing.asset_id)
        if asset is None:
            return Reply(204, item=signing.key)
        sent = file.headers.get("content-type", signing.content_type)
        if sent != signing.content_type:
            what = f"{sent} instead of {signing.content_type}"
            self.space.violated("upload_content_type", f"assets/{signing.key}", what)
        asset.data = file.data
        self.space.version += 1
        asset.content_type = signing.content_type
        tag = hashlib.md5(file.data, usedforsecurity=False).hexdigest()
        location = ("Location", self.space.address(asset))
        headers = (("ETag", f'"{tag}"'), location)
        return Reply(204, headers=headers, item=signing.key)

    def _swallowed(self, parts: list[Part], where: str) -> Reply:
        # The trap of the specification: all looks well and nothing is there.
        names = ", ".join(part.name for part in parts)
        self.space.violated("upload_order", f"assets/{where}", names)
        return Reply(204, item=where)


def _is(part: Part, name: str) -> bool:
    return part.name == name and not part.is_file


def _before_file(parts: list[Part]) -> list[Part]:
    names = [part.name for part in parts]
    return parts[: names.index("file")] if "file" in names else parts


def _refusal(status: int, code: str, message: str) -> Reply:
    escaped = message.replace("&", "&amp;").replace("<", "&lt;")
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>{code}</Code><Message>{escaped}</Message></Error>"
    )
    return Reply(status, body.encode(), "application/xml")
