"""Instances of a designer's components, and decisions about what they become."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from cmsmig.richtext.policy import EmbedPolicy, InstanceBlock, PropField, PropType
from tests.support.richtext.bodies import body

MAPPED = frozenset(("card", "note"))
"""The components that are decided on; `other` is none of them."""
_COMPONENTS = (*sorted(MAPPED), "other")
_PROPS = ("p1", "p2", "p3", "p4")
_SCALARS = (
    "Heads up", "12", "-0.5", "1e5", "true", "false", "", " ", "/way",
    "{&quot;a&quot;:1}", "https://x.example/a?b=1&amp;c=2", "mailto:a@x.example",
    "javascript:run()", "a &lt;b&gt; c", "&#0;",
)  # fmt: skip
_TEXTS = (
    "Amount", "<b>bold</b> and <a href='/there'>led</a>", "<img src='i.png' alt='x'>",
    "<script>run()</script>", "one<br>two", "<p id='here'>a</p>\n<p>b</p>", "7", "true",
    "<wf-component component-id='note' prop-p1='in a text'></wf-component>", "",
)  # fmt: skip
_STRAY = ("", "", "", "", "", "stray", "<p>stray</p>", "\n  ")


def decided(*blocks: InstanceBlock) -> EmbedPolicy:
    """Return the policy by which instances become these blocks."""
    return EmbedPolicy(components={each.component_id: each for each in blocks})


def random_policy(random: Random) -> EmbedPolicy:
    """Return a decision about some properties of the mapped components."""
    return decided(
        *(
            InstanceBlock(
                name,
                f"block_{name}",
                tuple(
                    PropField(prop, f"f_{prop}", random.choice(tuple(PropType)))
                    for prop in _PROPS
                    if random.random() < 0.7
                ),
                component=name,
            )
            for name in sorted(MAPPED)
        )
    )


def instance_body(random: Random) -> str:
    """Return a body with instances between, in and around other structures."""
    parts = [
        random.choice((_instance(random, 3), body(random), _around(random)))
        for _ in range(random.randint(1, 4))
    ]
    return "".join(parts)


def _around(random: Random) -> str:
    begin, end = random.choice(
        (
            ("<p>before ", " after</p>"),
            ("<ul><li>", "</li></ul>"),
            ("<a href='/out'>", "</a>"),
            ("<h2>", "</h2>"),
            ("<figure><img src='f.png'><figcaption>", "</figcaption></figure>"),
            ("<blockquote><b>", "</b></blockquote>"),
        )
    )
    return f"{begin}{_instance(random, 2)}{end}"


def _instance(random: Random, depth: int) -> str:
    name = random.choice(_COMPONENTS)
    scalars = "".join(
        f' prop-{prop}="{random.choice(_SCALARS)}"' for prop in _some(random)
    )
    nested = "".join(
        f"<wf-prop name='{prop}' label='{prop.upper()}' type='richtext'>"
        f"{_content(random, depth)}</wf-prop>{random.choice(_STRAY)}"
        for prop in _some(random)
    )
    return (
        f'<wf-component component-id="{name}" name="N"{scalars}>{nested}</wf-component>'
    )


def _some(random: Random) -> Sequence[str]:
    return [prop for prop in _PROPS if random.random() < 0.5]


def _content(random: Random, depth: int) -> str:
    if depth and random.random() < 0.2:
        return _instance(random, depth - 1)
    return random.choice((body(random), random.choice(_TEXTS)))
