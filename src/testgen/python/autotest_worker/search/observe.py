"""Calls a function with an input and describes what it does: the result, the exception, changed arguments, output."""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib
import inspect
import io
import itertools
import signal
import time
import types
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from ..function_objects import Steps, codes_within, traced
from ..values.built_objects import Built, real
from ..values.object_graphs import make_objects
from ..values.render import Names, NotRenderable, render

_NO_NAMES: Names = {}
#: Items of a generator up to which a test takes all, and those that it takes of a longer one.
_MOST_ITEMS = 50
CUT_ITEMS = 10
#: Seconds after which a call that takes no processor time is taken to wait for ever; beside others, each call waits its turn.
_WAITS = 3.0
#: Stands for an attribute that is not there, and has no source.
_MISSING = object()


@dataclass
class Input:
    """Arguments of one call; `receiver` is the object of a method."""

    args: list[Any]
    kwargs: dict[str, Any] = field(default_factory=dict)
    receiver: Optional[Built] = None
    #: Where it comes from: doctest, call site, simple, random.
    origin: str = "random"


@dataclass
class Outcome:
    """What a call does; `key` is equal for equal behaviour, None where it cannot be written down."""

    kind: str  # value, raises, too_long, opaque
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
    imports: set[tuple[str, Optional[str]]] = field(default_factory=set)

    def is_noticed_beside(self, expected: "Outcome") -> bool:
        """Whether a test that asserts what was expected fails: `10 == pytest.approx(10.0)` holds."""
        if self.key == expected.key:
            return False
        if self.kind != "value" or not {self.value_type, expected.value_type} <= {"int", "float"}:
            return True
        if (self.changed, self.output, self.is_cut) != (expected.changed, expected.output, expected.is_cut):
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


class TooLong(BaseException):
    """A call passed its time; no handler of the project's code catches it."""


class Target:
    """The function of a module that inputs are made for."""

    def __init__(self, module: str, qualname: str, role: str, is_async: bool, is_generator: bool) -> None:
        self.module = importlib.import_module(module)
        self.qualname = qualname
        self.role = role
        self.is_async = is_async
        self.is_generator = is_generator
        owner: Any = self.module
        *parents, self.name = qualname.split(".")
        for part in parents:
            owner = getattr(owner, part)
        self.owner = owner
        inspect.getattr_static(owner, self.name)

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


def observe(target: Target, given: Input, seconds: float) -> Outcome:
    """Calls the function, for at most some seconds."""
    output = io.StringIO()
    try:
        with _limited(seconds), contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            return _described(target, given, target.call(given), output.getvalue())
    except TooLong:
        return Outcome("too_long", "too long")
    except RecursionError:
        return Outcome("raises", "RecursionError", exception="RecursionError", message="")
    except MemoryError:
        return Outcome("too_long", "too large")
    except BaseException as error:  # noqa: BLE001 - whatever the project's code raises
        name = type(error).__name__
        try:
            message = str(error)
        except Exception:
            message = ""
        return Outcome("raises", f"raises {name}: {message}", exception=_exception_name(error), message=message)


def _exception_name(error: BaseException) -> str:
    cls = type(error)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}:{cls.__qualname__}"


def _described(target: Target, given: Input, called: Called, output: str) -> Outcome:
    imports: set[tuple[str, Optional[str]]] = set()
    names = {id(each): name for name, each in called.objects.items()}
    changed = _changed_arguments(given, called, names, imports)
    changed.update(_changed_attributes(target, given, called.receiver, imports))
    if target.name == "__init__":
        key = f"init|{sorted(changed.items())}|{output}"
        return Outcome("value", key, changed=changed, output=output, value_type="init", imports=imports)
    result = called.result
    source = _try(result, imports, names)
    if source is None:
        attributes = _attributes(result, imports)
        if not attributes and not changed:
            return Outcome("opaque", f"opaque {type(result).__name__}")
        changed.update({f"result.{name}": text for name, text in attributes.items()})
    name = "node" if id(result) in names else type(result).__name__
    key = f"{name}|{source}|{sorted(changed.items())}|{output}"
    if called.is_cut:
        imports.add(("itertools", None))
    return Outcome(
        "value", key, source=source, changed=changed, output=output, value_type=name, is_cut=called.is_cut, imports=imports
    )


