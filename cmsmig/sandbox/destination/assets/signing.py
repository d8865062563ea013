"""Signed uploads: what was promised to whom, until when, in which order."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

LIFETIME = 600.0
"""Seconds that a signing holds."""
LARGEST = 5_242_879_999
"""Bytes; the upper end of the signed content-length-range."""


@dataclass(frozen=True, slots=True)
class Signing:
    """One signed upload."""

    asset_id: int
    key: str
    content_type: str
    fields: tuple[tuple[str, str], ...]
    """In the order that the form has to keep."""
    expires: float
    """Unix time."""


@dataclass(slots=True)
class Signer:
    """Signs uploads and remembers them by their policy."""

    clock: Callable[[], float]
    secret: bytes = b"sandbox"
    signings: dict[str, Signing] = field(default_factory=dict)
    last_order: tuple[str, ...] = ()

    def sign(self, asset_id: int, key: str, content_type: str) -> Signing:
        """Return a new signing; its fields come in another order each time."""
        now = self.clock()
        moment = datetime.fromtimestamp(now, UTC)
        plain = {
            "acl": "public-read",
            "Expires": format_datetime(moment + timedelta(days=365), usegmt=True),
            "Cache-Control": "public; max-age=31536000",
            "Content-Type": content_type,
            "x-amz-credential": f"SANDBOX/{moment:%Y%m%d}/local/s3/aws4_request",
            "x-amz-algorithm": "AWS4-HMAC-SHA256",
            "x-amz-date": f"{moment:%Y%m%dT%H%M%SZ}",
        }
        policy = self._policy(key, plain, now + LIFETIME)
        plain["policy"] = policy
        plain["x-amz-signature"] = self.signature(policy)
        names = self._order(list(plain))
        fields = (("key", key), *((name, plain[name]) for name in names))
        signing = Signing(asset_id, key, content_type, fields, now + LIFETIME)
        self.signings[policy] = signing
        return signing

    def signature(self, policy: str) -> str:
        """Return the signature of a policy, 64 hex digits."""
        return hmac.new(self.secret, policy.encode(), hashlib.sha256).hexdigest()

    def _policy(self, key: str, plain: dict[str, str], expires: float) -> str:
        until = datetime.fromtimestamp(expires, UTC)
        conditions: list[object] = [
            {"key": key},
            *({name: value} for name, value in plain.items()),
            ["content-length-range", 1, LARGEST],
        ]
        document = {
            "expiration": until.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "conditions": conditions,
            "serial": len(self.signings),
        }
        return base64.b64encode(json.dumps(document).encode()).decode()

    def _order(self, names: list[str]) -> tuple[str, ...]:
        shuffled = random.Random(f"order {len(self.signings)}")
        order = self.last_order
        while order == self.last_order:
            shuffled.shuffle(names)
            order = tuple(names)
        self.last_order = order
        return order
