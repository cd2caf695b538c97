"""Counts the branches of a function that tests take: two for each condition of `if`, `while` and `for`."""

from __future__ import annotations

import ast
from typing import Union

from ..functions import find_node

Decision = Union[ast.If, ast.While, ast.For, ast.AsyncFor]


def branches_taken(source: str, filename: str, qualname: str, arcs: set[tuple[int, int]]) -> tuple[int, int]:
    """Returns how many branches ran, by pairs of lines that ran one after the other, and how many there are."""
    target = find_node(ast.parse(source, filename), qualname)
    if target is None:
        return 0, 0
    taken = total = 0
    for node in ast.walk(target):
        if isinstance(node, (ast.If, ast.While, ast.For, ast.AsyncFor)) and not _is_endless(node):
            total += 2
            taken += sum(_sides(node, arcs))
    return taken, total


def _is_endless(node: Decision) -> bool:
    return isinstance(node, ast.While) and isinstance(node.test, ast.Constant)


def _sides(node: Decision, arcs: set[tuple[int, int]]) -> tuple[bool, bool]:
    head = node.test if isinstance(node, (ast.If, ast.While)) else node.iter
    condition = range(node.lineno, (head.end_lineno or head.lineno) + 1)
    first = node.body[0]
    if first.lineno in condition:
        # On one line with its body, the sides cannot be told apart.
        reached = any(before in condition or after in condition for before, after in arcs)
        return reached, reached
    body = range(first.lineno, (first.end_lineno or first.lineno) + 1)
    into = any(before in condition and after in body for before, after in arcs)
    past = any(before in condition and after not in body and after not in condition for before, after in arcs)
    return into, past
