"""Requests, answers, and what an answer that is no success means."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import NoReturn, TypeAlias
from urllib.parse import urlsplit

from cmsmig.canonical import Json, JsonObject, text_of
from cmsmig.errors import (
    CredentialsError,
    FieldProblem,
    MalformedAnswerError,
    NotFoundError,
    RejectedError,
    ServiceError,
)
from cmsmig.nesting import parse_json
from cmsmig.valid_text import valid_value

Problems: TypeAlias = tuple[FieldProblem, ...]

_SAID = 300
"""How many characters of an unknown body go into a message."""
_NUMBER = re.compile(r"[0-9]{1,15}")
"""More digits count nothing, and thousands of them are more than Python reads."""
_SURROGATE_SIGNS = (b"\\ud", b"\\uD", b"\xed", b"\0")
"""Without these bytes there is no lone surrogate: neither escaped, nor as UTF-8 would
have it, nor in another encoding, whose braces have zeros."""
_SCOPE = re.compile(r"\b[a-z_]+:(?:read|write|publish)\b")
"""A scope, as both services name it in their refusals."""
_NAMED_LIMIT = re.compile(r"rate limit of (\d{1,6})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a service's API."""

    method: str
    url: str
    """Absolute."""
    params: tuple[tuple[str, str], ...] = ()
    json: JsonObject | None = None
    quota: bool = True
    """Whether it draws on the service's budget."""
    repeatable: bool | None = None
    """Whether sending it twice does no harm; None: only GET and HEAD, which read.

    Where it is said of a GET, that GET changes something: publication does.
    """

    patient: bool = True
    """Whether it is tried again when it could not be sent; not where the answer is of
    use only if it comes at once."""

    tells_token: bool = False
    """Whether its answer holds a token of the service that the caller needs: it is not
    masked then, and must not be shown."""

    redirects: bool = False
    """Whether a redirect is an answer, which the caller follows; else it is refused."""

    on_try: Callable[[bool], None] | None = None
    """Is called with True right before each try, once the budget allows it, and with
    False after one that the service surely did not take."""

    @property
    def may_repeat(self) -> bool:
        """Return whether it may be sent again without knowing the outcome."""
        if self.repeatable is None:
            return self.reads_only
        return self.repeatable

    @property
    def reads_only(self) -> bool:
        """Return whether it cannot change anything."""
        return self.repeatable is None and self.method in ("GET", "HEAD")


@dataclass(frozen=True)
class Answer:
    """One whole answer."""

    status: int
    headers: Mapping[str, str]
    """Keys in lower case."""
    body: bytes

    def json(self) -> Json:
        """Return the body as JSON, parsed once; raises `MalformedAnswerError`."""
        return self._parsed

    @cached_property
    def _parsed(self) -> Json:
        try:
            return parse_json(self.body, _no_constant)
        except ValueError as error:
            raise MalformedAnswerError(
                "A service's answer is not JSON, though it reports success"
                f" ({self.said() or 'it is empty'}); try again later.",
                service="",
                status=self.status,
                body=self.said(),
            ) from error

    def valid_json(self) -> Json:
        """Return the body as JSON, each text of it valid; raises as `json` does."""
        value = self.json()
        suspect = any(sign in self.body for sign in _SURROGATE_SIGNS)
        return valid_value(value) if suspect else value

    def said(self) -> str:
        """Return the start of the body as one line of text."""
        text = self.body[: _SAID * 4].decode("utf-8", "replace")
        return " ".join(text.split())[:_SAID]

    def content(self) -> object:
        """Return the body as parsed JSON, else as text; None when it is empty."""
        if not self.body.strip():
            return None
        try:
            return parse_json(self.body)
        except ValueError:
            return self.body.decode("utf-8", "replace")

    def number(self, header: str) -> int | None:
        """Return a header as a whole number, if it is one."""
        return whole_number(self.headers.get(header, ""))

    def retry_after(self, now: float) -> float | None:
        """Return the pause that a 429 asks for in seconds, from either form."""
        text = self.headers.get("retry-after", "").strip()
        if not text:
            return None
        try:
            seconds = float(text)
        except ValueError:
            return _seconds_until(text, now)
        return seconds if 0 <= seconds < float("inf") else None

    def named_limit(self) -> int | None:
        """Return the limit that a 429's body names, if it names one."""
        found = _NAMED_LIMIT.search(self.said())
        return int(found.group(1)) if found else None


