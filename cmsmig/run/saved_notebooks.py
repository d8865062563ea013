"""What is left out of a notebook when JupyterLab saves it."""

from __future__ import annotations

from typing import Any


def strip_outputs(model: dict[str, Any], **context: object) -> None:
    """Take a client's content out of a notebook that is about to be saved.

    JupyterLab calls this with what it was sent. What the page shows stays there.
    """
    content = model.get("content")
    if model.get("type") != "notebook" or not isinstance(content, dict):
        return
    content.get("metadata", {}).pop("widgets", None)
    for cell in content.get("cells", ()):
        if cell.get("cell_type") == "code":
            cell["outputs"] = []
            cell["execution_count"] = None
            cell.get("metadata", {}).pop("execution", None)
