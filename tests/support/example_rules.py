"""Rules of this project: each known widget becomes a block."""

from cmsmig.richtext.customrules import Tag, component, rule

SIGNUP = component("signup_form", "Sign-up form", form="text", label="text")
MAP = component("map", address="text", note={"type": "text", "max_length": 80})


@rule("div.signup[data-form]")
def signup(tag: Tag):
    """A newsletter form: its id, and the words on its button."""
    return SIGNUP(form=tag["data-form"], label=tag.get_text(" ", strip=True))


@rule("iframe[src^='https://maps.example.com/']")
@rule("div.map[data-address]")
def map_of_a_place(tag: Tag):
    """A map, as a frame or as a widget; one without an address is no map."""
    address = tag.get("data-address") or tag["src"]
    if not address.strip():
        return None
    return MAP(address=address, note=tag.get("title", ""))
