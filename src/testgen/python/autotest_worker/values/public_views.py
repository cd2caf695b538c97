"""What can be asserted of an object by what it shows: a subclass of a value by that value, others by public attributes and text."""

from __future__ import annotations

import inspect
from typing import Any, Iterator, Optional

_VALUES = (bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset)
#: Expressions by which an object is looked at beside its attributes, where its class says what they mean.
_CALLS = (("__str__", "str({})", str), ("__len__", "len({})", len), ("__int__", "int({})", int), ("__float__", "float({})", float))


def plain_value(value: Any) -> Optional[Any]:
    """Returns the value of a subclass of a plain class that compares as that does, in a tuple of one; else None."""
    for of in _VALUES:
        if isinstance(value, of) and type(value) is not of:
            if type(value).__eq__ is not of.__eq__ or hasattr(value, "_fields"):
                return None
            try:
                return (_converted(value, of),)
            except Exception:  # noqa: BLE001 - whatever the project's class does
                return None
    return None


def _converted(value: Any, of: type) -> Any:
    if of in (int, float, complex):
        return of.__add__(value, of(0))  # type: ignore[attr-defined]
    if of is str:
        return str.__str__(value) if type(str.__str__(value)) is str else "".join(str.__iter__(value))
    if of is bytes:
        return bytes.join(b"", [value]) if type(value) is bytes else bytes(list(value))
    return of(of.items(value)) if of is dict else of(of.__iter__(value))  # type: ignore[attr-defined]


def public_views(value: Any) -> Iterator[tuple[str, Any]]:
    """Yields expressions over an object, with `{}` for it, and what they give: its public attributes, then its text and size."""
    seen: set[str] = set()
    for name in (*getattr(value, "__dict__", {}), *_slots(type(value)), *_properties(type(value))):
        if name in seen or name.startswith("_") or not name.isidentifier():
            continue
        seen.add(name)
        try:
            yield f"{{}}.{name}", getattr(value, name)
        except Exception:  # noqa: BLE001 - a property may refuse
            continue
    for method, expression, call in _CALLS:
        if _defined_by_project(type(value), method):
            try:
                yield expression, call(value)
            except Exception:  # noqa: BLE001
                continue


def _slots(cls: type) -> Iterator[str]:
    for each in cls.__mro__:
        slots = each.__dict__.get("__slots__", ())
        yield from (slots,) if isinstance(slots, str) else tuple(slots)


def _properties(cls: type) -> Iterator[str]:
    for each in cls.__mro__:
        if each.__module__ != "builtins":
            yield from (name for name, member in vars(each).items() if isinstance(member, property))


def _defined_by_project(cls: type, method: str) -> bool:
    return any(inspect.isfunction(vars(each).get(method)) for each in cls.__mro__)
