"""What notebook 03 calls to compare with the official converter.

Names in here never move: projects keep their notebooks.
"""

from cmsmig.notebook.preview.cross_checking import cross_checked

__all__ = [
    "cross_checked",
]
