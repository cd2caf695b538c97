"""Whether a value is of a declared type, as far as that can be said by looking at it."""

from __future__ import annotations

import collections.abc
import inspect
import typing
from typing import Any, Optional

_MOST_ITEMS = 50
#: PEP 484: where a float is declared, an int will do.
_NUMBERS: dict[type, tuple[type, ...]] = {float: (int, float), complex: (int, float, complex)}


def declared_types(function: Any) -> dict[str, Any]:
    """Returns the annotations of a function as objects; none where one of them cannot be read."""
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception:  # noqa: BLE001 - names that exist for type checkers only
        return {}


def conforms(value: Any, hint: Any, depth: int = 0) -> Optional[bool]:
    """Returns whether a value is of a type; None where that cannot be said: type variables, functions, `Any`."""
    if depth > 5 or hint in (Any, object, inspect.Parameter.empty) or isinstance(hint, (str, typing.TypeVar)):
        return None
    if hint is None or hint is type(None):
        return value is None
    if hasattr(hint, "__supertype__"):
        return conforms(value, hint.__supertype__, depth + 1)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is None:
        return _is_of_class(value, hint)
    if hasattr(hint, "__metadata__"):
        return conforms(value, hint.__origin__, depth + 1)
    if origin is typing.Literal:
        return any(value == each and type(value) is type(each) for each in args)
    if origin is typing.Union or type(hint).__name__ == "UnionType":
        found = [conforms(value, each, depth + 1) for each in args]
        return True if True in found else None if None in found else False
    if not inspect.isclass(origin) or origin in (type, collections.abc.Callable):
        return None
    if not isinstance(value, origin):
        return False
    return _all([conforms(each, of, depth + 1) for each, of in _parts(value, origin, args)])


def _is_of_class(value: Any, hint: Any) -> Optional[bool]:
    if not inspect.isclass(hint):
        return None
    if getattr(hint, "_is_protocol", False) or hasattr(hint, "__total__"):
        return None
    try:
        return isinstance(value, _NUMBERS.get(hint, hint))
    except TypeError:
        return None


def _parts(value: Any, origin: type, args: tuple[Any, ...]) -> list[tuple[Any, Any]]:
    """Returns the items of a container that can be looked at without being used up, with their types."""
    if isinstance(value, tuple) and origin is tuple:
        if len(args) == 2 and args[1] is Ellipsis:
            return [(each, args[0]) for each in value[:_MOST_ITEMS]]
        return list(zip(value, args)) if len(args) == len(value) else [(None, int)]
    if isinstance(value, dict) and len(args) == 2:
        items = list(value.items())[:_MOST_ITEMS]
        return [pair for key, each in items for pair in ((key, args[0]), (each, args[1]))]
    if isinstance(value, (list, tuple, set, frozenset)) and len(args) == 1:
        return [(each, args[0]) for each in list(value)[:_MOST_ITEMS]]
    return []


def _all(found: list[Optional[bool]]) -> Optional[bool]:
    return False if False in found else None if None in found else True
