"""Changes of expressions that undo frequent mistakes: another operator, variable, bound, order of arguments, or condition."""

from __future__ import annotations

import ast
import copy
from typing import Iterator

from ..functions import Function
from ..mutation.mutation_operators import SWAPPED_CALLS
from .source_edits import Edit, Source
from .target_nodes import TargetNodes, name_of

_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Div, ast.Pow)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_NEGATED = {ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}
_CALLS = {**SWAPPED_CALLS, "extend": "append", "pop": "popleft", "popleft": "pop", "add": "discard"}
#: How many expressions of a function take the place of another.
_MOST_BORROWED = 12


class ExpressionFixes(TargetNodes):
    def __init__(self, source: Source, target: Function) -> None:
        super().__init__(source, target)
        self._borrowed = self._expressions_to_borrow()
        self._conditions = self._conditions_to_borrow()

    def expressions(self) -> Iterator[Edit]:
        for node in self.nodes:
            if isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                yield from self._of_expression(node)
            elif isinstance(node, ast.AugAssign):
                yield from self._of_augmented(node)

    def _of_expression(self, node: ast.expr) -> Iterator[Edit]:
        if isinstance(node, ast.Compare):
            yield from self._of_comparison(node)
        elif isinstance(node, ast.BinOp):
            yield from self._of_binary(node)
        elif isinstance(node, ast.BoolOp):
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield self.replaced(1, "boolean", node, ast.BoolOp(other, node.values))
            for at in range(len(node.values)):
                rest = node.values[:at] + node.values[at + 1 :]
                yield self.replaced(2, "boolean", node, rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest))
        elif isinstance(node, ast.UnaryOp):
            yield self.replaced(1, "unary", node, node.operand)
        elif isinstance(node, ast.Constant):
            for weight, value in _other_constants(node.value):
                yield self.replaced(weight, "constant", node, value)
        elif isinstance(node, ast.Call):
            yield from self._of_call(node)
        elif isinstance(node, ast.Subscript):
            yield from self._of_subscript(node)
        elif isinstance(node, ast.Name):
            yield from self._of_name(node)
        elif isinstance(node, ast.Attribute):
            yield self.replaced(2, "attribute", node, node.value)
        elif isinstance(node, ast.List) and not node.elts:
            yield self.replaced(2, "constant", node, ast.List([ast.List([], ast.Load())], ast.Load()))
        if self._is_condition(node):
            yield from self._of_condition(node)
        yield from self._wrapped(node)
        yield from self._with_borrowed(node)

    def _is_condition(self, node: ast.expr) -> bool:
        parent = self.parents.get(id(node))
        return getattr(parent, "test", None) is node or (isinstance(parent, ast.comprehension) and node in parent.ifs)

    def _of_comparison(self, node: ast.Compare) -> Iterator[Edit]:
        for at, operation in enumerate(node.ops):
            others = [_NEGATED[type(operation)]] if type(operation) in _NEGATED else [each for each in _COMPARISONS if not isinstance(operation, each)]
            for other in others:
                ops = [*node.ops[:at], other(), *node.ops[at + 1 :]]
                yield self.replaced(1, "comparison", node, ast.Compare(node.left, ops, node.comparators))

    def _of_binary(self, node: ast.BinOp) -> Iterator[Edit]:
        family = _BITS if isinstance(node.op, _BITS) else _ARITHMETIC
        for other in family:
            if not isinstance(node.op, other):
                yield self.replaced(1, "arithmetic", node, ast.BinOp(node.left, other(), node.right))
        yield self.replaced(1, "operands", node, ast.BinOp(node.right, node.op, node.left))
        for operand in (node.left, node.right):
            yield self.replaced(2, "operands", node, operand)

    def _of_augmented(self, node: ast.AugAssign) -> Iterator[Edit]:
        family = _BITS if isinstance(node.op, _BITS) else _ARITHMETIC
        for other in family:
            if not isinstance(node.op, other):
                changed = ast.AugAssign(node.target, other(), node.value)
                yield self.edit(1, "arithmetic", node, ast.unparse(ast.fix_missing_locations(changed)))
        yield self.edit(2, "assignment", node, ast.unparse(ast.fix_missing_locations(ast.Assign([node.target], node.value, lineno=1))))

    def _of_call(self, node: ast.Call) -> Iterator[Edit]:
        arguments = node.args
        for first in range(len(arguments)):
            for second in range(first + 1, len(arguments)):
                if not any(isinstance(each, ast.Starred) for each in (arguments[first], arguments[second])):
                    changed = list(arguments)
                    changed[first], changed[second] = changed[second], changed[first]
                    yield self.replaced(1, "arguments", node, ast.Call(node.func, changed, node.keywords))
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in _CALLS:
            function = copy.deepcopy(node.func)
            setattr(function, "id" if isinstance(function, ast.Name) else "attr", _CALLS[name])
            yield self.replaced(1, "call", node, ast.Call(function, arguments, node.keywords))
        if len(arguments) == 1 and not isinstance(arguments[0], ast.Starred) and isinstance(node.func, ast.Name):
            yield self.replaced(2, "call", node, arguments[0])
        for at in range(len(arguments)):
            yield self.replaced(3, "arguments", node, ast.Call(node.func, arguments[:at] + arguments[at + 1 :], node.keywords))
        for at in range(len(node.keywords)):
            yield self.replaced(3, "arguments", node, ast.Call(node.func, arguments, node.keywords[:at] + node.keywords[at + 1 :]))

    def _of_subscript(self, node: ast.Subscript) -> Iterator[Edit]:
        inner = node.slice
        if isinstance(inner, ast.Tuple) and len(inner.elts) > 1:
            yield self.replaced(1, "index", node, ast.Subscript(node.value, ast.Tuple(inner.elts[::-1], ast.Load()), ast.Load()))
        if isinstance(inner, ast.Slice):
            for bound in ("lower", "upper", "step"):
                if getattr(inner, bound) is not None:
                    changed = copy.deepcopy(inner)
                    setattr(changed, bound, None)
                    yield self.replaced(2, "slice", node, ast.Subscript(node.value, changed, ast.Load()))
        elif isinstance(inner, ast.Constant) and inner.value in (0, -1):
            yield self.replaced(1, "index", node, ast.Subscript(node.value, _number(-1 - inner.value), ast.Load()))
        yield self.replaced(3, "index", node, node.value)

    def _of_name(self, node: ast.Name) -> Iterator[Edit]:
        parent = self.parents.get(id(node))
        if node.id in self.scope.callables or (isinstance(parent, ast.Call) and parent.func is node):
            return
        if node.id not in self.scope.names:
            return
        alike = self._kinds(node.id)
        for name in self.scope.names:
            if name != node.id:
                yield self.replaced(1 if alike & self._kinds(name) else 2, "variable", node, name_of(name))
        if node.id in self.scope.sequences and not (isinstance(parent, ast.Subscript) and parent.value is node):
            one = _number(1)
            slices = [ast.Slice(one, None, None), ast.Slice(None, _number(-1), None), ast.Slice(None, None, _number(-1))]
            for number in sorted(self.scope.numbers & set(self.scope.names)):
                slices += [ast.Slice(name_of(number), None, None), ast.Slice(None, name_of(number), None)]
            for each in slices:
                yield self.replaced(2, "slice", node, ast.Subscript(name_of(node.id), each, ast.Load()))

    def _kinds(self, name: str) -> set[str]:
        return {kind for kind, names in (("number", self.scope.numbers), ("sequence", self.scope.sequences)) if name in names}

    def _of_condition(self, node: ast.expr) -> Iterator[Edit]:
        yield self.replaced(1, "condition", node, _negated(node))
        bases = {ast.dump(each.value): each.value for each in ast.walk(node) if isinstance(each, ast.Attribute)}
        none = ast.Constant(None)
        for base in bases.values():
            missing = ast.Compare(base, [ast.Is()], [none])
            there = ast.Compare(base, [ast.IsNot()], [none])
            yield self.replaced(1, "condition", node, ast.BoolOp(ast.Or(), [missing, node]))
            yield self.replaced(1, "condition", node, ast.BoolOp(ast.And(), [there, node]))
        used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        for condition in self._conditions:
            if ast.dump(condition) == ast.dump(node):
                continue
            is_near = bool(used & {each.id for each in ast.walk(condition) if isinstance(each, ast.Name)})
            weight = 2 if is_near or isinstance(condition, ast.UnaryOp) else 3
            yield self.replaced(weight, "condition", node, ast.BoolOp(ast.Or(), [node, condition]))
            yield self.replaced(weight, "condition", node, ast.BoolOp(ast.And(), [node, condition]))
            yield self.replaced(3, "condition", node, condition)

    def _wrapped(self, node: ast.expr) -> Iterator[Edit]:
        """Yields a number one more, one less, or with another one taken into account."""
        parent = self.parents.get(id(node))
        is_number = isinstance(node, ast.Name) and node.id in self.scope.numbers
        is_number |= isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("len", "sum", "abs", "int", "round")
        is_number |= isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Sub, ast.Mult, ast.FloorDiv, ast.Div, ast.Mod, ast.Add))
        if not is_number or (isinstance(parent, ast.BinOp) and isinstance(parent.right, ast.Constant) and parent.left is node):
            return
        for operation in (ast.Add(), ast.Sub()):
            yield self.replaced(1, "off by one", node, ast.BinOp(node, operation, _number(1)))
        if isinstance(node, ast.Name):
            for name in sorted(self.scope.numbers & set(self.scope.names) - {node.id}):
                for operation in (ast.Sub(), ast.Add()):
                    yield self.replaced(2, "calculation", node, ast.BinOp(node, operation, name_of(name)))
            yield self.replaced(3, "calculation", node, ast.BinOp(node, ast.Pow(), _number(2)))
            yield self.replaced(3, "calculation", node, ast.BinOp(node, ast.Mult(), _number(2)))

    def _with_borrowed(self, node: ast.expr) -> Iterator[Edit]:
        """Yields other expressions of the function in the place of one of the same form, or of a plain name."""
        for other in self._borrowed:
            if ast.dump(other) == ast.dump(node) or any(each is node for each in ast.walk(other)):
                continue
            if type(other) is type(node) or (isinstance(node, ast.Name) and node.id in self.scope.names):
                yield self.replaced(3, "expression", node, other)

    def _expressions_to_borrow(self) -> list[ast.expr]:
        found: dict[str, ast.expr] = {}
        for node in self.nodes:
            if isinstance(node, (ast.Call, ast.Subscript, ast.BinOp, ast.Attribute)) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                found.setdefault(ast.dump(node), node)
        return sorted(found.values(), key=lambda each: len(ast.dump(each)))[:_MOST_BORROWED]

    def _conditions_to_borrow(self) -> list[ast.expr]:
        found: dict[str, ast.expr] = {}
        for node in self.nodes:
            if isinstance(node, ast.Compare):
                for each in (node, _negated(node)):
                    found.setdefault(ast.dump(each), each)
        for name in self.scope.names:
            for each in (ast.UnaryOp(ast.Not(), name_of(name)), name_of(name)):
                found.setdefault(ast.dump(each), each)
        return list(found.values())


def _number(value: int) -> ast.expr:
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))


_OPPOSITES = {ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, **_NEGATED}


def _negated(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPPOSITES:
        return ast.Compare(node.left, [_OPPOSITES[type(node.ops[0])]()], node.comparators)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    return ast.UnaryOp(ast.Not(), node)


def _other_constants(value: object) -> Iterator[tuple[int, ast.expr]]:
    if isinstance(value, bool):
        yield 1, ast.Constant(not value)
    elif isinstance(value, int):
        for other in (value + 1, value - 1):
            yield 1, _number(other)
        for other in {0, 1, 2, -value} - {value, value + 1, value - 1}:
            yield 2, _number(other)
    elif isinstance(value, float):
        for number in (0.0, 1.0, -value, value + 1.0, value - 1.0):
            yield 2, ast.Constant(number) if number >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-number))
    elif isinstance(value, str):
        for text in ("", " ") if value not in ("", " ") else (" " if value == "" else "",):
            yield 3, ast.Constant(text)
    elif value is None:
        yield 2, ast.Constant(0)
