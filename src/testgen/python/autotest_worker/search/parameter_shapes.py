"""Infers the shapes of a function's parameters from its code: what it reads of them, holds in them, compares them with."""

from __future__ import annotations

import ast
from typing import Any, Optional

from ..functions import Function
from .value_shapes import Shape, merge

#: Methods that return an item of what they are called on, and those that add one.
_ITEM_METHODS = {"pop", "popleft", "get", "__getitem__"}
_ADDING_METHODS = {"append", "add", "appendleft", "put", "remove", "discard", "index", "count"}
_JOINING_METHODS = {
    *("extend", "update", "extendleft", "union", "issuperset", "issubset", "intersection", "difference", "isdisjoint"),
}
_KEY_METHODS = {"keys", "get", "setdefault"}
#: Functions that return the items that they are given.
_PUSHING = {"heappush", "insort", "insort_left", "insort_right"}
_SAME_ITEMS = {"list", "set", "tuple", "sorted", "reversed", "deque", "frozenset", "iter", "Queue"}
_BUILTIN_ATTRIBUTES = frozenset(
    name for of in (str, bytes, list, dict, set, frozenset, tuple, int, float, complex, type(iter(()))) for name in dir(of)
) | {"popleft", "appendleft"}


def parameter_shapes(node: Function) -> dict[str, Shape]:
    """Returns the shape of each parameter by its name."""
    shapes = _read(node, frozenset())
    # Known from the start, what iterates over a dictionary gives its keys.
    dictionaries = frozenset(name for name, shape in shapes.items() if shape.keys is not None)
    if dictionaries:
        shapes = _read(node, dictionaries)
    return {name: shape if shape.says_something() else _same_by_name(name, shapes) for name, shape in shapes.items()}


def _read(node: Function, dictionaries: frozenset[str]) -> dict[str, Shape]:
    reader = _Reader()
    reader.read(node, dictionaries)
    arguments = node.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return {name: reader.variable(name).end() for name in names}


def _same_by_name(name: str, shapes: dict[str, Shape]) -> Shape:
    """Returns the shape of another parameter whose name ends alike: `start_node`, `goal_node`."""
    for other, shape in shapes.items():
        if other != name and shape.is_object() and len(name) > 4 and other[-4:] == name[-4:]:
            return shape
    return shapes[name]


