"""Inputs from what a function compares: a value of the input is replaced by what it is compared with.

Boundaries that no literal in the code shows, such as a total that equals a limit, are found so (Redqueen's input-to-state
correspondence, for Python values).
"""

from __future__ import annotations

import ast
import copy
from typing import Any, Callable, Iterator

from .built_objects import Built
from .functions import find_node
from .mutants import find_code
from .observe import Input, Target, observe

_NOTE = "__autotest_note__"
_TYPES = (int, float, str)
_MOST_PAIRS = 60
Pair = tuple[Any, Any]


class ComparedValues:
    """The function with its comparisons noted."""

    def __init__(self, target: Target, source: str, path: str, functions: list[Any], parameters: list[dict[str, Any]]) -> None:
        self._target = target
        self._functions = functions
        self._parameters = parameters
        self._pairs: list[Pair] = []
        tree = ast.parse(source, path)
        node = find_node(tree, target.qualname)
        self._code = None
        if node is not None:
            _Noting().visit(node)
            try:
                module = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
                self._code = find_code(module, target.qualname)
            except (SyntaxError, ValueError):
                pass

    def variants(self, given: Input) -> Iterator[Input]:
        """Yields the input with one value replaced by what it was compared with, and by values beside that."""
        seen: set[str] = set()
        for left, right in self._compared(given):
            for had, wanted in ((left, right), (right, left)):
                for value in _beside(had, wanted):
                    for changed in self._replaced(given, had, value):
                        key = repr((changed.args, changed.kwargs, changed.receiver))
                        if key not in seen:
                            seen.add(key)
                            yield changed

    def _compared(self, given: Input) -> list[Pair]:
        code = self._code
        if code is None:
            return []
        self._pairs = []
        originals = [(function, function.__code__) for function in self._functions]
        try:
            for function, original in originals:
                function.__globals__[_NOTE] = self._note
                function.__code__ = code.replace(co_filename=original.co_filename)
            observe(self._target, given, 0.2)
        except ValueError:
            return []
        finally:
            for function, original in originals:
                function.__code__ = original
                function.__globals__.pop(_NOTE, None)
        return self._pairs

    def _note(self, left: Any, right: Any) -> None:
        if len(self._pairs) >= _MOST_PAIRS or type(left) not in _TYPES or type(right) not in _TYPES or left == right:
            return
        if isinstance(left, str) == isinstance(right, str) and (left, right) not in self._pairs:
            self._pairs.append((left, right))

    def _replaced(self, given: Input, had: Any, value: Any) -> Iterator[Input]:
        for at, arg in enumerate(given.args):
            for changed in _with(arg, had, value):
                yield Input([*given.args[:at], changed, *given.args[at + 1 :]], dict(given.kwargs), given.receiver)
        for name, arg in given.kwargs.items():
            for changed in _with(arg, had, value):
                yield Input(list(given.args), {**given.kwargs, name: changed}, given.receiver)
        if given.receiver is not None:
            for changed in _with(given.receiver, had, value):
                yield Input(list(given.args), dict(given.kwargs), changed)
        positional = [each for each in self._parameters if each["kind"].startswith("positional")]
        left_out = [*positional[len(given.args) :], *(each for each in self._parameters if each["kind"] == "keyword_only")]
        for each in left_out:
            if each["name"] not in given.kwargs and each["kind"] != "positional_only":
                if type(each["default"]) is type(had) and each["default"] == had:
                    yield Input(list(given.args), {**given.kwargs, each["name"]: value}, given.receiver)


class _Noting(ast.NodeTransformer):
    """Wraps comparisons: `a < b` becomes `(lambda l, r: note)(…)` without evaluating anything twice."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            return node
        left, right = f"{_NOTE}left", f"{_NOTE}right"
        note = ast.Call(ast.Name(_NOTE, ast.Load()), [ast.Name(left, ast.Load()), ast.Name(right, ast.Load())], [])
        compared = ast.Compare(ast.Name(left, ast.Load()), node.ops, [ast.Name(right, ast.Load())])
        arguments = ast.arguments([], [ast.arg(left), ast.arg(right)], None, [], [], None, [])
        body = ast.BoolOp(ast.And(), [ast.Compare(note, [ast.Is()], [ast.Constant(None)]), compared])
        return ast.Call(ast.Lambda(arguments, body), [node.left, node.comparators[0]], [])


def _beside(had: Any, value: Any) -> list[Any]:
    if isinstance(value, bool) or isinstance(value, str):
        return [value]
    if isinstance(had, int) and isinstance(value, int):
        return [value, value + 1, value - 1]
    return [value] if isinstance(had, float) or isinstance(value, int) else [int(value)]


def _with(value: Any, had: Any, wanted: Any, depth: int = 0) -> Iterator[Any]:
    """Yields a value with one of its parts that is `had` replaced."""
    if type(value) is type(had) and value == had:
        yield wanted if not (isinstance(had, float) and isinstance(wanted, int)) else float(wanted)
    elif depth > 3:
        return
    elif isinstance(value, Built):
        for at, each in enumerate(value.arguments):
            for changed in _with(each, had, wanted, depth + 1):
                arguments = copy.copy(value.arguments)
                arguments[at] = changed
                yield from _built(value, arguments, value.keywords)
        for name, each in value.keywords.items():
            for changed in _with(each, had, wanted, depth + 1):
                yield from _built(value, value.arguments, {**value.keywords, name: changed})
    elif type(value) in (list, tuple):
        for at, each in enumerate(value[:12]):
            for changed in _with(each, had, wanted, depth + 1):
                yield type(value)([*value[:at], changed, *value[at + 1 :]])
    elif type(value) is dict:
        for key, each in list(value.items())[:12]:
            for changed in _with(each, had, wanted, depth + 1):
                yield {**value, key: changed}
            if type(key) is type(had) and key == had:
                yield {wanted if name == key else name: item for name, item in value.items()}


def _built(value: Built, arguments: list[Any], keywords: dict[str, Any]) -> Iterator[Built]:
    make: Callable[..., Built] = Built.of
    try:
        yield make(value.cls, arguments, keywords)
    except Exception:  # noqa: BLE001 - the class refuses it
        return
