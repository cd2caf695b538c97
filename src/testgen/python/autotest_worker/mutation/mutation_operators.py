"""The small changes of a function that make its mutants."""

from __future__ import annotations

import ast
import copy
from typing import Any, Callable, Iterator, Optional, Union

from ..functions import Function

_ARITHMETIC: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.FloorDiv),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult, ast.Div),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitXor: (ast.BitAnd,),
    ast.MatMult: (ast.Mult,),
}
_COMPARISON: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
#: Something in a tree that is replaced, and what it is replaced by.
Change = tuple[str, ast.AST, Callable[[ast.AST], Optional[ast.AST]]]


def changes_of(target: Function) -> Iterator[Change]:
    skipped = _not_executed(target)
    for node in _executed_nodes(target):
        if id(node) in skipped:
            continue
        yield from _expression_changes(node)
        if isinstance(node, ast.stmt) and node is not target:
            yield from _statement_changes(node)


def _executed_nodes(target: Function) -> Iterator[ast.AST]:
    for default in (*target.args.defaults, *(each for each in target.args.kw_defaults if each)):
        yield from ast.walk(default)
    for statement in target.body:
        yield from ast.walk(statement)


def _not_executed(target: Function) -> set[int]:
    """Returns docstrings and annotations, whose change nothing notices."""
    skipped: set[int] = set()
    for node in ast.walk(target):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                skipped |= {id(each) for each in ast.walk(first)}
        annotations = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        for annotation in annotations:
            if isinstance(annotation, ast.AST):
                skipped |= {id(each) for each in ast.walk(annotation)}
    return skipped


def _swap(field: str, value: Any) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        setattr(node, field, value)
        return node

    return change


def _with_item(field: str, at: int, value: Any) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        getattr(node, field)[at] = value
        return node

    return change


def _constant(value: Any) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        return ast.copy_location(ast.Constant(value), node)

    return change


def _negated(node: ast.AST) -> ast.AST:
    return ast.copy_location(ast.UnaryOp(ast.Not(), copy.deepcopy(node)), node)  # type: ignore[arg-type]


def _expression_changes(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        for other in _ARITHMETIC.get(type(node.op), ()):
            yield "arithmetic", node, _swap("op", other())
    elif isinstance(node, ast.Compare):
        for at, operation in enumerate(node.ops):
            for other in _COMPARISON.get(type(operation), ()):
                yield "comparison", node, _with_item("ops", at, other())
    elif isinstance(node, ast.BoolOp):
        yield "boolean", node, _swap("op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        for at in range(len(node.values)):
            yield "boolean", node, _without_value(at)
    elif isinstance(node, ast.UnaryOp):
        if not (isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)):
            yield "unary", node, lambda each: each.operand  # type: ignore[attr-defined]
        else:
            yield "constant", node, lambda each: each.operand  # type: ignore[attr-defined]
    elif isinstance(node, ast.Constant):
        yield from _constant_changes(node)
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield "condition", node, lambda each: _set(each, "test", _negated(each.test))  # type: ignore[attr-defined]
        if isinstance(node, ast.IfExp):
            yield "condition", node, lambda each: each.body  # type: ignore[attr-defined]
            yield "condition", node, lambda each: each.orelse  # type: ignore[attr-defined]
    elif isinstance(node, ast.comprehension):
        for at in range(len(node.ifs)):
            yield "condition", node, _without_if(at)
    elif isinstance(node, ast.Slice):
        for bound in ("lower", "upper", "step"):
            if getattr(node, bound) is not None:
                yield "slice", node, _swap(bound, None)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) == 2:
        # Ends of an edge, row and column.
        yield "argument", node, lambda each: _set(each, "slice", ast.Tuple(each.slice.elts[::-1], ast.Load()))  # type: ignore[attr-defined]
    elif isinstance(node, ast.Call):
        yield from _call_changes(node)


def _set(node: ast.AST, field: str, value: Any) -> ast.AST:
    setattr(node, field, value)
    return node


def _without_value(at: int) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        values = [each for index, each in enumerate(node.values) if index != at]  # type: ignore[attr-defined]
        if len(values) == 1:
            return values[0]
        node.values = values  # type: ignore[attr-defined]
        return node

    return change


