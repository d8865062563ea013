"""What notebook 07 calls.

Names in here never move: projects keep their notebooks.
"""

from cmsmig.notebook.kit.change_table import show_changes
from cmsmig.notebook.verify.verifying import (
    checklist,
    conclude,
    evidence,
    findings,
    ledger_tables,
    redirects,
    verify,
)

__all__ = [
    "checklist",
    "conclude",
    "evidence",
    "findings",
    "ledger_tables",
    "redirects",
    "show_changes",
    "verify",
]
