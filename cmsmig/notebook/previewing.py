"""What notebook 03 calls.

Names in here never move: projects keep their notebooks.
"""

from cmsmig.notebook.preview.previewing import (
    accept_bodies,
    bodies,
    body_fields,
    body_preview,
    embed_policies,
    open_previews,
)

__all__ = [
    "accept_bodies",
    "bodies",
    "body_fields",
    "body_preview",
    "embed_policies",
    "open_previews",
]