def _without_if(at: int) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        del node.ifs[at]  # type: ignore[attr-defined]
        return node

    return change


def _constant_changes(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", node, _constant(not value)
    elif isinstance(value, int):
        yield "constant", node, _constant(value + 1)
        if value != 0:
            yield "constant", node, _constant(value - 1)
    elif isinstance(value, float):
        yield "constant", node, _constant(value + 1.0)
    elif isinstance(value, str):
        yield "constant", node, _constant("" if value else "XX")
        if value:
            yield "constant", node, _constant(value + "XX")
    elif isinstance(value, bytes):
        yield "constant", node, _constant(b"" if value else b"XX")
    elif value is None:
        yield "constant", node, _constant(0)


SWAPPED_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "lower": "upper", "upper": "lower"}
SWAPPED_CALLS.update({"startswith": "endswith", "endswith": "startswith", "lstrip": "rstrip", "rstrip": "lstrip"})
SWAPPED_CALLS.update({"append": "extend", "ceil": "floor", "floor": "ceil", "find": "rfind", "index": "rindex"})


def _call_changes(node: ast.Call) -> Iterator[Change]:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    other = SWAPPED_CALLS.get(name)
    if other is not None:
        yield "call", node, _renamed(other)
    for at in range(len(node.keywords)):
        yield "argument", node, _without_keyword(at)
    if len(node.args) == 2 and not any(isinstance(each, ast.Starred) for each in node.args):
        yield "argument", node, lambda each: _set(each, "args", each.args[::-1])  # type: ignore[attr-defined]
    if len(node.args) > 1 and not isinstance(node.args[-1], ast.Starred):
        yield "argument", node, lambda each: _set(each, "args", each.args[:-1])  # type: ignore[attr-defined]
    if name in ("sorted", "reversed", "list", "tuple", "set", "abs", "str", "int", "float", "round", "deepcopy"):
        if len(node.args) >= 1 and not isinstance(node.args[0], ast.Starred):
            yield "call", node, lambda each: each.args[0]  # type: ignore[attr-defined]


def _renamed(name: str) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        function: Union[ast.Name, ast.Attribute] = node.func  # type: ignore[attr-defined]
        if isinstance(function, ast.Name):
            function.id = name
        else:
            function.attr = name
        return node

    return change


def _without_keyword(at: int) -> Callable[[ast.AST], ast.AST]:
    def change(node: ast.AST) -> ast.AST:
        del node.keywords[at]  # type: ignore[attr-defined]
        return node

    return change


def _statement_changes(node: ast.stmt) -> Iterator[Change]:
    if isinstance(node, ast.Return):
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield "return", node, lambda each: _set(each, "value", ast.Constant(None))
    elif isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign, ast.Delete, ast.Assert)):
        yield "statement", node, lambda each: ast.copy_location(ast.Pass(), each)
    elif isinstance(node, ast.Raise):
        yield "exception", node, lambda each: ast.copy_location(ast.Pass(), each)
        if isinstance(node.exc, (ast.Call, ast.Name)):
            yield "exception", node, lambda each: _set(each, "exc", ast.Name("BaseException", ast.Load()))
    elif isinstance(node, (ast.Break, ast.Continue)):
        other = ast.Continue if isinstance(node, ast.Break) else ast.Break
        yield "loop", node, lambda each: ast.copy_location(other(), each)
    elif isinstance(node, ast.For):
        yield "loop", node, lambda each: _set(each, "iter", ast.List([], ast.Load()))
        yield "loop", node, lambda each: _set(
            each, "iter", ast.Call(ast.Name("reversed", ast.Load()), [ast.Call(ast.Name("list", ast.Load()), [each.iter], [])], [])  # type: ignore[attr-defined]
        )
    elif isinstance(node, ast.If) and node.orelse:
        yield "statement", node, lambda each: _set(each, "orelse", [])
    elif isinstance(node, ast.Try):
        for at in range(len(node.handlers)):
            yield "exception", node.handlers[at], lambda each: _set(each, "body", [ast.Raise()])
        if node.finalbody:
            yield "exception", node, lambda each: _set(each, "finalbody", [ast.Pass()])
