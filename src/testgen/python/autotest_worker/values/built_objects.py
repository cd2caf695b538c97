"""Objects of the project, kept as the calls that make them."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, Callable, Optional, Sequence

from .object_graphs import GraphNode
from .temporary_paths import TemporaryPath

#: Objects of nodes, by the nodes' names.
Objects = dict[str, Any]
#: A method and its arguments.
Call = tuple[str, list[Any]]


@dataclasses.dataclass
class Built:
    """An object of the project, kept as the call that makes it: each use of it is a new one."""

    cls: type
    arguments: list[Any]
    keywords: dict[str, Any]
    #: The fixture of the project that makes the same object.
    fixture: Optional[str] = None
    #: What is called on it afterwards.
    calls: list[Call] = dataclasses.field(default_factory=list)

    @staticmethod
    def of(cls: type, arguments: list[Any], keywords: dict[str, Any], calls: Sequence[Call] = ()) -> Built:
        """Raises whatever the class raises for it."""
        built = Built(cls, arguments, keywords, calls=list(calls))
        built.make()
        return built

    def make(self, objects: Optional[Objects] = None) -> Any:
        arguments, keywords, calls = copy.deepcopy((self.arguments, self.keywords, self.calls))
        made = self.cls(
            *(real(each, objects) for each in arguments), **{name: real(each, objects) for name, each in keywords.items()}
        )
        for method, values in calls:
            getattr(made, method)(*(real(each, objects) for each in values))
        return made

    def neighbour(self, change: Callable[[list[Any]], list[Any]]) -> Built:
        try:
            arguments = change(list(self.arguments))
            keywords = dict(self.keywords)
            if keywords and not arguments:
                keywords = dict(zip(keywords, change(list(keywords.values()))))
            return Built.of(self.cls, arguments, keywords, self.calls)
        except Exception:
            return self


@dataclasses.dataclass
class Member(Built):
    """A member of an enumeration, which nothing makes."""

    name: str = ""

    @staticmethod
    def of_member(member: Any) -> Member:
        return Member(type(member), [], {}, name=member.name)

    def make(self, objects: Optional[Objects] = None) -> Any:
        return self.cls[self.name]  # type: ignore[index]

    def neighbour(self, change: Callable[[list[Any]], list[Any]]) -> Built:
        names = [each.name for each in self.cls]  # type: ignore[attr-defined]
        return Member(self.cls, [], {}, name=names[(names.index(self.name) + 1) % len(names)])


class Lambda:
    """A function given as an argument, kept as its source."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._function = eval(source)  # noqa: S307 - one of a few of our own

    def __call__(self, *args: Any) -> Any:
        return self._function(*args)


def real(value: Any, objects: Optional[Objects] = None) -> Any:
    """Returns a value with the objects in it that its calls make; nodes of graphs are those that were made before."""
    if isinstance(value, Built):
        return value.make(objects)
    if isinstance(value, TemporaryPath):
        return value.make()
    if isinstance(value, GraphNode):
        return (objects or {})[value.name]
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(real(each, objects) for each in value)
    if type(value) is dict:
        return {real(key, objects): real(each, objects) for key, each in value.items()}
    return value


def is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def hashable(values: list[Any]) -> list[Any]:
    return [each for each in values if is_hashable(each)]


def is_protocol(cls: type) -> bool:
    return bool(getattr(cls, "_is_protocol", False))


def is_subclass(cls: type, of: type) -> bool:
    """Whether a class is below another; a protocol is nobody's class above that does not name it."""
    try:
        return issubclass(cls, of)
    except TypeError:
        return of in cls.__mro__
