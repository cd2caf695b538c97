"""Changes of statements that undo frequent mistakes: one too many, one that is missing, another result, a case that returns early."""

from __future__ import annotations

import ast
import copy
from typing import Iterator

from .source_edits import Edit
from .target_nodes import TargetNodes, name_of


class StatementFixes(TargetNodes):
    def statements(self) -> Iterator[Edit]:
        simple = [each for each in self.nodes if isinstance(each, (ast.Expr, ast.Assign, ast.AugAssign))]
        for node in self.nodes:
            if not isinstance(node, ast.stmt) or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            if isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign)):
                yield self.edit(2, "statement", node, "pass")
            elif isinstance(node, (ast.Break, ast.Continue)):
                yield self.edit(1, "loop", node, "continue" if isinstance(node, ast.Break) else "break")
            elif isinstance(node, ast.Return):
                yield from self._of_return(node)
        copies = list(self._copies(simple))
        for node in self.nodes:
            if isinstance(node, ast.stmt):
                for text in copies:
                    yield from self._inserted(3, node, text)
        yield from self._guards()

    def _of_return(self, node: ast.Return) -> Iterator[Edit]:
        texts = [*self.scope.names, "None", "True", "False", "0", "1", "[]", "''"]
        if node.value is not None:
            segment = self.source.segment(node.value)
            texts += [f"[{segment}]", f"not ({segment})"]
        for text in texts:
            yield self.edit(2, "return", node, f"return {text}")

    def _copies(self, simple: list[ast.stmt]) -> Iterator[str]:
        """Yields the simple statements, and calls among them with another variable."""
        seen: set[str] = set()
        for node in simple:
            variants: list[ast.AST] = [node]
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                for at, argument in enumerate(node.value.args):
                    for name in self.scope.names:
                        changed = copy.deepcopy(node)
                        changed.value.args[at] = name_of(name)  # type: ignore[attr-defined]
                        variants.append(changed)
                function = node.value.func
                if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
                    for base in sorted(self.scope.sequences & set(self.scope.names)):
                        changed = copy.deepcopy(node)
                        changed.value.func.value = name_of(base)  # type: ignore[attr-defined]
                        variants.append(changed)
            for each in variants:
                text = ast.unparse(ast.fix_missing_locations(each))
                if text not in seen and "\n" not in text:
                    seen.add(text)
                    yield text

    def _inserted(self, weight: int, node: ast.stmt, text: str) -> Iterator[Edit]:
        """Yields a statement in front of another, and behind the last of a block."""
        if not self._is_first_on_line(node):
            return
        indent = " " * node.col_offset
        start = self.source.line_start(node.lineno)
        yield Edit(weight, "missing statement", node.lineno, start, start, f"{indent}{text}\n")
        parent = self.parents.get(id(node))
        blocks = [getattr(parent, field, None) for field in ("body", "orelse", "finalbody")]
        if any(isinstance(block, list) and block and block[-1] is node for block in blocks) and not isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            end = self.source.line_start((node.end_lineno or node.lineno) + 1)
            yield Edit(weight, "missing statement", node.end_lineno or node.lineno, end, end, f"{indent}{text}\n")

    def _is_first_on_line(self, node: ast.stmt) -> bool:
        return self.source.line(node.lineno)[: node.col_offset].strip() == ""

    def _guards(self) -> Iterator[Edit]:
        """Yields an early return at the start of the function and of those within it."""
        for function in [self.target, *(each for each in self.nodes if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)))]:
            first = function.body[1] if _is_docstring(function.body[0]) and len(function.body) > 1 else function.body[0]
            parameters = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
            for name in parameters:
                for test in (f"not {name}", f"{name} is None", *([f"len({name}) <= 1"] if name in self.scope.sequences else [])):
                    for value in ("None", "0", "1", "False", "True", "[]", "''", name):
                        yield from list(self._inserted(3, first, f"if {test}: return {value}"))[:1]


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
