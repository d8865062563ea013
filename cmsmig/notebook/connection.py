"""What notebook 00 calls.

Names in here never move: projects keep their notebooks.
"""

from cmsmig.notebook.start.connection import connection_check, forecast

__all__ = [
    "connection_check",
    "forecast",
]
