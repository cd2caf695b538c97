"""Brings objects into states by the methods that change them."""

from __future__ import annotations

import ast
import inspect
import random
import textwrap
from typing import Any, Callable

from ..functions import describe_file
from ..values.built_objects import Built, Member
from .kinds import Kind, kind_of
from .parameter_kinds import says_nothing
from .time_limit import TooLong, limited

#: Processor time of the calls that bring an object into a state.
_PATIENCE = 0.5

_MOST_CALLS = 4
_CHANGING = {"append", "add", "insert", "extend", "update", "pop", "remove", "discard", "setdefault", "put", "clear", "push"}


class ObjectStates:
    """The methods of a class that change its objects."""

    def __init__(self, cls: type, namespace: dict[str, Any]) -> None:
        self._namespace = namespace
        self._methods = {name: parameters for name, parameters in _changing_methods(cls)}

    def after_calls(self, built: Built, draw: random.Random, make: Callable[[Kind], Any]) -> Built:
        """Returns the object after some calls; as it was where there is nothing to call."""
        if not self._methods or built.fixture is not None or isinstance(built, Member):
            return built
        changed = Built(built.cls, built.arguments, built.keywords)
        names = sorted(self._methods)
        # The same method several times fills an object; others empty it again.
        favourite = draw.choice(names)
        for _ in range(draw.randint(1, _MOST_CALLS)):
            name = favourite if draw.random() < 0.7 else draw.choice(names)
            try:
                changed.calls.append((name, [make(self._kind(each)) for each in self._methods[name]]))
                with limited(_PATIENCE):
                    changed.make()
            except (Exception, SystemExit, TooLong):  # noqa: BLE001 - the object refuses it
                changed.calls.pop()
        return changed

    def _kind(self, parameter: dict[str, Any]) -> Kind:
        kind = kind_of(parameter["type"], self._namespace)
        return ("int",) if says_nothing(kind) else kind


def _changing_methods(cls: type) -> list[tuple[str, list[dict[str, Any]]]]:
    """Returns the public methods that assign attributes or change what these hold, with the parameters that they need."""
    try:
        source = textwrap.dedent(inspect.getsource(cls))
        tree = ast.parse(source)
        described = describe_file(source, "<class>")
    except (OSError, TypeError, SyntaxError):
        return []
    bodies = {each.name: each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}
    found = []
    for each in described:
        name = each["name"]
        if each["role"] != "method" or name.startswith("_") or each["qualname"] != f"{cls.__name__}.{name}" or each["is_async"]:
            continue
        if each["is_generator"] or not _changes(bodies[name]):
            continue
        found.append((name, [one for one in each["parameters"] if one["required"] and one["kind"].startswith("positional")]))
    return found


def _changes(node: ast.AST) -> bool:
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, (ast.Store, ast.Del)):
            return True
        if isinstance(each, ast.Subscript) and isinstance(each.ctx, (ast.Store, ast.Del)) and isinstance(each.value, ast.Attribute):
            return True
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in _CHANGING:
            if isinstance(each.func.value, ast.Attribute):
                return True
    return False
