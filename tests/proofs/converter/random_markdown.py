"""Random Markdown of everything that the official converter's reader knows."""

from __future__ import annotations

import random

_WORDS = (
    'alpha beta *odd _x_ "quoted" it\'s (c) (tm) +- ... -- --- 1.5 42. <b>raw</b> '
    "&amp; &copy; www.example.com https://example.com/a?b=1&c=2 me@example.com "
    "example.org \\*not\\* snake_case_word ~ ~~ ` 東京 Überblick \u00a0 😀 :) | [x] "
    "[ ] # !"
)
WORDS = _WORDS.split(" ")
LINKS = (
    "[text](/a)", '[text](https://example.com "T")', "[ref][1]", "![alt](/p.png)",
    '![a](<b c.png> "T")', "[![alt](/p.png)](/to)", "<https://auto.example>",
    "[bad](javascript:alert(1))", "[**bold** link](#part)", "[empty]()",
)  # fmt: skip
WRAPS = (("**", "**"), ("*", "*"), ("_", "_"), ("~~", "~~"), ("`", "`"), ("***", "***"))


class Markdown:
    """Makes one text."""

    def __init__(self, seed: int, index: int) -> None:
        self._random = random.Random(f"markdown/{seed}/{index}")

    def text(self) -> str:
        """Return the Markdown."""
        blocks = [self._block(0) for _ in range(self._random.randint(1, 6))]
        end = self._pick(("", "\n", "\n\n[1]: /ref 'R'\n"))
        return self._pick(("\n\n", "\n\n", "\n\n\n", "\n")).join(blocks) + end

    def _block(self, depth: int) -> str:
        makers = (
            self._paragraph, self._paragraph, self._heading, self._list, self._quote,
            self._code, self._table, self._rule,
        )  # fmt: skip
        return self._random.choice(makers if depth < 2 else makers[:2])(depth)

    def _paragraph(self, depth: int) -> str:
        lines = [self._inline() for _ in range(self._random.randint(1, 3))]
        return self._pick(("\n", "  \n", "\\\n")).join(lines)

    def _heading(self, depth: int) -> str:
        if self._random.random() < 0.2:
            return f"{self._inline()}\n{self._pick(('===', '---'))}"
        return "#" * self._random.randint(1, 7) + f" {self._inline()}"

    def _list(self, depth: int) -> str:
        sign = self._pick(("- ", "* ", "1. ", "3. ", "0) "))
        lines = []
        for _ in range(self._random.randint(1, 4)):
            lines.append(sign + self._inline())
            if depth < 2 and self._random.random() < 0.3:
                inner = self._block(depth + 1).replace("\n", "\n" + " " * len(sign))
                lines.append(" " * len(sign) + inner)
        return self._pick(("\n", "\n", "\n\n")).join(lines)

    def _quote(self, depth: int) -> str:
        return "> " + self._block(depth + 1).replace("\n", "\n> ")

    def _code(self, depth: int) -> str:
        text = "\n".join(self._words() for _ in range(2))
        if self._random.random() < 0.3:
            return "    " + text.replace("\n", "\n    ")
        return f"```{self._pick(('', 'python', 'js x'))}\n{text}\n```"

    def _table(self, depth: int) -> str:
        width = self._random.randint(1, 3)
        line = self._pick(("---", ":-:", "--:"))
        rows = [
            "| " + " | ".join(self._words() for _ in range(width)) + " |"
            for _ in range(3)
        ]
        rows.insert(1, "|" + f" {line} |" * width)
        return "\n".join(rows)

    def _rule(self, depth: int) -> str:
        return self._pick(("---", "***", "_ _ _"))

    def _inline(self) -> str:
        parts = []
        for _ in range(self._random.randint(1, 4)):
            words = self._words()
            chosen = self._random.random()
            if chosen < 0.3:
                before, after = self._random.choice(WRAPS)
                words = f"{before}{words}{after}"
            elif chosen < 0.5:
                words += " " + self._pick(LINKS)
            parts.append(words)
        return self._pick((" ", " ", "  ", "")).join(parts)

    def _words(self) -> str:
        return " ".join(
            self._random.choice(WORDS) for _ in range(self._random.randint(1, 5))
        )

    def _pick(self, among: tuple[str, ...]) -> str:
        return self._random.choice(among)


def random_markdown(seed: int, index: int) -> str:
    """Return the Markdown text of this seed and index."""
    return Markdown(seed, index).text()
