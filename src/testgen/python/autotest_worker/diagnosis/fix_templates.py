"""The changes of a function that undo frequent mistakes: more than a mutant's, as the right program is among them only by chance."""

from __future__ import annotations

import ast
import copy
from typing import Iterator, Optional

from ..functions import Function
from .scope import Scope
from .source_edits import Edit, Source, written

_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Div, ast.Pow)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_NEGATED = {ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}
_CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "lower": "upper", "upper": "lower"}
_CALLS.update({"append": "extend", "extend": "append", "lstrip": "rstrip", "rstrip": "lstrip", "pop": "popleft", "popleft": "pop"})
_CALLS.update({"startswith": "endswith", "endswith": "startswith", "find": "rfind", "ceil": "floor", "floor": "ceil", "add": "discard"})
#: How many expressions of a function take the place of another.
_MOST_BORROWED = 12


def fixes_of(source: Source, target: Function) -> Iterator[Edit]:
    """Yields edits of a function, likelier ones of a place first; many are no better than what is there."""
    templates = _Templates(source, target)
    yield from templates.expressions()
    yield from templates.statements()


class _Templates:
    def __init__(self, source: Source, target: Function) -> None:
        self._source = source
        self._target = target
        self._scope = Scope(target)
        self._parents: dict[int, ast.AST] = {}
        for parent in ast.walk(target):
            for child in ast.iter_child_nodes(parent):
                self._parents[id(child)] = parent
        skipped = {id(each) for each in self._not_executed()}
        body = [each for statement in target.body for each in ast.walk(statement)]
        self._nodes = [each for each in body if id(each) not in skipped]
        self._borrowed = self._expressions_to_borrow()
        self._conditions = self._conditions_to_borrow()

    def _not_executed(self) -> Iterator[ast.AST]:
        for node in ast.walk(self._target):
            for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
                if isinstance(annotation, ast.AST):
                    yield from ast.walk(annotation)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                yield from ast.walk(node)
            # Their parts have no place of their own in every version.
            if isinstance(node, ast.JoinedStr):
                yield from (each for part in node.values for each in ast.walk(part))

    def _expressions_to_borrow(self) -> list[ast.expr]:
        found: dict[str, ast.expr] = {}
        for node in self._nodes:
            if isinstance(node, (ast.Call, ast.Subscript, ast.BinOp, ast.Attribute)) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                found.setdefault(ast.dump(node), node)
        return sorted(found.values(), key=lambda each: len(ast.dump(each)))[:_MOST_BORROWED]

    def _conditions_to_borrow(self) -> list[ast.expr]:
        found: dict[str, ast.expr] = {}
        for node in self._nodes:
            if isinstance(node, ast.Compare):
                for each in (node, _negated(node)):
                    found.setdefault(ast.dump(each), each)
        for name in self._scope.names:
            for each in (ast.UnaryOp(ast.Not(), _name(name)), _name(name)):
                found.setdefault(ast.dump(each), each)
        return list(found.values())

    def _edit(self, weight: int, operator: str, node: ast.AST, text: str) -> Edit:
        return Edit(weight, operator, self._line(node), self._source.start(node), self._source.end(node), text)

    def _line(self, node: ast.AST) -> int:
        """Returns the line of the statement that a node is in; of one with a body, that of its head."""
        inner: Optional[ast.AST] = node
        while inner is not None and not isinstance(inner, ast.stmt):
            inner = self._parents.get(id(inner))
        return getattr(inner, "lineno", self._target.lineno)

    def _replaced(self, weight: int, operator: str, node: ast.expr, new: ast.expr) -> Edit:
        return self._edit(weight, operator, node, written(new, self._parents.get(id(node)), self._source, node))

    # Expressions

    def expressions(self) -> Iterator[Edit]:
        for node in self._nodes:
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
            yield self._replaced(1, "boolean", node, ast.BoolOp(other, node.values))
            for at in range(len(node.values)):
                rest = node.values[:at] + node.values[at + 1 :]
                yield self._replaced(2, "boolean", node, rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest))
        elif isinstance(node, ast.UnaryOp):
            yield self._replaced(1, "unary", node, node.operand)
        elif isinstance(node, ast.Constant):
            for weight, value in _other_constants(node.value):
                yield self._replaced(weight, "constant", node, value)
        elif isinstance(node, ast.Call):
            yield from self._of_call(node)
        elif isinstance(node, ast.Subscript):
            yield from self._of_subscript(node)
        elif isinstance(node, ast.Name):
            yield from self._of_name(node)
        elif isinstance(node, ast.Attribute):
            yield self._replaced(2, "attribute", node, node.value)
        elif isinstance(node, ast.List) and not node.elts:
            yield self._replaced(2, "constant", node, ast.List([ast.List([], ast.Load())], ast.Load()))
        if self._is_condition(node):
            yield from self._of_condition(node)
        yield from self._wrapped(node)
        yield from self._with_borrowed(node)

    def _is_condition(self, node: ast.expr) -> bool:
        parent = self._parents.get(id(node))
        return getattr(parent, "test", None) is node or (isinstance(parent, ast.comprehension) and node in parent.ifs)

    def _of_comparison(self, node: ast.Compare) -> Iterator[Edit]:
        for at, operation in enumerate(node.ops):
            others = [_NEGATED[type(operation)]] if type(operation) in _NEGATED else [each for each in _COMPARISONS if not isinstance(operation, each)]
            for other in others:
                ops = [*node.ops[:at], other(), *node.ops[at + 1 :]]
                yield self._replaced(1, "comparison", node, ast.Compare(node.left, ops, node.comparators))

    def _of_binary(self, node: ast.BinOp) -> Iterator[Edit]:
        family = _BITS if isinstance(node.op, _BITS) else _ARITHMETIC
        for other in family:
            if not isinstance(node.op, other):
                yield self._replaced(1, "arithmetic", node, ast.BinOp(node.left, other(), node.right))
        yield self._replaced(1, "operands", node, ast.BinOp(node.right, node.op, node.left))
        for operand in (node.left, node.right):
            yield self._replaced(2, "operands", node, operand)

    def _of_augmented(self, node: ast.AugAssign) -> Iterator[Edit]:
        family = _BITS if isinstance(node.op, _BITS) else _ARITHMETIC
        for other in family:
            if not isinstance(node.op, other):
                changed = ast.AugAssign(node.target, other(), node.value)
                yield self._edit(1, "arithmetic", node, ast.unparse(ast.fix_missing_locations(changed)))
        yield self._edit(2, "assignment", node, ast.unparse(ast.fix_missing_locations(ast.Assign([node.target], node.value, lineno=1))))

    def _of_call(self, node: ast.Call) -> Iterator[Edit]:
        arguments = node.args
        for first in range(len(arguments)):
            for second in range(first + 1, len(arguments)):
                if not any(isinstance(each, ast.Starred) for each in (arguments[first], arguments[second])):
                    changed = list(arguments)
                    changed[first], changed[second] = changed[second], changed[first]
                    yield self._replaced(1, "arguments", node, ast.Call(node.func, changed, node.keywords))
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in _CALLS:
            function = copy.deepcopy(node.func)
            setattr(function, "id" if isinstance(function, ast.Name) else "attr", _CALLS[name])
            yield self._replaced(1, "call", node, ast.Call(function, arguments, node.keywords))
        if len(arguments) == 1 and not isinstance(arguments[0], ast.Starred) and isinstance(node.func, ast.Name):
            yield self._replaced(2, "call", node, arguments[0])
        for at in range(len(arguments)):
            yield self._replaced(3, "arguments", node, ast.Call(node.func, arguments[:at] + arguments[at + 1 :], node.keywords))
        for at in range(len(node.keywords)):
            yield self._replaced(3, "arguments", node, ast.Call(node.func, arguments, node.keywords[:at] + node.keywords[at + 1 :]))

    def _of_subscript(self, node: ast.Subscript) -> Iterator[Edit]:
        inner = node.slice
        if isinstance(inner, ast.Tuple) and len(inner.elts) > 1:
            yield self._replaced(1, "index", node, ast.Subscript(node.value, ast.Tuple(inner.elts[::-1], ast.Load()), ast.Load()))
        if isinstance(inner, ast.Slice):
            for bound in ("lower", "upper", "step"):
                if getattr(inner, bound) is not None:
                    changed = copy.deepcopy(inner)
                    setattr(changed, bound, None)
                    yield self._replaced(2, "slice", node, ast.Subscript(node.value, changed, ast.Load()))
        elif isinstance(inner, ast.Constant) and inner.value in (0, -1):
            yield self._replaced(1, "index", node, ast.Subscript(node.value, _number(-1 - inner.value), ast.Load()))
        yield self._replaced(3, "index", node, node.value)

    def _of_name(self, node: ast.Name) -> Iterator[Edit]:
        parent = self._parents.get(id(node))
        if node.id in self._scope.callables or (isinstance(parent, ast.Call) and parent.func is node):
            return
        if node.id not in self._scope.names:
            return
        alike = self._kinds(node.id)
        for name in self._scope.names:
            if name != node.id:
                yield self._replaced(1 if alike & self._kinds(name) else 2, "variable", node, _name(name))
        if node.id in self._scope.sequences and not (isinstance(parent, ast.Subscript) and parent.value is node):
            one = _number(1)
            slices = [ast.Slice(one, None, None), ast.Slice(None, _number(-1), None), ast.Slice(None, None, _number(-1))]
            for number in sorted(self._scope.numbers & set(self._scope.names)):
                slices += [ast.Slice(_name(number), None, None), ast.Slice(None, _name(number), None)]
            for each in slices:
                yield self._replaced(2, "slice", node, ast.Subscript(_name(node.id), each, ast.Load()))

    def _kinds(self, name: str) -> set[str]:
        return {kind for kind, names in (("number", self._scope.numbers), ("sequence", self._scope.sequences)) if name in names}

    def _of_condition(self, node: ast.expr) -> Iterator[Edit]:
        yield self._replaced(1, "condition", node, _negated(node))
        bases = {ast.dump(each.value): each.value for each in ast.walk(node) if isinstance(each, ast.Attribute)}
        none = ast.Constant(None)
        for base in bases.values():
            missing = ast.Compare(base, [ast.Is()], [none])
            there = ast.Compare(base, [ast.IsNot()], [none])
            yield self._replaced(1, "condition", node, ast.BoolOp(ast.Or(), [missing, node]))
            yield self._replaced(1, "condition", node, ast.BoolOp(ast.And(), [there, node]))
        used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        for condition in self._conditions:
            if ast.dump(condition) == ast.dump(node):
                continue
            is_near = bool(used & {each.id for each in ast.walk(condition) if isinstance(each, ast.Name)})
            weight = 2 if is_near or isinstance(condition, ast.UnaryOp) else 3
            yield self._replaced(weight, "condition", node, ast.BoolOp(ast.Or(), [node, condition]))
            yield self._replaced(weight, "condition", node, ast.BoolOp(ast.And(), [node, condition]))
            yield self._replaced(3, "condition", node, condition)

    def _wrapped(self, node: ast.expr) -> Iterator[Edit]:
        """Yields a number one more, one less, or with another one taken into account."""
        parent = self._parents.get(id(node))
        is_number = isinstance(node, ast.Name) and node.id in self._scope.numbers
        is_number |= isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("len", "sum", "abs", "int", "round")
        is_number |= isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Sub, ast.Mult, ast.FloorDiv, ast.Div, ast.Mod, ast.Add))
        if not is_number or (isinstance(parent, ast.BinOp) and isinstance(parent.right, ast.Constant) and parent.left is node):
            return
        for operation in (ast.Add(), ast.Sub()):
            yield self._replaced(1, "off by one", node, ast.BinOp(node, operation, _number(1)))
        if isinstance(node, ast.Name):
            for name in sorted(self._scope.numbers & set(self._scope.names) - {node.id}):
                for operation in (ast.Sub(), ast.Add()):
                    yield self._replaced(2, "calculation", node, ast.BinOp(node, operation, _name(name)))
            yield self._replaced(3, "calculation", node, ast.BinOp(node, ast.Pow(), _number(2)))
            yield self._replaced(3, "calculation", node, ast.BinOp(node, ast.Mult(), _number(2)))

    def _with_borrowed(self, node: ast.expr) -> Iterator[Edit]:
        """Yields other expressions of the function in the place of one of the same form, or of a plain name."""
        for other in self._borrowed:
            if ast.dump(other) == ast.dump(node) or any(each is node for each in ast.walk(other)):
                continue
            if type(other) is type(node) or (isinstance(node, ast.Name) and node.id in self._scope.names):
                yield self._replaced(3, "expression", node, other)

    # Statements

    def statements(self) -> Iterator[Edit]:
        simple = [each for each in self._nodes if isinstance(each, (ast.Expr, ast.Assign, ast.AugAssign))]
        for node in self._nodes:
            if not isinstance(node, ast.stmt) or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            if isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign)):
                yield self._edit(2, "statement", node, "pass")
            elif isinstance(node, (ast.Break, ast.Continue)):
                yield self._edit(1, "loop", node, "continue" if isinstance(node, ast.Break) else "break")
            elif isinstance(node, ast.Return):
                yield from self._of_return(node)
        copies = list(self._copies(simple))
        for node in self._nodes:
            if isinstance(node, ast.stmt):
                for text in copies:
                    yield from self._inserted(3, node, text)
        yield from self._guards()

    def _of_return(self, node: ast.Return) -> Iterator[Edit]:
        texts = [*self._scope.names, "None", "True", "False", "0", "1", "[]", "''"]
        if node.value is not None:
            segment = self._source.segment(node.value)
            texts += [f"[{segment}]", f"not ({segment})"]
        for text in texts:
            yield self._edit(2, "return", node, f"return {text}")

    def _copies(self, simple: list[ast.stmt]) -> Iterator[str]:
        """Yields the simple statements, and calls among them with another variable."""
        seen: set[str] = set()
        for node in simple:
            variants: list[ast.AST] = [node]
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                for at, argument in enumerate(node.value.args):
                    for name in self._scope.names:
                        changed = copy.deepcopy(node)
                        changed.value.args[at] = _name(name)  # type: ignore[attr-defined]
                        variants.append(changed)
                function = node.value.func
                if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
                    for base in sorted(self._scope.sequences & set(self._scope.names)):
                        changed = copy.deepcopy(node)
                        changed.value.func.value = _name(base)  # type: ignore[attr-defined]
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
        start = self._source.line_start(node.lineno)
        yield Edit(weight, "missing statement", node.lineno, start, start, f"{indent}{text}\n")
        parent = self._parents.get(id(node))
        blocks = [getattr(parent, field, None) for field in ("body", "orelse", "finalbody")]
        if any(isinstance(block, list) and block and block[-1] is node for block in blocks) and not isinstance(node, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
            end = self._source.line_start((node.end_lineno or node.lineno) + 1)
            yield Edit(weight, "missing statement", node.end_lineno or node.lineno, end, end, f"{indent}{text}\n")

    def _is_first_on_line(self, node: ast.stmt) -> bool:
        return self._source.line(node.lineno)[: node.col_offset].strip() == ""

    def _guards(self) -> Iterator[Edit]:
        """Yields an early return at the start of the function and of those within it."""
        for function in [self._target, *(each for each in self._nodes if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)))]:
            first = function.body[1] if _is_docstring(function.body[0]) and len(function.body) > 1 else function.body[0]
            parameters = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
            for name in parameters:
                for test in (f"not {name}", f"{name} is None", *([f"len({name}) <= 1"] if name in self._scope.sequences else [])):
                    for value in ("None", "0", "1", "False", "True", "[]", "''", name):
                        yield from list(self._inserted(3, first, f"if {test}: return {value}"))[:1]


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


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
