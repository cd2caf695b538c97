"""Edits of a source text at the places of its syntax tree; what is tried is the text that would be written."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Edit:
    """A change of a source: bytes `start` to `end` become `text`."""

    #: The smaller, the likelier such a mistake.
    weight: int
    operator: str
    line: int
    start: int
    end: int
    text: str


class Source:
    """A source text with the places of its nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._bytes = text.encode("utf-8")
        self._starts = [0]
        for line in self._bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def start(self, node: ast.AST) -> int:
        return self._starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self._starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]

    def segment(self, node: ast.AST) -> str:
        return self._bytes[self.start(node) : self.end(node)].decode("utf-8")

    def line_start(self, line: int) -> int:
        return self._starts[line - 1] if line <= len(self._starts) else len(self._bytes)

    def line(self, number: int) -> str:
        return self._bytes[self.line_start(number) : self.line_start(number + 1)].decode("utf-8").rstrip("\r\n")

    def edited(self, edit: Edit) -> str:
        return (self._bytes[: edit.start] + edit.text.encode("utf-8") + self._bytes[edit.end :]).decode("utf-8")

    def only(self, text: str, top: ast.stmt) -> str:
        """Returns a text with nothing but one top-level statement of this source and the imports from the future, each on its line."""
        lines = text.split("\n")
        first = min([top.lineno, *(each.lineno for each in getattr(top, "decorator_list", []))])
        added = len(lines) - len(self.text.split("\n"))
        last = (top.end_lineno or top.lineno) + added
        return "\n".join([""] * (first - 1) + lines[first - 1 : last]) + "\n"


_LOOSE = (ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.UnaryOp, ast.Lambda, ast.Await, ast.NamedExpr)
_TIGHT = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.Attribute, ast.Starred, ast.Await)


def written(new: ast.expr, parent: Optional[ast.AST], source: Source, old: ast.AST) -> str:
    """Returns an expression as text, in parentheses where what is around it would take it apart."""
    text = ast.unparse(ast.fix_missing_locations(new))
    is_function = isinstance(parent, (ast.Call, ast.Subscript)) and getattr(parent, "func", getattr(parent, "value", None)) is old
    if isinstance(new, _LOOSE) and (isinstance(parent, _TIGHT) or is_function):
        return f"({text})"
    return text
