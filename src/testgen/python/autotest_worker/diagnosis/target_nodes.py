"""The parts of a function that run, and edits at their places."""

from __future__ import annotations

import ast
from typing import Iterator, Optional

from ..functions import Function
from .scope import Scope
from .source_edits import Edit, Source, written


class TargetNodes:
    """What runs of a function, with the places of its parts."""

    def __init__(self, source: Source, target: Function) -> None:
        self.source = source
        self.target = target
        self.scope = Scope(target)
        self.parents: dict[int, ast.AST] = {}
        for parent in ast.walk(target):
            for child in ast.iter_child_nodes(parent):
                self.parents[id(child)] = parent
        skipped = {id(each) for each in self._not_executed()}
        body = [each for statement in target.body for each in ast.walk(statement)]
        self.nodes = [each for each in body if id(each) not in skipped]

    def _not_executed(self) -> Iterator[ast.AST]:
        for node in ast.walk(self.target):
            for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
                if isinstance(annotation, ast.AST):
                    yield from ast.walk(annotation)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                yield from ast.walk(node)
            # Their parts have no place of their own in every version.
            if isinstance(node, ast.JoinedStr):
                yield from (each for part in node.values for each in ast.walk(part))

    def edit(self, weight: int, operator: str, node: ast.AST, text: str) -> Edit:
        return Edit(weight, operator, self.line(node), self.source.start(node), self.source.end(node), text)

    def line(self, node: ast.AST) -> int:
        """Returns the line of the statement that a node is in; of one with a body, that of its head."""
        inner: Optional[ast.AST] = node
        while inner is not None and not isinstance(inner, ast.stmt):
            inner = self.parents.get(id(inner))
        return getattr(inner, "lineno", self.target.lineno)

    def replaced(self, weight: int, operator: str, node: ast.expr, new: ast.expr) -> Edit:
        return self.edit(weight, operator, node, written(new, self.parents.get(id(node)), self.source, node))


def name_of(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())
