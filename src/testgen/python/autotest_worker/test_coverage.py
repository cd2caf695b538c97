"""Which lines of the sources each test of a run reaches."""

from __future__ import annotations

import os
import sys
import threading
import types
from typing import TYPE_CHECKING, Any, Optional

from .children import ChildFailed
from .functions import read_source
from .mutation.mutants import lines_with_code
from .test_runs import ARGUMENTS, run_judged

if TYPE_CHECKING:
    from .reporter import Reporter


class _LineTracer:
    """Notes lines of some files, under the name of the test that runs them; what an import runs is under no test's name."""

    def __init__(self, sources: list[str]) -> None:
        self._paths = {os.path.realpath(path): path for path in sources}
        self._known: dict[str, Optional[str]] = {}
        #: Path, test, lines.
        self.lines: dict[str, dict[str, set[int]]] = {}
        self.test = ""

    def start(self) -> None:
        threading.settrace(self._entered)
        sys.settrace(self._entered)

    def _entered(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        filename = frame.f_code.co_filename
        if filename not in self._known:
            self._known[filename] = self._paths.get(os.path.realpath(filename))
        path = self._known[filename]
        if path is None:
            return None
        seen = self.lines.setdefault(path, {}).setdefault(self.test, set())

        def trace(inner: types.FrameType, kind: str, value: Any) -> Any:
            if kind == "line":
                seen.add(inner.f_lineno)
            return trace

        return trace


class _TestNames:
    """Tells a tracer which test runs."""

    def __init__(self, tracer: _LineTracer) -> None:
        self._tracer = tracer

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._tracer.test = nodeid
        # A test before it may have taken the tracer away.
        self._tracer.start()

    def pytest_runtest_logfinish(self) -> None:
        self._tracer.test = ""


def run_with_coverage(paths: list[str], sources: list[str], seconds: float) -> dict[str, Any]:
    """Runs tests once; returns their outcomes and, of each source that they reach, the lines by test and those with code."""

    def run(reporter: "Reporter") -> dict[str, Any]:
        import pytest

        tracer = _LineTracer(sources)
        tracer.start()
        code = pytest.main([*ARGUMENTS, *paths], plugins=[_TestNames(tracer), reporter])
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        return {
            "exit_code": int(code),
            "tests": list(reporter.tests.values()),
            "ms": 0.0,
            "files": [_covered_file(path, tests) for path, tests in sorted(tracer.lines.items())],
        }

    try:
        return run_judged(run, seconds)
    except ChildFailed as failure:
        return {
            **{"exit_code": None, "tests": [], "errors": [], "failure": failure.kind, "message": failure.detail},
            **{"ms": seconds * 1000, "files": []},
        }


def _covered_file(path: str, tests: dict[str, set[int]]) -> dict[str, Any]:
    code = compile(read_source(path), path, "exec", dont_inherit=True)
    known = set(lines_with_code(code))
    return {
        "path": path,
        "executable_lines": sorted(known),
        "imported": sorted(tests.get("", set()) & known),
        "tests": {test: sorted(lines & known) for test, lines in tests.items() if test and lines & known},
    }
