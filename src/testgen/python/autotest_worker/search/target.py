"""The function that inputs are made for: an input, a call with it, and what a call does."""

from __future__ import annotations

import ast
import copy
import importlib
import inspect
import itertools
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Optional

from ..values.built_objects import Built, real
from ..values.declared_types import declared_types
from ..values.object_graphs import make_objects

#: What sources need, as (module, name).
Imports = set[tuple[str, Optional[str]]]
#: Items of a generator up to which a test takes all, and those that it takes of a longer one.
_MOST_ITEMS = 50
CUT_ITEMS = 10


@dataclass
class Input:
    """Arguments of one call; `receiver` is the object of a method."""

    args: list[Any]
    kwargs: dict[str, Any] = field(default_factory=dict)
    receiver: Optional[Built] = None
    #: Where it comes from: doctest, call site, simple, random.
    origin: str = "random"
    #: What a test arranges around the call: see `arranged.Around`.
    around: dict[str, Any] = field(default_factory=dict)


def values_of(given: Input) -> list[Any]:
    """Returns the values of an input in the order in which a call makes their objects."""
    return [given.args, given.kwargs, *([] if given.receiver is None else [given.receiver])]


@dataclass
class Outcome:
    """What a call does; `key` is equal for equal behaviour, None where it cannot be written down."""

    kind: str  # value, raises, too_long, opaque, sandboxed, ends
    key: str
    source: Optional[str] = None
    exception: Optional[str] = None
    message: Optional[str] = None
    #: Sources of arguments that the call changed, by position; `self` for the receiver's attributes.
    changed: dict[str, str] = field(default_factory=dict)
    output: str = ""
    value_type: str = ""
    #: Whether the value is only the first `CUT_ITEMS` of a generator.
    is_cut: bool = False
    #: Processor time of the call, traced: for the patience with mutants.
    seconds: float = 0.0
    #: Lines of the function's file that it runs, and pairs of lines that run one after the other.
    steps: int = 0
    arcs: set[tuple[int, int]] = field(default_factory=set)
    #: What the sources need, as (module, name).
    imports: Imports = field(default_factory=set)
    #: The class of a value that is written as one of the class above it: source and what it needs.
    subclass: str = ""
    #: File and line that raised.
    place: Optional[tuple[str, int]] = None
    #: What it did to the outside: sources by the expressions of a test that are equal to them.
    effects: dict[str, str] = field(default_factory=dict)
    #: Dotted names of what it called to wait.
    sleep_names: frozenset[str] = frozenset()
    #: Whether it logged what is shown only where it is asked for.
    logs_details: bool = False
    #: Whether the result is of the declared type; None where nobody can say.
    conforms: Optional[bool] = None

    def is_noticed_beside(self, expected: "Outcome") -> bool:
        """Whether a test that asserts what was expected fails: `10 == pytest.approx(10.0)` holds, and what ends the test lets it not fail."""
        if self.key == expected.key or self.kind == "ends":
            return False
        if self.kind != "value" or not {self.value_type, expected.value_type} <= {"int", "float"}:
            return True
        if (self.effects, self.changed, self.output, self.is_cut) != (expected.effects, expected.changed, expected.output, expected.is_cut):
            return True
        try:
            value, wanted = ast.literal_eval(self.source or ""), ast.literal_eval(expected.source or "")
            if expected.value_type == "float":
                return bool(abs(value - wanted) > max(1e-6 * abs(wanted), 1e-12))
        except (ValueError, SyntaxError, OverflowError):
            return True
        return bool(value != wanted)


@dataclass
class Called:
    """What there is after a call: the result, the arguments, the receiver, and the nodes of graphs by name."""

    result: Any
    args: list[Any]
    receiver: Any
    objects: dict[str, Any]
    #: Whether the result is only the first items of a generator.
    is_cut: bool = False


class Target:
    """The function of a module that inputs are made for."""

    def __init__(
        self, module: str, qualname: str, role: str, is_async: bool, is_generator: bool, is_context_manager: bool = False
    ) -> None:
        self.module = importlib.import_module(module)
        self.qualname = qualname
        self.role = role
        self.is_async = is_async
        self.is_generator = is_generator
        self.is_context_manager = is_context_manager
        owner: Any = self.module
        *parents, self.name = qualname.split(".")
        for part in parents:
            owner = getattr(owner, part)
        self.owner = owner
        inspect.getattr_static(owner, self.name)

    @classmethod
    def described(cls, module: str, description: dict[str, Any]) -> Target:
        """Returns the function that a description is of."""
        names = ("qualname", "role", "is_async", "is_generator", "is_context_manager")
        return cls(module, *(description[name] for name in names))

    @cached_property
    def types(self) -> dict[str, Any]:
        """Its annotations as objects."""
        member = inspect.getattr_static(self.owner, self.name)
        return declared_types(inspect.unwrap(getattr(member, "fget", None) or getattr(member, "__func__", member)))

    @property
    def needs_receiver(self) -> bool:
        """Whether a call needs an object of the class."""
        return self.role in ("method", "property") and self.name != "__init__"

    def call(self, given: Input) -> Called:
        """Calls the function with new objects."""
        values, keywords = copy.deepcopy((given.args, given.kwargs))
        objects = make_objects([*values, *keywords.values()], real)
        args = [real(each, objects) for each in values]
        kwargs = {name: real(each, objects) for name, each in keywords.items()}
        receiver = given.receiver.make() if given.receiver is not None else None
        if self.role == "property":
            result = getattr(receiver, self.name)
        elif self.name == "__init__":
            result = receiver = self.owner(*args, **kwargs)
        else:
            function = getattr(receiver if receiver is not None else self.owner, self.name)
            result = function(*args, **kwargs)
        is_cut = False
        if inspect.iscoroutine(result):
            import asyncio

            result = asyncio.run(result)
        if self.is_context_manager:
            with result as inner:
                # What is inside may end with the block.
                result = copy.copy(inner)
        if inspect.isasyncgen(result):
            result, is_cut = _first_of(_drain(result))
        if inspect.isgenerator(result) or type(result).__name__ in ("map", "filter", "zip", "chain", "islice", "reversed"):
            result, is_cut = _first_of(list(itertools.islice(result, _MOST_ITEMS + 1)))
        return Called(result, args, receiver, objects, is_cut)


def _first_of(items: list[Any]) -> tuple[list[Any], bool]:
    """Returns the first items of a generator that goes on, and whether it does."""
    return (items[:CUT_ITEMS], True) if len(items) > _MOST_ITEMS else (items, False)


def _drain(generator: Any) -> list[Any]:
    import asyncio

    async def collect() -> list[Any]:
        found = []
        async for each in generator:
            found.append(each)
            if len(found) > _MOST_ITEMS:
                break
        return found

    return asyncio.run(collect())
