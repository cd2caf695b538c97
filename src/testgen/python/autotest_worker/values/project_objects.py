"""Objects as the project's own tests make them: by a fixture of a conftest.py, by a function beside the tests."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import random
from typing import Any, Callable, Optional, Sequence

from .built_objects import Built, Objects

_PLAIN = (bool, int, float, str)


@dataclasses.dataclass
class FixtureObject(Built):
    """An object that a fixture makes, from what other fixtures make."""

    function: Optional[Callable[..., Any]] = None
    #: Fixtures that it asks for, by the names of its parameters.
    needed: dict[str, "FixtureObject"] = dataclasses.field(default_factory=dict)

    def make(self, objects: Optional[Objects] = None) -> Any:
        assert self.function is not None
        made = self.function(**{name: each.make() for name, each in self.needed.items()})
        return next(made) if inspect.isgenerator(made) else made

    def neighbour(self, change: Callable[[list[Any]], list[Any]]) -> Built:
        return self


@dataclasses.dataclass
class FactoryObject(Built):
    """An object that a function beside the tests makes, which can do so without arguments."""

    function: Optional[Callable[..., Any]] = None

    def make(self, objects: Optional[Objects] = None) -> Any:
        assert self.function is not None
        return self.function(*copy.deepcopy(self.arguments), **copy.deepcopy(self.keywords))

    def neighbour(self, change: Callable[[list[Any]], list[Any]]) -> Built:
        """Returns the object with one plain argument that differs from its default, or from what it was."""
        assert self.function is not None
        plain = {name: value for name, value in defaults_of(self.function).items() if type(value) in _PLAIN}
        if not plain:
            return self
        names = sorted(plain)
        name = names[random.Random(repr(self.keywords)).randrange(len(names))]
        [value] = change([self.keywords.get(name, plain[name])])
        changed = dataclasses.replace(self, keywords={**self.keywords, name: value})
        try:
            changed.make()
        except Exception:  # noqa: BLE001 - the project's class refuses it
            return self
        return changed


def defaults_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Returns the defaults of the parameters of a function that can be given by name."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {each.name: each.default for each in inspect.signature(function).parameters.values() if each.kind in kinds}


def fixture_object(name: str, function: Callable[..., Any], needed: dict[str, FixtureObject]) -> FixtureObject:
    """Raises whatever the fixture raises."""
    found = FixtureObject(object, [], {}, fixture=name, function=function, needed=needed)
    found.cls = type(found.make())
    return found


def factory_objects(functions: Sequence[Callable[..., Any]], is_project: Callable[[type], bool]) -> list[FactoryObject]:
    """Returns the objects of the project that functions make without arguments."""
    found = []
    for function in functions:
        try:
            made = FactoryObject(object, [], {}, function=function)
            made.cls = type(made.make())
        except (Exception, SystemExit):  # noqa: BLE001 - whatever the project's function does
            continue
        if is_project(made.cls):
            found.append(made)
    return found
