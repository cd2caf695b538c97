"""Rewrites a function without changing what it does: other names of its variables, other text, other bytecode."""

from __future__ import annotations

import ast
import copy
from typing import Optional

from ..functions import Function, find_node

_SEES_LOCALS = {"locals", "vars", "eval", "exec", "globals", "dir"}


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        if node.name is not None:
            node.name = self._names.get(node.name, node.name)
        self.generic_visit(node)
        return node


def rewritten(source: str, filename: str, qualname: str) -> Optional[str]:
    """Returns the module with the function's local variables renamed, laid out anew; None if there is no function."""
    tree = ast.parse(source, filename)
    target = find_node(tree, qualname)
    if target is None:
        return None
    names = _locals(target)
    if names:
        for statement in target.body:
            _Renamed(names).visit(statement)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _locals(target: Function) -> dict[str, str]:
    """Returns new names for local variables, unless something in the function may see the old ones."""
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom)
    match = getattr(ast, "Match", None)
    stored: set[str] = set()
    for statement in target.body:
        for node in ast.walk(statement):
            if isinstance(node, inner) or match is not None and isinstance(node, match):
                return {}
            if isinstance(node, ast.Name) and node.id in _SEES_LOCALS:
                return {}
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                stored.add(node.id)
            elif isinstance(node, ast.ExceptHandler) and node.name is not None:
                stored.add(node.name)
    args = target.args
    parameters = {each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    parameters |= {each.arg for each in (args.vararg, args.kwarg) if each is not None}
    return {name: f"{name}_renamed" for name in sorted(stored - parameters)}


def normalized_body(node: Function) -> str:
    """Returns the body of a function without docstring, with its names by their order: equal for copies."""
    body = copy.deepcopy(node.body)
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        body = body[1:]
    names: dict[str, str] = {}
    for statement in body:
        for each in ast.walk(statement):
            if isinstance(each, ast.Name):
                each.id = names.setdefault(each.id, f"n{len(names)}")
    return "\n".join(ast.dump(each) for each in body)
