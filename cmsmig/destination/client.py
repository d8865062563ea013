"""The destination's management API, one method per call that the kit makes."""

from __future__ import annotations

from cmsmig.destination.assets import AssetCalls
from cmsmig.destination.components import ComponentCalls
from cmsmig.destination.stories import StoryCalls


class DestinationClient(ComponentCalls, StoryCalls, AssetCalls):
    """Everything that is asked of one space.

    Made from a session, the base URL (it ends in `/v1`), the space's id and, if
    need be, other assumptions. Methods raise `CredentialsError`, `NotFoundError`
    and `RejectedError` with what was attempted, the fields complained of and
    what to do; `OutcomeUnknownError` when a write that must not be sent twice
    got no usable answer; and the session's other errors.
    """
