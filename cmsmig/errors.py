"""Everything that can go wrong, as one tree.

    CmsmigError
    ├── SettingsError              a setting is missing or malformed         exit 2
    ├── UsageError                 a command was called in a way it can't be  exit 2
    ├── DecisionsError             a decision file is malformed              exit 2
    ├── UndecidedError             a decision that the step needs is missing exit 3
    ├── PlanDriftError             the plan no longer fits the space         exit 1
    ├── PreflightError             the destination is not ready for a step   exit 1
    ├── IncompleteError            all was tried; something failed and is listed  exit 1
    ├── DifferencesError           what was read back is not what was decided     exit 4
    ├── InterruptedRunError        stopped by a person; resumable            exit 5
    ├── CacheError                 the raw cache is damaged                  exit 1
    │   └── UnreadError            nothing was pulled, or not to the end     exit 2
    ├── StorageError               the disk refused a write                  exit 1
    ├── LedgerError                the ledger is damaged or foreign          exit 1
    │   ├── LedgerDamagedError     its file is not whole; `rebuild` helps    exit 1
    │   └── LedgerLockedError      another run holds it                      exit 6
    ├── OfficialError              the official converter did not answer     exit 1
    │   ├── OfficialUnavailableError   it cannot be started here at all
    │   └── OfficialFailedError    it failed on one body; the next is fine
    └── ServiceError               a service did not do what was asked       exit 1
        ├── UnreachableError       the request was never taken
        ├── OutcomeUnknownError    it was sent; whether it was applied is open
        ├── CredentialsError       401 or 403                                exit 7
        ├── RateLimitedError       429s continued beyond all patience
        ├── NotFoundError          404
        ├── RejectedError          another 4xx, with the fields it names
        └── MalformedAnswerError   a success whose body can't be used
            └── OversizedAnswerError   it holds more than is taken

Each reads as one sentence for an editor: what happened, where, what to do.
Expected outcomes (a lost class, a skipped draft) are data and not in here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from cmsmig.masking import masked
from cmsmig.printable import printable_lines


class CmsmigError(Exception):
    """The root: `str()` is one sentence, `exit_code` what the command ends with.

    What a service or the system said is part of many sentences, so a token in
    one is masked as soon as the error is made.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str = "") -> None:
        super().__init__(masked(message))

    def __str__(self) -> str:
        """Return the sentence; controls in the names that it holds are escaped."""
        return printable_lines(super().__str__())


class SettingsError(CmsmigError):
    """A setting is missing or malformed."""

    exit_code = 2


class UsageError(CmsmigError):
    """A command or function was called in a way that cannot work."""

    exit_code = 2


class DecisionsError(CmsmigError):
    """A decision file cannot be read or names what does not exist."""

    exit_code = 2


class UndecidedError(CmsmigError):
    """A decision that the step needs has not been made."""

    exit_code = 3


class PlanDriftError(CmsmigError):
    """Origin, decisions or destination moved since the plan was shown."""

    def __init__(self, drift: tuple[str, ...]) -> None:
        super().__init__(
            f"The plan no longer fits ({'; '.join(drift)}), so nothing was written; "
            "make a new plan and look at it first; `cmsmig changes` shows each field "
            "with old and new value."
        )
        self.drift = drift


class PreflightError(CmsmigError):
    """The destination lacks something that the next step needs."""


class IncompleteError(CmsmigError):
    """Everything was tried, and something failed or is open; a report lists it."""


class DifferencesError(CmsmigError):
    """What was read back is not what was decided and written."""

    exit_code = 4


class InterruptedRunError(CmsmigError):
    """A person stopped the run; running it again continues from there."""

    exit_code = 5


class CacheError(CmsmigError):
    """The raw cache is damaged."""


class UnreadError(CacheError):
    """The raw cache is not all there yet: the pull comes first."""

    exit_code = 2


class StorageError(CmsmigError):
    """The disk refused to take or give bytes."""


class LedgerError(CmsmigError):
    """The ledger is damaged, foreign or of another version."""


class LedgerDamagedError(LedgerError):
    """The ledger's file is not whole, of another version, or none; a new one can be
    made."""


class LedgerLockedError(LedgerError):
    """Another run holds the ledger."""

    exit_code = 6


class OfficialError(CmsmigError):
    """The official converter, which is only compared with, did not answer."""


class OfficialUnavailableError(OfficialError):
    """Node or the official package is missing, too old or cannot be installed."""


class OfficialFailedError(OfficialError):
    """The official converter failed on one body: it threw, hung or died."""


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One complaint of a service; `field` is empty when it names none."""

    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


class ServiceError(CmsmigError):
    """A service did not do what was asked of it."""

    def __init__(
        self,
        message: str,
        *,
        service: str,
        method: str = "",
        url: str = "",
        status: int | None = None,
        problems: tuple[FieldProblem, ...] = (),
        body: object = None,
    ) -> None:
        super().__init__(message)
        self.service = service
        """`origin`, `destination`, `upload host` or `files`."""
        self.method = method
        self.url = url
        """Without its query: a signed address may carry a secret."""
        self.status = status
        self.problems = problems
        self.body = body
        """What the service said: parsed JSON, else text; None when nothing."""

    def reworded(
        self, message: str, problems: tuple[FieldProblem, ...] | None = None
    ) -> Self:
        """Return the same error with another sentence and, if given, problems."""
        return type(self)(
            message,
            service=self.service,
            method=self.method,
            url=self.url,
            status=self.status,
            problems=self.problems if problems is None else problems,
            body=self.body,
        )


class UnreachableError(ServiceError):
    """The request was not taken, so nothing was applied."""


class OutcomeUnknownError(ServiceError):
    """The request was sent and no trustworthy answer came back."""


class CredentialsError(ServiceError):
    """The service refused the token, or the token lacks a scope."""

    exit_code = 7


class RateLimitedError(ServiceError):
    """The service kept answering 429 beyond all patience."""


class NotFoundError(ServiceError):
    """There is nothing at this address."""


class RejectedError(ServiceError):
    """The service refused the request and said why in `problems`."""


class MalformedAnswerError(ServiceError):
    """A successful status with a body that cannot be used."""


class OversizedAnswerError(MalformedAnswerError):
    """A successful status with a body that is larger or deeper than is taken."""


def first_of(group: BaseExceptionGroup[CmsmigError]) -> CmsmigError:
    """Return the first error of what was tried together: one sentence is enough."""
    first = group.exceptions[0]
    return first_of(first) if isinstance(first, BaseExceptionGroup) else first
