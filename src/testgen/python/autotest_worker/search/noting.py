"""Notes what a function compares, looks up and searches while it runs."""

from __future__ import annotations

import ast
import datetime
import decimal
import enum
import fractions
import itertools
import random
import re
from typing import Any, Iterator, Optional

from ..functions import find_node
from .text_samples import matching

#: Begins the names of what notes, in the code that is changed; two underlines would be of a class in its methods.
NOTE = "_autotest_note_"
#: Methods of texts, and of regular expressions, whose argument tells what a text may hold.
_TEXT_METHODS = {
    *("startswith", "endswith", "find", "rfind", "index", "split", "rsplit", "partition", "rpartition", "count", "replace"),
    *("removeprefix", "removesuffix", "strip", "lstrip", "rstrip"),
}
#: Methods of mappings that look for a key.
_KEY_METHODS = {"get", "pop", "setdefault"}
_PATTERN_METHODS = {"match", "fullmatch", "search", "findall", "finditer", "sub", "split"}
#: What reads a number from a text.
_NUMBERS = ("int", "float", "Decimal", "Fraction")
_MOST_MEMBERS = 8
_MOST_PAIRS = 60
_COMPARED = (int, float, str, bytes, decimal.Decimal, fractions.Fraction, datetime.date, datetime.datetime, datetime.timedelta)
_IN_NUMBERS = (int, float, decimal.Decimal, fractions.Fraction)
#: A value, and another one that it was compared with or that would be found.
Pair = tuple[Any, Any]


class Notes:
    """The pairs of one run; what `Noting` writes into the code calls it."""

    def __init__(self) -> None:
        self._random = random.Random(0)
        self.pairs: list[Pair] = []

    def names(self) -> dict[str, Any]:
        """Returns what the changed code refers to."""
        return {NOTE: self._note, f"{NOTE}call": self._call, f"{NOTE}item": self._item, f"{NOTE}made": self._made}

    def _note(self, left: Any, right: Any, is_membership: bool = False) -> None:
        if not is_membership:
            self._add(left, right)
        elif type(left) in _COMPARED and type(right) in (str, bytes, list, tuple, set, frozenset, dict):
            for each in itertools.islice(right, _MOST_MEMBERS):
                self._add(left, bytes([each]) if type(left) is type(right) is bytes else each)

    def _add(self, left: Any, right: Any) -> None:
        if len(self.pairs) >= _MOST_PAIRS or type(left) not in _COMPARED or type(right) not in _COMPARED or left == right:
            return
        numbers = isinstance(left, _IN_NUMBERS) and isinstance(right, _IN_NUMBERS)
        if (numbers or type(left) is type(right)) and (left, right) not in self.pairs:
            self.pairs.append((left, right))

    def _call(self, owner: Any, method: str, *args: Any, **kwargs: Any) -> Any:
        """Calls a method, having noted a text that it would find something in."""
        if args and type(owner) is str and type(args[0]) is str and method in _TEXT_METHODS:
            half = len(owner) // 2
            joined = {"startswith": args[0] + owner, "endswith": owner + args[0]}
            self._add(owner, joined.get(method, owner[:half] + args[0] + owner[half:]))
        elif method in _KEY_METHODS and type(owner) is dict and args and type(args[0]) in _COMPARED:
            for each in itertools.islice(owner, _MOST_MEMBERS):
                self._add(args[0], each)
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
        if type(owner) is dict and type(key) in _COMPARED:
            for each in itertools.islice(owner, _MOST_MEMBERS):
                self._add(key, each)
        return owner[key]

    def _made(self, cls: Any, *args: Any, **kwargs: Any) -> Any:
        """Makes an object, having noted from what it can be made."""
        if args and isinstance(cls, enum.EnumMeta):
            for each in itertools.islice(cls, _MOST_MEMBERS):
                self._add(args[0], each.value)
        elif len(args) == 1 and type(args[0]) is str and getattr(cls, "__name__", "") in _NUMBERS:
            self._add(args[0], self._random.choice(["7", "12", "0", "31"]))
        return cls(*args, **kwargs)


class Noting(ast.NodeTransformer):
    """Wraps comparisons, calls and look-ups with notes, without evaluating anything twice."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._makers = {name for name, value in namespace.items() if isinstance(value, enum.EnumMeta)} | set(_NUMBERS)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        kinds = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)
        if not all(isinstance(each, kinds) for each in node.ops):
            return node
        names = [f"{NOTE}{at}" for at in range(len(node.ops) + 1)]
        notes: list[ast.expr] = []
        for at, operator in enumerate(node.ops):
            is_membership = ast.Constant(isinstance(operator, (ast.In, ast.NotIn)))
            note = ast.Call(_name(NOTE), [_name(names[at]), _name(names[at + 1]), is_membership], [])
            notes.append(ast.Compare(note, [ast.Is()], [ast.Constant(None)]))
        compared = ast.Compare(_name(names[0]), node.ops, [_name(each) for each in names[1:]])
        arguments = ast.arguments([], [ast.arg(each) for each in names], None, [], [], None, [])
        return ast.Call(ast.Lambda(arguments, ast.BoolOp(ast.And(), [*notes, compared])), [node.left, *node.comparators], [])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _TEXT_METHODS | _PATTERN_METHODS | _KEY_METHODS:
            arguments = [node.func.value, ast.Constant(node.func.attr), *node.args]
            return ast.Call(_name(f"{NOTE}call"), arguments, node.keywords)
        if isinstance(node.func, ast.Name) and node.func.id in self._makers and node.args:
            return ast.Call(_name(f"{NOTE}made"), [node.func, *node.args], node.keywords)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and isinstance(node.slice, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
            return ast.Call(_name(f"{NOTE}item"), [node.value, node.slice], [])
        return node


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def called_functions(qualname: str, tree: ast.Module) -> list[str]:
    """Returns the functions of the module and the methods of the class that a function calls, and those that they call."""
    owner = qualname.rpartition(".")[0]
    found: list[str] = []
    waiting = [qualname]
    while waiting and len(found) < 12:
        node = find_node(tree, waiting.pop())
        for name in _names_called(node, owner) if node is not None else ():
            if name != qualname and name not in found and find_node(tree, name) is not None:
                found.append(name)
                waiting.append(name)
    return found


def _names_called(node: ast.AST, owner: Optional[str]) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name):
            yield each.func.id
        elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id in ("self", "cls") and owner:
            yield f"{owner}.{each.attr}"
