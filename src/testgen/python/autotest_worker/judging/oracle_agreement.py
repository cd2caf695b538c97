"""Finds tests that assert what the docstring or the specification of a function says as well."""

from __future__ import annotations

import ast
import doctest
import re
from typing import Iterator, Optional

from ..functions import Function
from .target_references import call_name

_PROSE = re.compile(r"(?:->|→|➞|==|=>|\breturns\b|\bgives\b)", re.IGNORECASE)


def agreements(test: Function, name: str, texts: list[str]) -> Optional[str]:
    """Returns the example that a test repeats: the same call of `name` with the same result; None if there is none."""
    asserted = set(_asserted(test, name))
    for text in texts:
        for shown, call, want in _examples(text, name):
            if (call, want) in asserted:
                return shown
    return None


def _asserted(test: Function, name: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(test):
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare) and len(node.test.ops) == 1:
            if isinstance(node.test.ops[0], (ast.Eq, ast.Is)):
                left, right = node.test.left, node.test.comparators[0]
                for call, want in ((left, right), (right, left)):
                    if isinstance(call, ast.Call) and _last(call.func) == name:
                        yield _call_text(call), ast.dump(_plain(want))
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                expected = item.context_expr
                if isinstance(expected, ast.Call) and _last(expected.func) in ("raises", "assertRaises") and expected.args:
                    for call in ast.walk(node):
                        if isinstance(call, ast.Call) and _last(call.func) == name:
                            yield _call_text(call), f"raises {_last(expected.args[0])}"


def _examples(text: str, name: str) -> Iterator[tuple[str, str, str]]:
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:
        examples = []
    for example in examples:
        call = _parsed(example.source)
        if not isinstance(call, ast.Call) or _last(call.func) != name:
            continue
        shown = f"{example.source.strip()} gives {example.want.strip()}"
        if example.exc_msg is not None:
            yield shown, _call_text(call), "raises " + example.exc_msg.split(":")[0].strip().split(".")[-1]
            continue
        want = _parsed(example.want)
        if want is not None:
            yield shown, _call_text(call), ast.dump(_plain(want))
    for line in text.splitlines():
        at = line.find(f"{name}(")
        parts = _PROSE.split(line[at:], maxsplit=1) if at >= 0 else []
        if len(parts) == 2:
            call, want = _parsed(parts[0].strip(" `")), _first_value(parts[1].strip(" `.,;"))
            if isinstance(call, ast.Call) and want is not None:
                yield line.strip(), _call_text(call), ast.dump(_plain(want))


def _parsed(text: str) -> Optional[ast.expr]:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None


def _first_value(text: str) -> Optional[ast.expr]:
    """Returns the value that a text begins with: prose may follow it."""
    words = text.split(" ")
    for count in range(len(words), 0, -1):
        found = _parsed(" ".join(words[:count]).rstrip(".,;"))
        if found is not None:
            return found
    return None


def _last(node: ast.AST) -> str:
    return (call_name(node) or getattr(node, "attr", "") or "").split(".")[-1]


def _call_text(call: ast.Call) -> str:
    keywords = sorted((each.arg or "**", ast.dump(each.value)) for each in call.keywords)
    return repr(([ast.dump(each) for each in call.args], keywords))


def _plain(want: ast.expr) -> ast.expr:
    """`pytest.approx(3.0)` expects what `3.0` does."""
    if isinstance(want, ast.Call) and _last(want.func) == "approx" and want.args:
        return want.args[0]
    return want