class _Reader(ast.NodeVisitor):
    """Merges the shapes of what is assigned, passed and compared; nested functions see the names around them."""

    def __init__(self) -> None:
        self._scopes: list[dict[str, Shape]] = []
        self._functions: dict[str, tuple[list[str], dict[str, Shape], Shape]] = {}

    def variable(self, name: str) -> Shape:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name].end()
        return self._scopes[-1].setdefault(name, Shape()).end()

    def read(self, node: Function, dictionaries: frozenset[str] = frozenset()) -> None:
        names = [each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        scope = {name: Shape() for name in names}
        for name in dictionaries:
            scope[name].key()
        self._functions[node.name] = (names, scope, Shape())
        self._scopes.append(scope)
        for statement in node.body:
            self.visit(statement)
        if len(self._scopes) > 1:
            self._scopes.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.read(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._scopes.append({each.arg: Shape() for each in node.args.args})
        self._of(node.body)
        self._scopes.pop()

    def visit_Assign(self, node: ast.Assign) -> None:
        value = self._of(node.value)
        for target in node.targets:
            if isinstance(target, (ast.Tuple, ast.List)) and isinstance(node.value, (ast.Tuple, ast.List)):
                for one, each in zip(target.elts, node.value.elts):
                    merge(self._of(one), self._of(each))
            else:
                self._assign(target, value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign(node.target, self._of(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._of(node.target)
        self._of(node.value)

    def visit_For(self, node: ast.For) -> None:
        self._assign(node.target, self._items_of(node.iter))
        for statement in (*node.body, *node.orelse):
            self.visit(statement)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self._of(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        self._of(node.value)

    def generic_visit(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._of(child)
            else:
                self.visit(child)

    def _assign(self, target: ast.expr, value: Shape) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for at, each in enumerate(target.elts):
                self._assign(each, value.end().places.setdefault(at, Shape()))
        elif not isinstance(target, ast.Starred):
            merge(self._of(target), value)

    def _items_of(self, node: ast.expr) -> Shape:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enumerate" and node.args:
            return Shape(places={0: Shape(), 1: self._of(node.args[0]).item()})
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            owner = self._of(node.func.value)
            if node.func.attr == "items":
                return Shape(places={0: owner.key(), 1: owner.item()})
            if node.func.attr == "keys":
                return owner.key()
        shape = self._of(node)
        # A dictionary gives its keys.
        return shape.key() if shape.end().keys is not None else shape.item()

    def _of(self, node: Optional[ast.AST]) -> Shape:
        """Returns the shape of an expression, having read what is in it."""
        if isinstance(node, ast.Name):
            return self.variable(node.id)
        if isinstance(node, ast.Attribute):
            owner = self._of(node.value)
            return Shape() if node.attr in _BUILTIN_ATTRIBUTES else owner.attribute(node.attr)
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, (ast.List, ast.Set)):
            shape = Shape()
            for each in node.elts:
                merge(shape.item(), self._of(each))
            return shape
        if isinstance(node, ast.Tuple):
            return Shape(places={at: self._of(each) for at, each in enumerate(node.elts)})
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, (ast.BoolOp, ast.IfExp)):
            values = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
            if isinstance(node, ast.IfExp):
                self._of(node.test)
            shapes = [self._of(each) for each in values]
            return shapes[-1]
        if isinstance(node, ast.BinOp):
            left, right = self._of(node.left), self._of(node.right)
            if left.end().items is not None or right.end().items is not None:
                merge(left.item(), right.item())
            return left if left.end().items is not None else Shape()
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            return self._comprehension(node)
        if isinstance(node, ast.NamedExpr):
            value = self._of(node.value)
            self._assign(node.target, value)
            return value
        if node is not None:
            self.generic_visit(node)
        return Shape()

    def _subscript(self, node: ast.Subscript) -> Shape:
        owner, index = self._of(node.value), node.slice
        if isinstance(index, ast.Slice):
            self.generic_visit(index)
            return owner
        shape = self._of(index)
        is_key = isinstance(index, ast.Tuple) or isinstance(index, ast.Constant) and isinstance(index.value, str)
        if is_key or shape.is_object() or owner.end().keys is not None:
            merge(owner.key(), shape)
        return owner.item()

    def _call(self, node: ast.Call) -> Shape:
        shapes = [self._of(each) for each in node.args]
        for keyword in node.keywords:
            self._of(keyword.value)
        if isinstance(node.func, ast.Attribute):
            owner, method = self._of(node.func.value), node.func.attr
            if method in _KEY_METHODS and shapes:
                merge(owner.key(), shapes[0])
            elif method in _ADDING_METHODS and shapes:
                merge(owner.item(), shapes[-1])
            elif method in _JOINING_METHODS and shapes:
                merge(owner, shapes[0])
            if method in ("items", "keys"):
                owner.key()
            return owner.item() if method in _ITEM_METHODS else owner if method == "copy" else Shape()
        if isinstance(node.func, ast.Name):
            name = node.func.id
            if name in self._functions:
                names, scope, result = self._functions[name]
                for parameter, each in zip(names, shapes):
                    merge(scope[parameter], each)
                return result
            if name in _SAME_ITEMS and shapes:
                return shapes[0]
            if name in _PUSHING and len(shapes) > 1:
                merge(shapes[0].item(), shapes[1])
            if name == "heappop" and shapes:
                return shapes[0].item()
            self.variable(name).called = True
            return Shape()
        self._of(node.func)
        return Shape()

    def _compare(self, node: ast.Compare) -> Shape:
        left = self._of(node.left)
        for operator, right in zip(node.ops, node.comparators):
            shape = self._of(right)
            if isinstance(right, ast.Constant):
                left.end().optional |= right.value is None
            elif isinstance(operator, (ast.In, ast.NotIn)):
                if shape.end().keys is not None:
                    merge(shape.key(), left)
                else:
                    merge(shape.item(), left)
            elif isinstance(operator, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)):
                merge(left, shape)
            left = shape
        return Shape()

    def _comprehension(self, node: Any) -> Shape:
        self._scopes.append({})
        for generator in node.generators:
            for each in ast.walk(generator.target):
                if isinstance(each, ast.Name):
                    self._scopes[-1][each.id] = Shape()
            self._assign(generator.target, self._items_of(generator.iter))
            for condition in generator.ifs:
                self._of(condition)
        shape = Shape()
        if isinstance(node, ast.DictComp):
            merge(shape.key(), self._of(node.key))
            merge(shape.item(), self._of(node.value))
        else:
            merge(shape.item(), self._of(node.elt))
        self._scopes.pop()
        return shape
