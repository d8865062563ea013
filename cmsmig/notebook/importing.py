"""What notebooks 04 to 06 call.

Names in here never move: projects keep their notebooks.
"""

from cmsmig.mapping.select.pilot import pilot_of
from cmsmig.notebook.kit.change_table import show_changes
from cmsmig.notebook.transfer.importing import (
    run_step,
    show_client_plan,
    show_findings,
    show_plan,
)

__all__ = [
    "pilot_of",
    "run_step",
    "show_changes",
    "show_client_plan",
    "show_findings",
    "show_plan",
]
