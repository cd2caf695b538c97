"""Notes what tests raise where they raise it: what unittest, or a hook of pytest, notes of a failure can be changed before a report is made of it."""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
import unittest.case
from typing import Any, Callable, Iterator, Optional

import pytest

_SKIPS = (unittest.SkipTest, pytest.skip.Exception)


class Raised:
    """What left the function of the present test, and the parts of it that unittest runs."""

    def __init__(self) -> None:
        self.name: Optional[str] = None
        #: What left a subtest. The test goes on, and is reported apart from it.
        self.part: Optional[str] = None
        self.has_entered = False

    def note(self, error: BaseException, is_part: bool = False) -> None:
        # The end of a test by a skip is no failure, and is reported as one that has not passed.
        if isinstance(error, _SKIPS):
            return
        if is_part:
            self.part = self.part or type(error).__name__
        else:
            self.name = self.name or type(error).__name__

    @contextlib.contextmanager
    def noting(self, item: Any) -> Iterator[None]:
        """Runs the function of a test, which others call meanwhile, so that what leaves it is noted."""
        global _present
        original = getattr(item, "obj", None) if isinstance(item, pytest.Function) else None
        noted = None if original is None else self._noted(original)
        before, _present = _present, self
        if noted is not None:
            item.obj = noted
        examples = _examples_of(item)
        try:
            yield
        finally:
            _present = before
            failed_parts.pop(item.nodeid, None)
            if self.part is not None:
                failed_parts[item.nodeid] = self.part
            if noted is not None and item.obj is noted:
                item.obj = original
            if _examples_of(item) != examples:
                self.name = self.name or "what its changed examples hide"

    def _noted(self, function: Any) -> Optional[Callable[..., Any]]:
        """Returns a function that does the same; None for what is no plain function or method."""
        if isinstance(function, types.MethodType):
            inner = self._noted(function.__func__)
            return None if inner is None else types.MethodType(inner, function.__self__)
        if not callable(function) or inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            return None
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def in_turn(*args: Any, **kwargs: Any) -> Any:
                self.has_entered = True
                try:
                    return await function(*args, **kwargs)
                except BaseException as error:
                    self.note(error)
                    raise

            return in_turn

        @functools.wraps(function)
        def at_once(*args: Any, **kwargs: Any) -> Any:
            self.has_entered = True
            try:
                return function(*args, **kwargs)
            except BaseException as error:
                self.note(error)
                raise

        return at_once


_present: Optional[Raised] = None
#: Of tests that ran last, what left a subtest, by id.
failed_parts: dict[str, str] = {}


def _examples_of(item: Any) -> list[Any]:
    """Returns the examples of a doctest as they stand there."""
    doctest = getattr(item, "dtest", None)
    return [(each.source, each.want, each.exc_msg, dict(each.options)) for each in getattr(doctest, "examples", None) or []]


class NotedParts:
    """In the place of a method of unittest, which nothing of an object can stand before: runs a part of a test, and notes what leaves it."""

    def __init__(self, part: Callable[..., Any]) -> None:
        self._part = part

    def __get__(self, outcome: Any, owner: Any = None) -> Any:
        part = self._part
        if outcome is None:
            return self

        @contextlib.contextmanager
        def noted(*args: Any, **kwargs: Any) -> Iterator[None]:
            with part(outcome, *args, **kwargs):
                try:
                    yield
                except BaseException as error:
                    if _present is not None:
                        _present.note(error, is_part=bool(args) and type(args[0]).__name__ == "_SubTest")
                    raise

        return noted

    def __set__(self, outcome: Any, value: Any) -> None:
        raise AttributeError("testPartExecutor")


def watch_unittest() -> None:
    """Has the parts of tests of unittest noted, before anything of a project is loaded."""
    # Without this class, which every Python from 3.4 to 3.14 has, pytest and unittest say alone what became of such tests.
    outcome = getattr(unittest.case, "_Outcome", None)
    part = getattr(outcome, "testPartExecutor", None)
    if outcome is not None and part is not None and not isinstance(vars(outcome).get("testPartExecutor"), NotedParts):
        outcome.testPartExecutor = NotedParts(part)
