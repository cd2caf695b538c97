"""Objects of the project, kept as the calls that make them."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, Callable


@dataclasses.dataclass
class Built:
    """An object of the project, kept as the call that makes it: each use of it is a new one."""

    cls: type
    arguments: list[Any]
    keywords: dict[str, Any]

    @staticmethod
    def of(cls: type, arguments: list[Any], keywords: dict[str, Any]) -> Built:
        built = Built(cls, arguments, keywords)
        built.make()
        return built

    def make(self) -> Any:
        arguments = [real(each) for each in copy.deepcopy(self.arguments)]
        return self.cls(*arguments, **{name: real(each) for name, each in copy.deepcopy(self.keywords).items()})

    def neighbour(self, change: Callable[[list[Any]], list[Any]]) -> Built:
        try:
            return Built.of(self.cls, change(list(self.arguments)), dict(self.keywords))
        except Exception:
            return self


def real(value: Any) -> Any:
    """Returns a value with the objects in it that its calls make."""
    if isinstance(value, Built):
        return value.make()
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(real(each) for each in value)
    if type(value) is dict:
        return {real(key): real(each) for key, each in value.items()}
    return value


def is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def hashable(values: list[Any]) -> list[Any]:
    return [each for each in values if is_hashable(each)]
