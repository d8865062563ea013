"""What libraries log, printed like everything else: tokens masked, controls escaped."""

from __future__ import annotations

import logging

from cmsmig.masking import masked
from cmsmig.printable import printable_lines


class _PrintableLog(logging.Formatter):
    """Formats what libraries log like everything else that is printed."""

    def format(self, record: logging.LogRecord) -> str:
        return printable_lines(masked(super().format(record)))


def log_printably() -> None:
    """Let log records that nobody else handles reach standard error escaped."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_PrintableLog())
