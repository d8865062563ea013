"""What notebook 02 calls.

Names in here never move: projects keep their notebooks.
"""

from cmsmig.notebook.design.designing import (
    accept_design,
    design_table,
    open_design,
    sample_values,
)

__all__ = [
    "accept_design",
    "design_table",
    "open_design",
    "sample_values",
]
