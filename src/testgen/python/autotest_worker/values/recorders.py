"""Objects that record their calls, defined in the test file: functions that are passed, and implementations of abstract classes."""

from __future__ import annotations

import inspect
from typing import Any, Iterator

from .built_objects import Built

#: Stands in place of a module among the imports of a test, for what its file defines itself.
DEFINITION = "<definition>"

RECORDER = '''class Recorder:
    """A function that records its calls, and returns or raises what it is given, one after the other."""

    def __init__(self, *results):
        self.results = list(results) or [None]
        self.calls = []

    def __call__(self, *values, **named):
        self.calls.append((*values, *named.values()))
        result = self.results.pop(0) if len(self.results) > 1 else self.results[0]
        if isinstance(result, Exception):
            raise result
        return result
'''

_CLASS = '''class {name}({base}):
    """Records its calls; each member returns what it is given by its name."""

    def __init__(self, **results):
        self.results = results
        self.calls = []
{attributes}
    def _called(self, name, values, named):
        self.calls.append((name, *values, *named.values()))
        result = self.results.get(name)
        if isinstance(result, Exception):
            raise result
        return result
'''
_METHOD = '''
    {start}def {name}(self, *values, **named):
        return self._called("{name}", values, named)
'''
_PROPERTY = '''
    @property
    def {name}(self):
        return self.results.get("{name}")
'''

#: Objects that were made since the last call began, in their order.
made: list[Any] = []
_sources: dict[type, str] = {}
_classes: dict[type, type] = {}


def _define(source: str, name: str, around: dict[str, Any]) -> type:
    namespace = {**around, "__name__": DEFINITION}
    exec(source, namespace)  # noqa: S102 - a text of our own
    cls: type = namespace[name]
    construct = cls.__init__  # type: ignore[misc]

    def noted(self: Any, *values: Any, **named: Any) -> None:
        construct(self, *values, **named)
        made.append(self)

    cls.__init__ = noted  # type: ignore[misc]
    _sources[cls] = source
    return cls


Recorder = _define(RECORDER, "Recorder", {})


def source_of(cls: type) -> "str | None":
    """Returns the definition of a class that a test file defines; None for others."""
    return _sources.get(cls)


def base_of(cls: type) -> "type | None":
    """Returns the class that a recorder implements."""
    return None if cls is Recorder else cls.__bases__[0]


def recording(base: type) -> type:
    """Returns a class that implements an abstract class or protocol of a module. Raises ValueError where none can."""
    found = _classes.get(base)
    if found is None:
        if "." in base.__qualname__:
            raise ValueError(f"{base.__qualname__} is within another class or function")
        name = f"Recording{base.__name__}"
        attributes = "".join(f'        self.{each} = results.get("{each}")\n' for each in _attributes(base))
        source = _CLASS.format(name=name, base=base.__name__, attributes=attributes)
        for each in _abstract(base):
            member = inspect.getattr_static(base, each)
            if isinstance(member, property):
                source += _PROPERTY.format(name=each)
            else:
                source += _METHOD.format(name=each, start="async " if inspect.iscoroutinefunction(member) else "")
        try:
            found = _define(source, name, {base.__name__: base})
            found()
        except Exception as error:  # noqa: BLE001 - whatever the class asks of those below it
            raise ValueError(f"{base.__name__} cannot be implemented by what records calls: {error}") from error
        _classes[base] = found
        made.clear()
    return found


def _abstract(base: type) -> list[str]:
    """Returns the members that a class below has to have, but for attributes that are only declared."""
    names = set(getattr(base, "__abstractmethods__", ()))
    if getattr(base, "_is_protocol", False):
        for each in base.__mro__:
            if getattr(each, "_is_protocol", False) and each.__module__ != "typing":
                names |= {name for name, member in vars(each).items() if inspect.isfunction(member) and not _is_own(name)}
                names |= {name for name, member in vars(each).items() if isinstance(member, property)}
    return sorted(name for name in names if name not in ("__init__",))


def _is_own(name: str) -> bool:
    return name in ("__init__", "__subclasshook__", "_no_init", "__init_subclass__", "_proto_hook", "_no_init_or_replace_init")


def _attributes(base: type) -> list[str]:
    if not getattr(base, "_is_protocol", False):
        return []
    return sorted({name for each in base.__mro__ for name in vars(each).get("__annotations__", {}) if not name.startswith("_")})


def members(base: type) -> Iterator[tuple[str, Any]]:
    """Yields what an implementation of a class is given by name, with the annotation of each; None where nothing says."""
    annotations = {name: value for each in reversed(base.__mro__) for name, value in vars(each).get("__annotations__", {}).items()}
    for name in _abstract(base):
        member = inspect.getattr_static(base, name)
        function = getattr(member, "fget", None) or getattr(member, "__func__", member)
        yield name, getattr(function, "__annotations__", {}).get("return", Any)
    for name in _attributes(base):
        yield name, annotations.get(name, Any)


def recorders_in(values: Any) -> Iterator[Built]:
    """Yields the objects in values that record calls, in the order in which they are made."""
    if isinstance(values, Built):
        yield from recorders_in(values.arguments)
        yield from recorders_in(values.keywords)
        if values.cls in _sources:
            yield values
        for _, arguments in values.calls:
            yield from recorders_in(arguments)
    elif type(values) in (list, tuple, set, frozenset):
        for each in values:
            yield from recorders_in(each)
    elif type(values) is dict:
        for key, each in values.items():
            yield from recorders_in(key)
            yield from recorders_in(each)


def named_recorders(values: Any) -> dict[str, Built]:
    """Returns them by the names of their variables in a test."""
    found: dict[str, Built] = {}
    for each in recorders_in(values):
        base = base_of(each.cls)
        word = "recorder" if base is None else "".join(f"_{c.lower()}" if c.isupper() else c for c in base.__name__).strip("_")
        name, number = word, 2
        while name in found:
            name, number = f"{word}_{number}", number + 1
        found[name] = each
    return found
