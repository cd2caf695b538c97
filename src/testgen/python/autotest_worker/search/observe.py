"""Calls a function with an input, for a limited time, and describes what it does."""

from __future__ import annotations

import contextlib
import errno
import io
import socket
import sys
import time
import types
import unittest
from typing import Callable, Optional

from ..function_objects import Steps, codes_within, traced
from .arranged import arranged
from .current_call import Call
from .effects import effects_of, needs_low_level
from .outcomes import outcome_of_call
from .target import Input, Outcome, Target
from .time_limit import TooLong, limited


def observe(target: Target, given: Input, seconds: float) -> Outcome:
    """Calls the function, for at most some seconds."""
    return observe_call(target, given, seconds)[0]


def observe_call(target: Target, given: Input, seconds: float) -> tuple[Outcome, Call]:
    """Does the same; also returns what the call asked for and did not find arranged."""
    with arranged(given.around) as call:
        if call.is_impossible:
            return Outcome("opaque", "impossible", value_type="file in place of a folder"), call
        outcome = _observed(target, given, seconds, call)
    if outcome.kind in ("value", "raises", "opaque"):
        outcome.effects = effects_of(call, given)
        outcome.sleep_names = frozenset(call.sleep_names)
        outcome.logs_details = needs_low_level(call)
        if outcome.effects:
            outcome.kind = "value" if outcome.kind == "opaque" else outcome.kind
            outcome.key += f"|{sorted(outcome.effects.items())}"
    return outcome, call


def _observed(target: Target, given: Input, seconds: float, call: Call) -> Outcome:
    output = io.StringIO()
    try:
        with limited(seconds), contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            try:
                called = target.call(given)
            finally:
                call.end()
            return outcome_of_call(target, given, called, output.getvalue())
    except TooLong:
        return Outcome("too_long", "too long")
    except RecursionError:
        return Outcome("raises", "RecursionError", exception="RecursionError", message="")
    except MemoryError:
        return Outcome("too_long", "too large")
    except BaseException as error:  # noqa: BLE001 - whatever the project's code raises
        name = type(error).__name__
        # A skip, an interrupt: the test, or all of them, would end there, and none would have failed.
        if _ends_test(error):
            return Outcome("ends", f"ends by {name}", exception=name)
        try:
            message = str(error)
        except Exception:
            message = ""
        if _is_of_the_sandbox(error):
            return Outcome("sandboxed", f"sandboxed {name}: {message}", message=message)
        return Outcome(
            "raises", f"raises {name}: {message}", exception=_exception_name(error), message=message, place=_place(error)
        )


#: What a sandbox answers in place of the system: rights, files that cannot be written, no network.
_SANDBOX = {errno.EPERM, errno.EACCES, errno.EROFS, errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ECONNREFUSED, errno.ENETDOWN}


def _is_of_the_sandbox(error: Optional[BaseException]) -> bool:
    """Whether the system refused something that it may allow elsewhere, whatever was made of that refusal."""
    seen = 0
    while error is not None and seen < 20:
        if isinstance(error, socket.gaierror) or isinstance(error, OSError) and error.errno in _SANDBOX:
            return True
        error, seen = error.__cause__ or error.__context__, seen + 1
    return False


def _place(error: BaseException) -> Optional[tuple[str, int]]:
    """Returns the file and the line of the innermost frame of Python that an exception came through."""
    found, traceback = None, error.__traceback__
    while traceback is not None:
        found = (traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found


def _ends_test(error: BaseException) -> bool:
    pytest = sys.modules.get("pytest")
    ends = (unittest.SkipTest,) if pytest is None else (unittest.SkipTest, pytest.exit.Exception)
    return isinstance(error, ends) or not isinstance(error, (Exception, SystemExit))


def _exception_name(error: BaseException) -> str:
    cls = type(error)
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{_public_module(cls)}:{cls.__qualname__}"


def _public_module(cls: type) -> str:
    """Returns the module that a class is to be imported from: a private one is nobody's to name."""
    if not _is_private(cls.__module__):
        return cls.__module__
    package = cls.__module__.lstrip("_").split(".")[0]
    found = [
        name
        for name, module in list(sys.modules.items())
        if not _is_private(name) and getattr(module, "__dict__", {}).get(cls.__qualname__) is cls
    ]
    return min(found, key=lambda name: (name.split(".")[0] != package, name.count("."), name), default=cls.__module__)


def _is_private(module: str) -> bool:
    return any(part.startswith("_") for part in module.split("."))


#: Lines of a call that is not taken to be endless.
_MOST_STEPS = 300_000


def observe_traced(
    target: Target, given: Input, functions: list[types.FunctionType], seconds: float
) -> tuple[Outcome, set[int], Call]:
    """Observes a call with the number of lines that it runs; also returns which lines of the function they are."""
    lines: set[int] = set()
    arcs: set[tuple[int, int]] = set()
    steps = Steps(functions[0].__code__.co_filename, _MOST_STEPS, TooLong)
    started = time.process_time()
    with traced(codes_within(functions), lines, arcs, steps):
        outcome, call = observe_call(target, given, seconds)
    outcome.seconds, outcome.steps, outcome.arcs = time.process_time() - started, steps.count, arcs
    return outcome, lines, call


Observer = Callable[[Input], Outcome]
