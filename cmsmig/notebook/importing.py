"""What notebooks 04 to 06 call.

Names in here never move: projects keep their notebooks.
"""

from cmsmig.notebook.transfer.importing import run_step, show_plan

__all__ = [
    "run_step",
    "show_plan",
]
