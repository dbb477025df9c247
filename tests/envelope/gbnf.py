"""Reads a grammar of llama.cpp, and writes texts that it allows."""

import re
from collections.abc import Callable

_TOKEN = re.compile(
    r"""\s*(?:(?P<literal>"(?:[^"\\]|\\.)*")|(?P<chars>\[(?:[^\]\\]|\\.)*\])|(?P<name>[a-z0-9-]+)"""
    r"""|(?P<sign>[|()]|\*|\?|\+|\{\d+(?:,\d*)?\}))"""
)
_SAMPLE = "aZ7 .é北😀"

Choose = Callable[[int], int]
"""Gives a number below another."""


def rules_of(grammar: str) -> dict[str, str]:
    rules = dict(line.split(" ::= ", 1) for line in grammar.splitlines())
    assert len(rules) == len(grammar.splitlines())
    return rules


def literals_of(rule: str) -> list[str]:
    return [_unquoted(token[1:-1]) for kind, token in _tokens(rule) if kind == "literal"]


def names_of(rule: str) -> set[str]:
    return {token for kind, token in _tokens(rule) if kind == "name"}


def text_of(grammar: str, choose: Choose) -> str:
    """A text of the grammar; `choose` decides wherever it leaves a choice."""
    return _Writer(rules_of(grammar), choose).write("root")


def _tokens(rule: str) -> list[tuple[str, str]]:
    tokens, at = [], 0
    while at < len(rule):
        found = _TOKEN.match(rule, at)
        assert found is not None, rule[at:]
        assert found.lastgroup is not None
        tokens.append((found.lastgroup, found[found.lastgroup]))
        at = found.end()
    return tokens


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: found[1], text)


class _Writer:
    def __init__(self, rules: dict[str, str], choose: Choose) -> None:
        self._parsed = {name: _Parser(_tokens(rule)).either() for name, rule in rules.items()}
        self._choose = choose
        self._depth = 0

    def write(self, name: str) -> str:
        self._depth += 1
        text = self._node(self._parsed[name])
        self._depth -= 1
        return text

    def _node(self, node) -> str:
        kind, inside = node
        if kind == "literal":
            return inside
        if kind == "chars":
            return _character(inside, self._choose)
        if kind == "name":
            return self.write(inside)
        if kind == "either":
            # Deep down the first way is taken, which is never the one that nests.
            return self._node(inside[self._choose(len(inside)) if self._depth < 9 else 0])
        if kind == "row":
            return "".join(self._node(part) for part in inside)
        part, least, most = inside
        most = min(most, least + 3) if most else least + 2
        more = 0 if self._depth > 9 else self._choose(most - least + 1)
        return "".join(self._node(part) for _ in range(least + more))


class _Parser:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens

    def either(self):
        ways = [self._row()]
        while self._tokens and self._tokens[0][1] == "|":
            self._tokens.pop(0)
            ways.append(self._row())
        return "either", ways

    def _row(self):
        parts = []
        while self._tokens and self._tokens[0] not in {("sign", "|"), ("sign", ")")}:
            kind, token = self._tokens.pop(0)
            if kind == "sign":
                part = self.either()
                assert self._tokens.pop(0)[1] == ")"
            else:
                part = kind, _unquoted(token[1:-1]) if kind == "literal" else token
            parts.append(self._repeated(part))
        return "row", parts

    def _repeated(self, part):
        if not self._tokens or self._tokens[0][1][0] not in "*?+{":
            return part
        sign = self._tokens.pop(0)[1]
        known = {"*": (0, 0), "?": (0, 1), "+": (1, 0)}
        if sign in known:
            return "times", (part, *known[sign])
        least, comma, most = sign[1:-1].partition(",")
        return "times", (part, int(least), int(most or 0) if comma else int(least))


def _character(chars: str, choose: Choose) -> str:
    """One of a class of characters, which Python's own patterns write in the same way."""
    fitting = [char for char in _SAMPLE + '"\\/nrtu-' if re.fullmatch(chars, char)]
    return fitting[choose(len(fitting))]