def _changed_arguments(
    given: Input, called: Called, names: Names, imports: set[tuple[str, Optional[str]]]
) -> dict[str, str]:
    """Returns the sources of changed arguments by position, and of changed attributes of nodes as `node.attribute`."""
    changed: dict[str, str] = {}
    for at, (before, after) in enumerate(zip(given.args, called.args)):
        if isinstance(before, (list, dict, set, Built)) or type(before).__name__ in ("deque", "bytearray"):
            was = _try(real(before, called.objects), set(), names)
            now = _try(after, imports, names)
            if now is not None and was != now:
                changed[str(at)] = now
    if called.objects:
        unchanged = make_objects([*given.args, *given.kwargs.values()], real)
        former = {id(each): name for name, each in unchanged.items()}
        for node, after in called.objects.items():
            for name, value in getattr(after, "__dict__", {}).items():
                now = _try(value, imports, names)
                if now is not None and now != _try(getattr(unchanged[node], name, _MISSING), set(), former):
                    changed[f"{node}.{name}"] = now
    return changed


def _changed_attributes(
    target: Target, given: Input, receiver: Any, imports: set[tuple[str, Optional[str]]]
) -> dict[str, str]:
    if receiver is None or not hasattr(receiver, "__dict__"):
        return {}
    before = vars(given.receiver.make()) if given.receiver is not None else {}
    changed: dict[str, str] = {}
    for name, value in vars(receiver).items():
        needed: set[tuple[str, Optional[str]]] = set()
        now = _try(value, needed)
        is_new = target.name == "__init__" or _try(before.get(name), set()) != now
        if now is not None and name.isidentifier() and is_new:
            changed[f"self.{name}"] = now
            imports |= needed
    return changed


def _try(value: Any, imports: set[tuple[str, Optional[str]]], names: Names = _NO_NAMES) -> Optional[str]:
    """Returns the source of a value and adds what it needs; None where there is no source."""
    try:
        text, needed = render(value, names)
    except (NotRenderable, RecursionError, Exception):
        return None
    imports |= needed
    return text


def _attributes(value: Any, imports: set[tuple[str, Optional[str]]]) -> dict[str, str]:
    """Returns the attributes of an object that can be written down."""
    found = {}
    for name, each in (vars(value) if hasattr(value, "__dict__") else {}).items():
        text = _try(each, imports) if name.isidentifier() and not name.startswith("_") else None
        if text is not None:
            found[name] = text
    return found


@contextlib.contextmanager
def _limited(seconds: float) -> Any:
    """Limits processor time, so that a busy machine changes no outcome, and, with more patience, time that passes."""

    def passed(number: int, frame: Any) -> None:
        raise TooLong

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, seconds), (signal.SIGALRM, signal.ITIMER_REAL, max(_WAITS, 4 * seconds)))
    before = [signal.signal(number, passed) for number, _, _ in timers]
    for _, timer, after in timers:
        signal.setitimer(timer, after, 0.05)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


#: Lines of a call that is not taken to be endless.
_MOST_STEPS = 300_000


def observe_traced(target: Target, given: Input, functions: list[types.FunctionType], seconds: float) -> tuple[Outcome, set[int]]:
    """Observes a call with the number of lines that it runs; also returns which lines of the function they are."""
    lines: set[int] = set()
    arcs: set[tuple[int, int]] = set()
    steps = Steps(functions[0].__code__.co_filename, _MOST_STEPS, TooLong)
    started = time.process_time()
    with traced(codes_within(functions), lines, arcs, steps):
        outcome = observe(target, given, seconds)
    outcome.seconds, outcome.steps, outcome.arcs = time.process_time() - started, steps.count, arcs
    return outcome, lines


Observer = Callable[[Input], Outcome]
