"""Kinds of parameters that say nothing of their type."""

from __future__ import annotations

import ast
import builtins
import datetime
import decimal
import fractions
import itertools
from typing import Any, Iterator

from ..values.built_objects import Built
from .kinds import ANY, Kind

#: What is tried for a parameter that says nothing of its type, most probable first.
_PROBED: tuple[Kind, ...] = (
    ("int",),
    ("str",),
    ("list", ("int",)),
    ("list", ("str",)),
    ("float",),
    ("list", ("union", (("int",), ("str",)))),
    ("list", ("list", ("int",))),
    ("dict", ("str",), ("int",)),
    ("list", ("tuple", ("int",), ("int",))),
    ("bool",),
    ("tuple", ("int",), ("int",)),
    ("set", ("int",)),
    ("dict", ("str",), ("list", ("str",))),
    ("bytes",),
    ("dict", ("tuple", ("label", "str"), ("label", "str")), ("int",)),
    ("datetime",),
    ("callable",),
    ("none",),
)


#: Types by whose methods a parameter is known, the most probable first.
_BY_METHODS: tuple[tuple[type, Kind], ...] = (
    (str, ("str",)),
    (bytes, ("bytes",)),
    (list, ("list", ("int",))),
    (list, ("list", ("str",))),
    (dict, ("dict", ("str",), ("int",))),
    (set, ("set", ("int",))),
    (datetime.datetime, ("datetime",)),
    (datetime.date, ("date",)),
    (datetime.timedelta, ("timedelta",)),
    (decimal.Decimal, ("decimal",)),
    (fractions.Fraction, ("fraction",)),
)


_BY_TYPE: tuple[tuple[type, Kind], ...] = ((int, ("int",)), (float, ("float",)))


def used_kinds(name: str, node: ast.AST) -> list[Kind]:
    """Returns the kinds that the code asks for or compares a parameter with, and those that have the methods it calls."""
    methods, asked = _uses(name, node)
    found = _kinds_by_type(asked)
    if methods:
        found += [kind for of, kind in _BY_METHODS if all(hasattr(of, method) for method in methods)]
    items = [each.target.id for each in _loops(node) if isinstance(each.target, ast.Name) and _is_name(each.iter, name)]
    for item in items:
        kinds = _kinds_by_type(_uses(item, node)[1])
        if kinds:
            # What an item is asked for is not all that it may be.
            found += [("list", ("union", tuple(dict.fromkeys((*kinds, ("str",)))))), *(("list", kind) for kind in kinds)]
    return found


def asks_for(name: str, type_name: str, node: ast.AST) -> bool:
    """Whether the code asks if a parameter is of a type, or compares it with a value of it."""
    return type_name in _uses(name, node)[1]


def _uses(name: str, node: ast.AST) -> tuple[set[str], list[str]]:
    """Returns the methods that are called on a variable, and the names of the types that it is asked for or compared with."""
    methods: set[str] = set()
    asked: list[str] = []
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and _is_name(each.value, name):
            methods.add(each.attr)
        elif isinstance(each, ast.Call) and _is_name(each.func, "isinstance") and len(each.args) == 2 and _is_name(each.args[0], name):
            asked += [ast.unparse(one).split(".")[-1] for one in getattr(each.args[1], "elts", [each.args[1]])]
        elif isinstance(each, ast.Compare):
            sides = [each.left, *each.comparators]
            if any(_is_name(side, name) for side in sides):
                asked += [type(side.value).__name__ for side in sides if isinstance(side, ast.Constant)]
    return methods, asked


def _kinds_by_type(names: list[str]) -> list[Kind]:
    return [kind for of, kind in (*_BY_METHODS, *_BY_TYPE) if of.__name__ in names]


def _loops(node: ast.AST) -> Iterator[Any]:
    return (each for each in ast.walk(node) if isinstance(each, (ast.For, ast.AsyncFor, ast.comprehension)))


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def says_nothing(kind: Kind) -> bool:
    return kind == ANY or kind[0] == "any"


