"""One space behind one base URL: addressing, paging, and what errors mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from cmsmig.canonical import JsonObject
from cmsmig.configuration.regions import region_mismatch
from cmsmig.destination.assumed import STANDARD, Assumed
from cmsmig.destination.paging import ListPage, endless, whole_list
from cmsmig.destination.reading import rows, unwrapped
from cmsmig.destination.token_rights import SETTINGS, UNSCOPED_END, token_advice
from cmsmig.destination.typed_records import PAGE
from cmsmig.errors import (
    CredentialsError,
    FieldProblem,
    NotFoundError,
    RejectedError,
    ServiceError,
)
from cmsmig.events import Noticed, Observer, unobserved
from cmsmig.wire.answers import Answer, Request
from cmsmig.wire.bounds import LIST_ROWS
from cmsmig.wire.session import Session

T = TypeVar("T")
Parameters: TypeAlias = tuple[tuple[str, str], ...]
_DEPRECATION_HEADERS = ("deprecation", "sunset")
"""Headers that announce the end of a call. Source: RFC 9745 and RFC 8594."""


def authorization(token: str, assumed: Assumed = STANDARD) -> str:
    """Return the header value for a token.

    A token given with a scheme, such as `Bearer ...`, goes out as given; a bare
    one as the service wants it. Source: the destination's authentication page.
    """
    if assumed.credential_scheme == "bearer" and " " not in token:
        return f"Bearer {token}"
    return token


class Connection:
    """What every group of calls uses; holds no state of the space."""

    def __init__(
        self,
        session: Session,
        base_url: str,
        space_id: str,
        assumed: Assumed = STANDARD,
        observer: Observer = unobserved,
    ) -> None:
        self._session = session
        self._base_url = base_url.rstrip("/")
        self._space_id = space_id
        self._assumed = assumed
        self._observer = observer
        self._announced: set[str] = set()

    async def _call(
        self,
        what: str,
        method: str,
        path: str,
        *,
        params: Parameters = (),
        json: JsonObject | None = None,
        repeatable: bool | None = None,
        tells_token: bool = False,
        on_try: Callable[[bool], None] | None = None,
    ) -> Answer:
        """Send one request below the space; `what` completes "refused to ..."."""
        address = f"spaces/{self._space_id}"
        return await self._send(
            what,
            Request(
                method,
                f"{self._base_url}/{address}/{path}".rstrip("/"),
                params,
                json,
                repeatable=repeatable,
                tells_token=tells_token,
                on_try=on_try,
            ),
        )

    async def _send(self, what: str, request: Request) -> Answer:
        """Send one request to any address of the service."""
        try:
            answer = await self._session.send(request)
        except (CredentialsError, NotFoundError, RejectedError) as error:
            raise self._explained(error, what) from None
        self._notice_deprecation(answer, what)
        return answer

    async def _record(
        self,
        what: str,
        method: str,
        path: str,
        key: str,
        read: Callable[[JsonObject], T],
        *,
        params: Parameters = (),
        json: JsonObject | None = None,
        repeatable: bool | None = None,
        on_try: Callable[[bool], None] | None = None,
        bare: bool = False,
    ) -> T:
        """Send one request and return the record under `key` of its answer."""
        answer = await self._call(
            what,
            method,
            path,
            params=params,
            json=json,
            repeatable=repeatable,
            on_try=on_try,
        )
        return read(unwrapped(answer.valid_json(), key, bare=bare))

    async def _delete(self, what: str, path: str, *, repeatable: bool = True) -> None:
        await self._call(f"delete {what}", "DELETE", path, repeatable=repeatable)

    async def _unpaged(
        self, what: str, path: str, read: Callable[[JsonObject], T]
    ) -> list[T]:
        """Return all rows of a list that comes as one page."""
        answer = await self._call(f"list {what}", "GET", path)
        return [read(row) for row in rows(answer.valid_json(), path)]

    async def _list(
        self,
        what: str,
        path: str,
        read: Callable[[JsonObject], T],
        params: Parameters = (),
    ) -> list[T]:
        """Return all rows of a paged list, each once, in the service's order."""

        async def page(number: int) -> ListPage[T]:
            paging = ("page", str(number)), ("per_page", str(PAGE))
            answer = await self._call(
                f"list {what}", "GET", path, params=(*params, *paging)
            )
            total = answer.number("total")
            if max(total or 0, number) > LIST_ROWS:
                raise endless(what, total or number)
            records = rows(answer.valid_json(), path)
            by_id = {str(each.get("id")): read(each) for each in records}
            return ListPage(by_id, len(records), total)

        return await whole_list(what, page)

    def _explained(self, error: ServiceError, what: str) -> ServiceError:
        if 300 <= (error.status or 0) < 400:
            return error
        problems = error.problems
        if error.body is not None:
            problems = problems_of(error.body)
        said = " ".join(each.message for each in problems)
        advice = self._advice(error, said)
        return explained(error, what, advice=advice, problems=problems)

    def _advice(self, error: ServiceError, said: str) -> str:
        misplaced = region_mismatch(self._space_id, self._base_url).rstrip(".")
        if isinstance(error, RejectedError):
            return "correct that and run it again"
        if misplaced:
            return misplaced[0].lower() + misplaced[1:]
        if isinstance(error, CredentialsError):
            if error.status == 403:
                return token_advice(said, self._space_id)
            return (
                "check that the token is whole and has not expired (tokens without "
                f"scopes stop working on {UNSCOPED_END}), make a new one in "
                f"{SETTINGS} if it has, and check that {self._base_url} is the base "
                f"URL of the region of space {self._space_id}"
            )
        return (
            f"check whether it was deleted, and that {self._base_url} is the base URL "
            f"of the region of space {self._space_id}"
        )

    def _notice_deprecation(self, answer: Answer, what: str) -> None:
        for name in _DEPRECATION_HEADERS:
            notice = f"{name}: {answer.headers.get(name, '')}"
            if name in answer.headers and notice not in self._announced:
                self._announced.add(notice)
                self._observer(
                    Noticed(f"destination, {what}", f"this call goes away ({notice})")
                )


