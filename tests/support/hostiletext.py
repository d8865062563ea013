"""Text that acts on a terminal, is typeset, is half of something, or computes."""

from __future__ import annotations

import re

CONTROLS = [*range(0x20), *range(0x7F, 0xA0)]
BIDI = [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
ACTING = "".join(map(chr, [*CONTROLS, *BIDI, 0x2028, 0x2029]))
"""Every character that acts on a terminal or changes the order of what is read."""
CLIPBOARD = "\x1b]52;c;cm0gLXJmIH4=\x07"
HALF = "\ud83d"
FORMULA = r"$\href{https://abroad.example/}{x}$ $5 for one, $10 for two"
SALT = f"{CLIPBOARD}\x9b2J{HALF}\u202egnp;\u200b=1+1{FORMULA}<b onclick=x>{ACTING}"
"""All of it at once; the site of `saltedsite` holds it wherever it can."""
RAW = re.compile(f"[{re.escape(ACTING)}\ud800-\udfff]")


def acting(text: str) -> list[str]:
    """Return what would act if a text were printed; line ends and tabs do not."""
    return [each for each in RAW.findall(text) if each not in "\n\t"]
