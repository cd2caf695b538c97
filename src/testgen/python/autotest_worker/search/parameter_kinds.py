"""Kinds of parameters that say nothing of their type."""

from __future__ import annotations

import ast
import datetime
import decimal
import fractions
import itertools
from typing import Any

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


def used_kinds(name: str, node: ast.AST) -> list[Kind]:
    """Returns the kinds of values that have the methods which the code calls on a parameter, and those it asks for."""
    methods: set[str] = set()
    asked: list[str] = []
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == name:
            methods.add(each.attr)
        elif isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "isinstance" and len(each.args) == 2:
            if isinstance(each.args[0], ast.Name) and each.args[0].id == name:
                asked += [ast.unparse(one).split(".")[-1] for one in getattr(each.args[1], "elts", [each.args[1]])]
    found = [kind for of, kind in _BY_METHODS if of.__name__ in asked]
    if methods:
        found += [kind for of, kind in _BY_METHODS if all(hasattr(of, method) for method in methods)]
    return found


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