_LONGEST = 300
_WRAPPERS = frozenset({"error", "errors", "base"})
"""Keys that group complaints and name no field. Source: official command line."""
_MISSING_PARAMETER = re.compile(r"param is missing or the value is empty: (\w+)")
_REFUSED_COMPONENT = re.compile(r"not allowed in the field [`'\"]?([\w-]+)")
_TAG = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_XML = re.compile(r"<(Code|Message)>([^<]*)</\1>")


def problems_of(content: object) -> tuple[FieldProblem, ...]:
    """Return the complaints in an error body: parsed JSON, or text.

    Nested fields are joined by dots. Takes any value and never raises.
    """
    if isinstance(content, str):
        return _of_text(content)
    found = _of_json(content, ())
    return tuple(dict.fromkeys(found))


def explained(
    error: ServiceError,
    what: str,
    *,
    advice: str,
    problems: tuple[FieldProblem, ...],
) -> ServiceError:
    """Return the same kind of error, as one sentence about what was attempted."""
    reason = "; ".join(str(each).rstrip(".") for each in problems)
    said = f"{error.status}: {reason}" if reason else f"{error.status}"
    message = f"The destination refused to {what} ({said}); {advice}."
    return error.reworded(message, problems)


def _of_json(
    value: object, path: tuple[str, ...], depth: int = 0
) -> Iterator[FieldProblem]:
    if depth > 20:
        return
    if isinstance(value, str):
        yield _complaint_about(".".join(path), value)
    elif isinstance(value, list):
        for part in value:
            yield from _of_json(part, path, depth + 1)
    elif isinstance(value, dict):
        for key, part in value.items():
            inner = path if key in _WRAPPERS else (*path, str(key))
            yield from _of_json(part, inner, depth + 1)
    elif value is not None:
        yield _complaint_about(".".join(path), str(value))


def _complaint_about(field: str, text: str) -> FieldProblem:
    message = " ".join(text.split())[:_LONGEST]
    for pattern in (_MISSING_PARAMETER, _REFUSED_COMPONENT):
        named = pattern.search(message)
        if named and not field:
            return FieldProblem(named.group(1), message)
    return FieldProblem(field, message)


def _of_text(text: str) -> tuple[FieldProblem, ...]:
    coded = [found.group(2) for found in _XML.finditer(text)]
    plain = ": ".join(coded) or _TAG.sub(" ", text[: _LONGEST * 20])
    message = " ".join(plain.split())[:_LONGEST]
    return (FieldProblem("", message),) if message else ()
