"""Which lines of the sources each test runs."""

from __future__ import annotations

import dataclasses
import math
import os
import signal
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Iterable, Optional

from ..children import ChildFailed, run_in_child


class TimeUp(BaseException):
    """A test has had its time."""


@dataclass
class TestOutcome:
    """A test, what became of it, and the lines that it ran, by file relative to the workspace."""

    test: str
    failed: bool
    #: Neither failed nor skipped.
    passed: bool
    message: Optional[str]
    #: Where it failed, in the innermost file of the project: relative path and line.
    place: Optional[tuple[str, int]]
    #: Line of the test file.
    line: Optional[int]
    seconds: float
    #: Whether it came to its end by itself.
    ended: bool
    lines: dict[str, set[int]] = field(default_factory=dict)

    @staticmethod
    def read(data: dict[str, Any]) -> "TestOutcome":
        lines = {path: set(numbers) for path, numbers in data.pop("lines").items()}
        place = data.pop("place")
        return TestOutcome(**data, place=None if place is None else (place[0], place[1]), lines=lines)


def run_traced(item: Any, sources: set[str], seconds: float) -> TestOutcome:
    """Runs a test in a child. One that does not end is stopped from within, so that its lines are known."""
    traced = _run(item, sources, seconds)
    if traced.ended:
        return traced
    # Tracing takes many times what the test does: without, it may come to its end.
    plain = _run(item, set(), seconds)
    return dataclasses.replace(plain, lines=traced.lines)


def _run(item: Any, sources: set[str], seconds: float) -> TestOutcome:
    started = time.monotonic()
    try:
        return TestOutcome.read(run_in_child(lambda: _traced(item, sources, seconds), 3 * seconds + 2))
    except ChildFailed as failure:
        message = f"it did not end in {seconds:.1f} s" if failure.kind == "timeout" else failure.detail
        return TestOutcome(item.nodeid, True, False, message, None, None, time.monotonic() - started, False)


def _traced(item: Any, sources: set[str], seconds: float) -> dict[str, Any]:
    from _pytest.runner import runtestprotocol

    from ..reporter import failure_message, noted_outcome

    lines: dict[str, set[int]] = {}
    watched: dict[str, Optional[set[int]]] = {}

    def of_file(filename: str) -> Optional[set[int]]:
        if filename not in watched:
            path = os.path.relpath(os.path.realpath(filename))
            watched[filename] = lines.setdefault(path, set()) if path in sources else None
        return watched[filename]

    def entered(frame: Any, event: str, argument: Any) -> Any:
        seen = of_file(frame.f_code.co_filename)
        if seen is None:
            return None

        def trace(inner: Any, kind: str, value: Any) -> Any:
            if kind == "line":
                seen.add(inner.f_lineno)
            return trace

        return trace

    def up(number: int, frame: Any) -> None:
        raise TimeUp(f"it did not end in {seconds:.1f} s")

    signal.signal(signal.SIGALRM, up)
    started = time.monotonic()
    failed, passed, message, line, place, ended = False, True, None, None, None, True
    signal.setitimer(signal.ITIMER_REAL, seconds)
    if sources:
        sys.settrace(entered)
    try:
        for report in runtestprotocol(item, log=False, nextitem=None):
            passed = passed and noted_outcome(report) is None
            if report.failed and not failed:
                failed, message = True, failure_message(report)
                place, line = _place_of(report, sources, item)
                ended = TimeUp.__name__ not in str(message)
    except TimeUp as error:
        failed, passed, message, ended = True, False, str(error), False
    finally:
        sys.settrace(None)
        signal.setitimer(signal.ITIMER_REAL, 0)
    return {
        "test": item.nodeid,
        "failed": failed,
        "passed": passed,
        "message": message,
        "place": place,
        "line": line,
        "seconds": time.monotonic() - started,
        "ended": ended,
        "lines": {path: sorted(numbers) for path, numbers in lines.items() if numbers},
    }


def _place_of(report: Any, sources: set[str], item: Any) -> tuple[Optional[tuple[str, int]], Optional[int]]:
    """Returns the innermost place in a source, and the line of the test."""
    place, line = None, None
    traceback = getattr(getattr(report, "longrepr", None), "reprtraceback", None)
    for entry in getattr(traceback, "reprentries", []) or []:
        location = getattr(entry, "reprfileloc", None)
        if location is None:
            continue
        path = os.path.relpath(os.path.realpath(str(location.path)))
        if path in sources:
            place = (path, int(location.lineno))
        elif line is None:
            line = int(location.lineno)
    return place, line


def suspicion(outcomes: Iterable[TestOutcome]) -> dict[tuple[str, int], float]:
    """Returns how suspicious each line is, 0 to 1, by the formula of Ochiai: it runs in failing tests, and in few others."""
    tests = list(outcomes)
    failing = [each for each in tests if each.failed and each.lines]
    total = len(failing)
    counts: dict[tuple[str, int], list[int]] = {}
    for each in tests:
        for path, numbers in each.lines.items():
            for number in numbers:
                counts.setdefault((path, number), [0, 0])[0 if each.failed else 1] += 1
    return {place: bad / math.sqrt(total * (bad + good)) for place, (bad, good) in counts.items() if bad > 0 and total > 0}
