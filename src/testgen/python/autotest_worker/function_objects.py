"""Function objects of loaded modules: found, replaced by mutants, traced."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import types
from typing import Any, Iterable, Iterator

from .mutation.mutants import Mutant


def functions_of(path: str, qualname: str) -> list[types.FunctionType]:
    """Returns the function objects of the loaded modules that run the code of a function in a file."""
    name = qualname.split(".")[-1]
    found = []
    for each in gc.get_objects():
        if isinstance(each, types.FunctionType) and each.__code__.co_name == name and each.__qualname__ == qualname:
            if os.path.realpath(each.__code__.co_filename) == path:
                found.append(each)
    return found


def loaded_caches() -> list[Any]:
    """Returns the caches of functions; to be asked before objects are frozen, as they are listed no more then."""
    return [each for each in gc.get_objects() if type(each).__name__ == "_lru_cache_wrapper"]


def put_code(code: types.CodeType, functions: Iterable[types.FunctionType], caches: Iterable[Any]) -> list[types.FunctionType]:
    """Lets functions run other code, and forgets what was cached; returns those that Python allows it for."""
    changed = []
    for function in functions:
        try:
            function.__code__ = code.replace(co_filename=function.__code__.co_filename)
        except ValueError:
            continue
        changed.append(function)
    for cache in caches:
        cache.cache_clear()
    return changed


def apply(mutant: Mutant, functions: Iterable[types.FunctionType], caches: Iterable[Any]) -> bool:
    """Puts the mutant in the place of the function; False if Python does not allow it."""
    if mutant.function_code is None:
        return True
    changed = put_code(mutant.function_code, functions, caches)
    if mutant.module_code is not None:
        for function in changed:
            anew = _executed_anew(mutant, function)
            function.__defaults__ = anew.__defaults__
            function.__kwdefaults__ = anew.__kwdefaults__
    return bool(changed)


def _executed_anew(mutant: Mutant, function: types.FunctionType) -> types.FunctionType:
    namespace = {"__name__": function.__module__, "__file__": function.__code__.co_filename}
    exec(mutant.module_code or "", namespace)  # noqa: S102 - the project's own module, in its sandbox
    found: Any = namespace
    for part in function.__qualname__.split("."):
        found = found[part] if isinstance(found, dict) else vars(found)[part]
    found = getattr(found, "__func__", getattr(found, "fget", found))
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    return found


def codes_within(functions: list[types.FunctionType]) -> set[types.CodeType]:
    codes: set[types.CodeType] = set()
    waiting = [each.__code__ for each in functions]
    while waiting:
        code = waiting.pop()
        if code not in codes:
            codes.add(code)
            waiting += [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return codes


class Steps:
    """Counts the lines that run of a file; more than `most` raise `error`, whatever the time they took."""

    def __init__(self, file: str, most: int, error: type[BaseException]) -> None:
        self.file = file
        self.count = 0
        self._most = most
        self._error = error

    def add(self) -> None:
        self.count += 1
        if self.count > self._most:
            raise self._error


@contextlib.contextmanager
def traced(
    codes: set[types.CodeType],
    lines: set[int],
    arcs: "set[tuple[int, int]] | None" = None,
    steps: "Steps | None" = None,
) -> Iterator[None]:
    """Adds the lines that run of some code.

    `arcs` are pairs of lines that run one after the other; the end of a call is line 0. `steps` counts those of the file.
    """
    last: dict[int, int] = {}

    def count(frame: Any, event: str, argument: Any) -> Any:
        if event == "line" and steps is not None:
            steps.add()
        return count

    def trace(frame: Any, event: str, argument: Any) -> Any:
        if event == "line":
            if steps is not None:
                steps.add()
            lines.add(frame.f_lineno)
            if arcs is not None:
                arcs.add((last.get(id(frame), 0), frame.f_lineno))
                last[id(frame)] = frame.f_lineno
        elif event == "return" and arcs is not None:
            arcs.add((last.pop(id(frame), 0), 0))
        return trace

    def entered(frame: Any, event: str, argument: Any) -> Any:
        if event == "call" and frame.f_code in codes:
            lines.add(frame.f_lineno)
            return trace
        return count if steps is not None and frame.f_code.co_filename == steps.file else None

    sys.settrace(entered)
    try:
        yield
    finally:
        sys.settrace(None)
