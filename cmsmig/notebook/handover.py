"""Where notebook 07 starts.

Names in here never move: projects keep their notebooks.
"""

from cmsmig.notebook.verify.cutover import open_handover

__all__ = [
    "open_handover",
]