def kind_of_value(value: Any) -> Kind:
    if isinstance(value, bool):
        return ("bool",)
    if value is None:
        return ANY
    for of in (int, float, str, bytes, complex):
        if type(value) is of:
            return (of.__name__,)
    if isinstance(value, (list, set, frozenset)):
        name = type(value).__name__ if type(value).__name__ in ("list", "set", "frozenset") else "list"
        inner = [kind_of_value(each) for each in list(value)[:5]]
        if not inner:
            return (name, ANY)
        return (name, inner[0] if all(each == inner[0] for each in inner) else ("union", tuple(dict.fromkeys(inner))))
    if type(value) is tuple:
        return ("tuple", *(kind_of_value(each) for each in value)) if value else ("tuple_of", ("int",))
    if isinstance(value, dict):
        for key, each in value.items():
            return ("dict", kind_of_value(key), kind_of_value(each))
        return ("dict", ("str",), ("int",))
    if isinstance(value, Built):
        return ("object", value.cls)
    return ANY


def alternatives(parameter: dict[str, Any]) -> list[Kind]:
    """Returns the kinds that are tried for a parameter, by its default and its name."""
    default = parameter["default"]
    if parameter["default_source"] == "None":
        return [("none",), *_PROBED[:5], ("bytes",)]
    if default is not None and not isinstance(default, (list, dict)):
        return [kind_of_value(default)]
    name = parameter["name"].lower()
    first: list[Kind] = []
    if any(part in name for part in ("str", "text", "word", "name", "sentence", "msg", "path", "char")) or name == "s":
        first = [("str",)]
    elif any(part in name for part in ("arr", "lst", "list", "nums", "numbers", "items", "values", "seq")) or name in ("l", "xs"):
        first = [("list", ("int",)), ("list", ("str",))]
    elif any(part in name for part in ("dict", "mapping", "graph")):
        first = [("dict", ("str",), ("int",)), ("dict", ("str",), ("list", ("str",)))]
    elif any(part in name for part in ("matrix", "grid", "board")):
        first = [("list", ("list", ("int",)))]
    return [*first, *(each for each in _PROBED if each not in first)]


def rank(vector: tuple[Kind, ...], options: list[list[Kind]]) -> int:
    return sum(of.index(kind) for kind, of in zip(vector, options))


def constants_in(node: ast.AST, tree: ast.AST) -> tuple[list[Any], list[str]]:
    """Returns the numbers and texts of a function, then those of its module."""
    numbers: list[Any] = []
    texts: list[str] = []
    docstrings = {
        id(each.body[0].value)
        for each in ast.walk(tree)
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module))
        and each.body
        and isinstance(each.body[0], ast.Expr)
    }
    for each in itertools.chain(ast.walk(node), itertools.islice(ast.walk(tree), 5000)):
        if isinstance(each, ast.Constant) and id(each) not in docstrings:
            value = each.value
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value not in numbers:
                numbers.append(value)
            elif isinstance(value, str) and 0 < len(value) <= 40 and value not in texts:
                texts.append(value)
    return numbers[:30], texts[:40]


def handled_exceptions(node: ast.AST, namespace: dict[str, Any]) -> list[type]:
    """Returns the exceptions that the code handles and that can be made from a message."""
    names: list[str] = []
    for each in ast.walk(node):
        if isinstance(each, ast.ExceptHandler) and each.type is not None:
            names += [ast.unparse(one) for one in (each.type.elts if isinstance(each.type, ast.Tuple) else [each.type])]
    found = []
    for name in dict.fromkeys(names):
        first, *rest = name.split(".")
        value = namespace.get(first, getattr(builtins, first, None))
        for part in rest:
            value = getattr(value, part, None)
        if isinstance(value, type) and issubclass(value, Exception):
            value = ValueError if value is Exception else value
            try:
                if value("refused").args == ("refused",):
                    found.append(value)
            except Exception:  # noqa: BLE001 - it takes something else
                continue
    return found
