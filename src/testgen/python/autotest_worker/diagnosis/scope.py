"""The names of a function, and what it does with them."""

from __future__ import annotations

import ast

from ..functions import Function


class Scope:
    """Names that an expression of a function may use, by how the function uses them."""

    def __init__(self, target: Function) -> None:
        #: Parameters and local names, in the order in which they are met.
        self.names: list[str] = []
        #: Those that are counted, compared in order or calculated with.
        self.numbers: set[str] = set()
        #: Those that are indexed, sliced, iterated over or measured.
        self.sequences: set[str] = set()
        #: Functions defined within, and what is called; no values to calculate with.
        self.callables: set[str] = set()
        for node in ast.walk(target):
            self._add(node)
        self.names = [name for name in dict.fromkeys(self.names) if name not in self.callables]

    def _add(self, node: ast.AST) -> None:
        if isinstance(node, ast.arg):
            self.names.append(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            self.names.append(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.callables.add(node.name)
        elif isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add):
            self._note(self.numbers, node.left, node.right)
        elif isinstance(node, ast.Compare) and any(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops):
            self._note(self.numbers, node.left, *node.comparators)
        elif isinstance(node, ast.Subscript):
            self._note(self.sequences, node.value)
            bounds = [node.slice.lower, node.slice.upper] if isinstance(node.slice, ast.Slice) else [node.slice]
            self._note(self.numbers, *[each for each in bounds if each is not None])
        elif isinstance(node, (ast.For, ast.comprehension)):
            self._note(self.sequences, node.iter)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in ("len", "sorted", "reversed", "enumerate", "sum", "list", "tuple", "iter"):
                self._note(self.sequences, *node.args[:1])
            if node.func.id == "range":
                self._note(self.numbers, *node.args)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, (int, float)):
            self._note(self.numbers, *node.targets)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name):
            if node.value.func.id in ("len", "int", "sum", "abs"):
                self._note(self.numbers, *node.targets)

    @staticmethod
    def _note(kind: set[str], *nodes: ast.AST) -> None:
        kind.update(each.id for each in nodes if isinstance(each, ast.Name))
