"""The rule of this project: each known widget becomes a block."""


def rule(tag):
    """Return the block of a sign-up form, a map or a note; None for all else."""
    classes = tag.get("class", [])
    address = tag.get("src", "")
    if "signup" in classes:
        label = tag.get_text(" ", strip=True)
        return {"component": "signup_form", "form": tag["data-form"], "label": label}
    if tag.name == "iframe" and address.startswith("https://maps.example.com/"):
        return {"component": "map", "address": address, "note": tag.get("title", "")}
    if tag.name == "aside" and "tip" in classes:
        return {"component": "tip", "text": tag.get_text(" ", strip=True)}
    return None
