"""Inputs from what a function compares, looks up or searches: a value of the input is replaced by what fits there.

Boundaries that no literal in the code shows, such as a total that equals a limit, are found so (Redqueen's input-to-state
correspondence, for Python values).
"""

from __future__ import annotations

import ast
import copy
import itertools
import math
import random
import re
from typing import Any, Callable, Iterator

from ..function_objects import functions_of
from ..functions import find_node
from ..mutation.mutants import find_code
from ..values.built_objects import Built
from .observe import Input, Target, observe
from .text_samples import matching

_NOTE = "__autotest_note__"
#: Methods of texts, and of regular expressions, whose argument tells what a text may hold.
_TEXT_METHODS = {
    *("startswith", "endswith", "find", "rfind", "index", "split", "rsplit", "partition", "rpartition", "count", "replace"),
    *("removeprefix", "removesuffix", "strip", "lstrip", "rstrip"),
}
_PATTERN_METHODS = {"match", "fullmatch", "search", "findall", "finditer", "sub", "split"}
_MOST_MEMBERS = 8
#: Items that a value is given where its length is compared.
_MOST_ITEMS = 60
_TYPES = (int, float, str, bytes)
_MOST_PAIRS = 60
Pair = tuple[Any, Any]


class ComparedValues:
    """The function with its comparisons noted."""

    def __init__(self, target: Target, source: str, path: str, functions: list[Any], parameters: list[dict[str, Any]]) -> None:
        self._target = target
        self._parameters = parameters
        self._random = random.Random(0)
        self._pairs: list[Pair] = []
        tree = ast.parse(source, path)
        node = find_node(tree, target.qualname)
        self._codes: list[tuple[Any, Any]] = []
        if node is None:
            return
        helpers = [(each.name, each) for each in _called(node, tree)]
        for each in (node, *(helper for _, helper in helpers)):
            _Noting().visit(each)
        try:
            module = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return
        for name, of in ((target.qualname, functions), *((name, functions_of(path, name)) for name, _ in helpers)):
            code = find_code(module, name)
            if code is not None:
                self._codes += [(function, code) for function in of]

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
        self._pairs = []
        originals = [(function, function.__code__) for function, _ in self._codes]
        try:
            for function, code in self._codes:
                function.__globals__.update({_NOTE: self._note, f"{_NOTE}call": self._call, f"{_NOTE}item": self._item})
                function.__code__ = code.replace(co_filename=function.__code__.co_filename)
            observe(self._target, given, 0.2)
        except ValueError:
            return []
        finally:
            for function, original in originals:
                function.__code__ = original
                for name in (_NOTE, f"{_NOTE}call", f"{_NOTE}item"):
                    function.__globals__.pop(name, None)
        return self._pairs

    def _note(self, left: Any, right: Any, is_membership: bool = False) -> None:
        if not is_membership:
            self._add(left, right)
        elif type(left) in _TYPES and type(right) in (str, bytes, list, tuple, set, frozenset, dict):
            for each in itertools.islice(right, _MOST_MEMBERS):
                self._add(left, bytes([each]) if type(left) is type(right) is bytes else each)

    def _add(self, left: Any, right: Any) -> None:
        if len(self._pairs) >= _MOST_PAIRS or type(left) not in _TYPES or type(right) not in _TYPES or left == right:
            return
        numbers = isinstance(left, (int, float)) and isinstance(right, (int, float))
        if (numbers or type(left) is type(right)) and (left, right) not in self._pairs:
            self._pairs.append((left, right))

    def _call(self, owner: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        """Calls a method, having noted a text that it would find something in."""
        if args and type(owner) is str and type(args[0]) is str and method in _TEXT_METHODS:
            half = len(owner) // 2
            joined = {"startswith": args[0] + owner, "endswith": owner + args[0]}
            self._add(owner, joined.get(method, owner[:half] + args[0] + owner[half:]))
        elif method in _PATTERN_METHODS and args:
            pattern, text = (args[0], args[1] if len(args) > 1 else None) if owner is re else (owner, args[0])
            if type(text) is str and (owner is re or isinstance(owner, re.Pattern)):
                for _ in range(3):
                    found = matching(pattern, self._random)
                    if found is not None:
                        self._add(text, found)
        return getattr(owner, method)(*args, **kwargs)

    def _item(self, owner: Any, key: Any) -> Any:
        """Returns an item, having noted the keys that there are."""
        if type(owner) is dict and type(key) in _TYPES:
            for each in itertools.islice(owner, _MOST_MEMBERS):
                self._add(key, each)
        return owner[key]

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
    """Wraps comparisons, calls and look-ups with notes, without evaluating anything twice."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        kinds = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)
        if len(node.ops) != 1 or not isinstance(node.ops[0], kinds):
            return node
        left, right = f"{_NOTE}left", f"{_NOTE}right"
        is_membership = ast.Constant(isinstance(node.ops[0], (ast.In, ast.NotIn)))
        note = ast.Call(_name(_NOTE), [_name(left), _name(right), is_membership], [])
        compared = ast.Compare(_name(left), node.ops, [_name(right)])
        arguments = ast.arguments([], [ast.arg(left), ast.arg(right)], None, [], [], None, [])
        body = ast.BoolOp(ast.And(), [ast.Compare(note, [ast.Is()], [ast.Constant(None)]), compared])
        return ast.Call(ast.Lambda(arguments, body), [node.left, node.comparators[0]], [])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _TEXT_METHODS | _PATTERN_METHODS:
            arguments = [node.func.value, ast.Constant(node.func.attr), *node.args]
            return ast.Call(_name(f"{_NOTE}call"), arguments, node.keywords)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and isinstance(node.slice, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
            return ast.Call(_name(f"{_NOTE}item"), [node.value, node.slice], [])
        return node


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _called(node: ast.AST, tree: ast.Module) -> list[Any]:
    """Returns the functions of the module that a function calls by name, and those that they call."""
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    found: dict[str, Any] = {}
    waiting: list[ast.AST] = [node]
    while waiting and len(found) < 12:
        for each in ast.walk(waiting.pop()):
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Name):
                helper = functions.get(each.func.id)
                if helper is not None and helper is not node and each.func.id not in found:
                    found[each.func.id] = helper
                    waiting.append(helper)
    return list(found.values())


def _beside(had: Any, value: Any) -> list[Any]:
    if isinstance(value, (bool, str, bytes)):
        return [value]
    if isinstance(had, int) and isinstance(value, int):
        return [value, value + 1, value - 1]
    if isinstance(had, float) or isinstance(value, int):
        return [value]
    return [int(value)] if math.isfinite(value) else []


def _with(value: Any, had: Any, wanted: Any, depth: int = 0) -> Iterator[Any]:
    """Yields a value with one of its parts that is `had` replaced."""
    if type(value) is type(had) and value == had:
        yield wanted if not (isinstance(had, float) and isinstance(wanted, int)) else float(wanted)
    elif type(value) is type(had) and isinstance(value, (str, bytes)) and 0 < len(had) and had in value:
        yield value.replace(had, wanted, 1)
        if value.count(had) > 1:
            first, _, last = value.rpartition(had)
            yield first + wanted + last
    elif depth > 3:
        return
    elif type(had) is type(wanted) is int and isinstance(value, (str, list)) and (found := _counted(value, had, wanted)):
        yield from found
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


def _counted(value: Any, had: int, wanted: int) -> list[Any]:
    """Returns a text with a number in it that is `had`, or what has that many items, with the number that is wanted."""
    found: list[Any] = []
    if isinstance(value, str):
        for number in re.finditer(r"\d+", value):
            if int(number[0]) == had and wanted >= 0:
                found.append(value[: number.start()] + str(wanted).zfill(len(number[0])) + value[number.end() :])
    if len(value) == had and 0 <= wanted <= _MOST_ITEMS:
        found.append(value[:wanted] if wanted < had else (value * (wanted // max(1, had) + 1))[:wanted])
    return found


def _built(value: Built, arguments: list[Any], keywords: dict[str, Any]) -> Iterator[Built]:
    make: Callable[..., Built] = Built.of
    try:
        yield make(value.cls, arguments, keywords)
    except Exception:  # noqa: BLE001 - the class refuses it
        return
