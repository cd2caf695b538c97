"""Calls a function with an input and describes what it does: the result, the exception, changed arguments, output."""

from __future__ import annotations

import contextlib
import copy
import importlib
import inspect
import io
import itertools
import signal
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

from .render import NotRenderable, render
from .type_hints import Built, real


@dataclass
class Input:
    """Arguments of one call; `receiver` is the object of a method."""

    args: list[Any]
    kwargs: dict[str, Any] = field(default_factory=dict)
    receiver: Optional[Built] = None
    #: Where it comes from: doctest, simple, random.
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

    def call(self, given: Input) -> tuple[Any, list[Any], Any]:
        """Returns the result, the arguments and the receiver after the call."""
        args = [real(each) for each in copy.deepcopy(given.args)]
        kwargs = {name: real(each) for name, each in copy.deepcopy(given.kwargs).items()}
        receiver = given.receiver.make() if given.receiver is not None else None
        if self.role == "property":
            result = getattr(receiver, self.name)
        elif self.name == "__init__":
            result = receiver = self.owner(*args, **kwargs)
        else:
            function = getattr(receiver if receiver is not None else self.owner, self.name)
            result = function(*args, **kwargs)
        if inspect.iscoroutine(result):
            import asyncio

            result = asyncio.run(result)
        if inspect.isasyncgen(result):
            result = _drain(result)
        if inspect.isgenerator(result) or type(result).__name__ in ("map", "filter", "zip", "chain", "islice", "reversed"):
            result = list(itertools.islice(result, 50))
        return result, args, receiver


def _drain(generator: Any) -> list[Any]:
    import asyncio

    async def collect() -> list[Any]:
        found = []
        async for each in generator:
            found.append(each)
            if len(found) >= 50:
                break
        return found

    return asyncio.run(collect())


def observe(target: Target, given: Input, seconds: float) -> Outcome:
    """Calls the function, for at most some seconds."""
    output = io.StringIO()
    try:
        with _limited(seconds), contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            result, args, receiver = target.call(given)
            return _described(target, given, result, args, receiver, output.getvalue())
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


def _described(target: Target, given: Input, result: Any, args: list[Any], receiver: Any, output: str) -> Outcome:
    changed: dict[str, str] = {}
    for at, (before, after) in enumerate(zip(given.args, args)):
        if isinstance(before, (list, dict, set, Built)) or type(before).__name__ in ("deque", "bytearray"):
            was, now = _try(real(before)), _try(after)
            if now is not None and was != now:
                changed[str(at)] = now
    if receiver is not None:
        before = vars(given.receiver.make()) if given.receiver is not None and hasattr(receiver, "__dict__") else {}
        after = vars(receiver) if hasattr(receiver, "__dict__") else {}
        for name, value in after.items():
            now = _try(value)
            if now is not None and name.isidentifier() and (target.name == "__init__" or _try(before.get(name)) != now):
                changed[f"self.{name}"] = now
    if target.name == "__init__":
        key = f"init|{sorted(changed.items())}|{output}"
        return Outcome("value", key, source=None, changed=changed, output=output, value_type="init")
    source = _try(result)
    if source is None:
        attributes = _attributes(result)
        if attributes is None and not changed:
            return Outcome("opaque", f"opaque {type(result).__name__}")
        for name, text in (attributes or {}).items():
            changed[f"result.{name}"] = text
    key = f"{type(result).__name__}|{source}|{sorted(changed.items())}|{output}"
    return Outcome("value", key, source=source, changed=changed, output=output, value_type=type(result).__name__)


def _try(value: Any) -> Optional[str]:
    try:
        return render(value)[0]
    except (NotRenderable, RecursionError, Exception):
        return None


def _attributes(value: Any) -> Optional[dict[str, str]]:
    """Returns the attributes of an object that can be written down; None if there are none."""
    found = {}
    for name, each in (vars(value) if hasattr(value, "__dict__") else {}).items():
        text = _try(each)
        if text is not None and name.isidentifier() and not name.startswith("_"):
            found[name] = text
    return found or None


@contextlib.contextmanager
def _limited(seconds: float) -> Any:
    def passed(number: int, frame: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, passed)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


Observer = Callable[[Input], Outcome]