def whole_number(text: str) -> int | None:
    """Return a header's text as a whole number, if it is one of any use."""
    found = _NUMBER.fullmatch(text.strip())
    return int(found.group()) if found else None


def bare(url: str) -> str:
    """Return an address without query, fragment and credentials."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "(unreadable address)"
    scheme = f"{parts.scheme}:" if parts.scheme else ""
    return f"{scheme}//{host}{parts.path}" if host else f"{scheme}{parts.path}"


def path_of(url: str) -> str:
    """Return the path of an address, for events and messages."""
    try:
        return urlsplit(url).path or "/"
    except ValueError:
        return "(unreadable address)"


def failure(
    method: str,
    url: str,
    answer: Answer,
    *,
    service: str,
    credentials_hint: str = "",
) -> ServiceError:
    """Return the error for an answer that is neither a success nor a 429 or 5xx."""
    content = answer.content()
    problems = _problems(content)
    said = "; ".join(map(str, problems)) or answer.said()
    kind, message = _explain(method, url, answer, service, credentials_hint, said)
    return kind(
        message,
        service=service,
        method=method,
        url=bare(url),
        status=answer.status,
        problems=problems,
        body=content,
    )


def upload_failure(url: str, answer: Answer) -> RejectedError:
    """Return the error for a form that the upload host refused, in its XML."""
    said = answer.body.decode("utf-8", "replace")
    code, reason = (_element(name, said) for name in ("Code", "Message"))
    why = f"{code}: {reason}" if code else answer.said() or "no reason given"
    return RejectedError(
        f"The upload host refused a file ({answer.status}, {why}); run again, and"
        " the upload is signed again.",
        service="upload host",
        method="POST",
        url=bare(url),
        status=answer.status,
        problems=(FieldProblem(code, reason or answer.said()),),
        body=said,
    )


def _problems(content: object) -> Problems:
    """Find complaints in the error shapes that most services use."""
    if not isinstance(content, Mapping):
        return ()
    details = content.get("details")
    named = [
        FieldProblem(text_of(entry.get("field")), text_of(entry.get("message")))
        for entry in (details if isinstance(details, list) else [])
        if isinstance(entry, Mapping)
    ]
    if named:
        return tuple(named)
    texts = [content.get(key) for key in ("message", "error", "msg", "err")]
    return tuple(FieldProblem("", text) for text in texts if isinstance(text, str))[:1]


def _explain(
    method: str, url: str, answer: Answer, service: str, hint: str, said: str
) -> tuple[type[ServiceError], str]:
    what = f"{method} {path_of(url)}"
    reason = f": {said}" if said else ""
    status = answer.status
    if status in (401, 403):
        # Older errors of the origin name the scope next to their message.
        named = _SCOPE.findall(answer.said()) if status == 403 else ()
        scopes = ", ".join(dict.fromkeys(named))
        advice = hint or "check the token and its scopes"
        if scopes:
            advice = f"give the token what this needs: {scopes}"
        return CredentialsError, (
            f"The {service} refused the token for {what} ({status}{reason}); {advice}."
        )
    if status == 404:
        return NotFoundError, (
            f"The {service} has nothing at {path_of(url)} ({method}, 404{reason});"
            " check the id and the address."
        )
    if 300 <= status < 400:
        target = bare(answer.headers.get("location", ""))
        return RejectedError, (
            f"The {service} sends {what} elsewhere ({status}, to {target});"
            " check its address in the settings."
        )
    return RejectedError, f"The {service} rejected {what} ({status}{reason})."


def _element(name: str, xml: str) -> str:
    found = re.search(rf"<{name}>([^<]*)</{name}>", xml)
    return found.group(1) if found else ""


def _seconds_until(text: str, now: float) -> float | None:
    try:
        date = parsedate_to_datetime(text)
        if date.tzinfo is None:
            date = date.replace(tzinfo=UTC)
        return max(0.0, (date - datetime.fromtimestamp(now, UTC)).total_seconds())
    except (ValueError, TypeError, OverflowError, OSError):
        return None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
