"""Where every notebook starts.

Names in here never move: projects keep their notebooks.
"""

from cmsmig.notebook.kit.workspace import open_workspace

__all__ = [
    "open_workspace",
]
