"""Collects what becomes of each test of a run, as its process sees it, and what a judge needs to believe it."""

from __future__ import annotations

import random
from typing import Any, Iterator, Optional

import pytest

from .control_tests import ControlTests
from .forged import Forged
from .runner_integrity import Runner, code_of, is_installed

_PHASES = ("setup", "call", "teardown")


class Reporter:
    """A plugin of pytest: the outcome of each test, its line and its message."""

    def __init__(self, controls: ControlTests, runner: Runner, order: Optional[int] = None) -> None:
        self.tests: dict[str, dict[str, Any]] = {}
        self.errors: list[dict[str, Any]] = []
        self.controls = controls
        self._runner = runner
        self._order = order
        self._collected: list[str] = []
        self._codes: dict[str, Any] = {}
        #: By test and phase, what it raised, before anything makes a report of it.
        self._raised: dict[tuple[str, str], Optional[str]] = {}
        self._contradiction: Optional[str] = None
        self._has_run = False
        self._control_ids: dict[str, str] = {}
        self._control_outcomes: dict[str, tuple[str, Optional[str]]] = {}
        self._seen: list[str] = []

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self._order == 1:
            items.reverse()
        elif self._order is not None and self._order > 1:
            random.Random(self._order).shuffle(items)

    def pytest_collection_finish(self, session: Any) -> None:
        self._collected = [item.nodeid for item in session.items]
        self._codes = {item.nodeid: code_of(getattr(item, "obj", None)) for item in session.items}

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.errors.append({"test": report.nodeid, "message": _short(report.longreprtext), "line": _line(report)})

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> Iterator[None]:
        result: Any = yield
        if result.excinfo is None:
            self._has_run = True
            self._run_controls(session)
        elif issubclass(result.excinfo[0], Forged):
            # Of a process that the loop started for some of its tests.
            self._contradict(str(result.excinfo[1]))

    def _run_controls(self, session: Any) -> None:
        """Runs the control tests as pytest runs any other, after all others; to the session they are nothing that failed."""
        counted = session.testsfailed, session.shouldfail
        items = self.controls.items(session)
        self._control_ids = {item.nodeid: item.name for item in items}
        for item in items:
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        self._seen = self.controls.seen(items)
        session.testsfailed, session.shouldfail = counted

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: Any) -> Iterator[None]:
        yield from self._watched(item, "setup")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: Any) -> Iterator[None]:
        known, now = self._codes.get(item.nodeid), code_of(getattr(item, "obj", None))
        if item.nodeid in self._codes and now is not known and not is_installed(now, "."):
            self._contradict(f"{item.nodeid} was replaced after it was collected")
        yield from self._watched(item, "call")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: Any) -> Iterator[None]:
        yield from self._watched(item, "teardown")

    def _watched(self, item: Any, when: str) -> Iterator[None]:
        result: Any = yield
        self._raised[item.nodeid, when] = None if result.excinfo is None else result.excinfo[0].__name__

    def pytest_runtest_logreport(self, report: Any) -> None:
        name = self._control_ids.get(report.nodeid)
        if name is not None:
            if report.when == "call" or not report.passed:
                self._control_outcomes[name] = (report.outcome, failure_message(report) if report.failed else None)
            return
        self._compare(report)
        known = self.tests.setdefault(
            report.nodeid, {"test": report.nodeid, "outcome": "passed", "message": None, "line": None, "ms": 0.0}
        )
        known["ms"] += report.duration * 1000
        known["outcome"] = noted_outcome(report) or known["outcome"]
        if report.failed and not hasattr(report, "wasxfail"):
            known["message"] = failure_message(report)
            known["line"] = _line(report)

    def _compare(self, report: Any) -> None:
        """Notes where a report is not of what happened. Reports of other kinds, as of parts of a test, are plugins' own."""
        key = report.nodeid, report.when
        if type(report) is not pytest.TestReport or not report.passed or hasattr(report, "wasxfail"):
            return
        if key not in self._raised:
            self._contradict(f"{report.nodeid} is reported, and did not run")
        elif self._raised[key] is not None:
            self._contradict(f"{report.nodeid} raised {self._raised[key]}, and is reported as passed")

    def _contradict(self, what: str) -> None:
        self._contradiction = self._contradiction or what

    def witness(self) -> dict[str, Any]:
        """Returns what speaks for the outcomes, or against them."""
        for test, known in self.tests.items():
            raised = next((name for when in _PHASES if (name := self._raised.get((test, when))) is not None), None)
            if known["outcome"] == "passed" and raised is not None:
                self._contradict(f"{test} raised {raised}, and is noted as passed")
        replaced = self._runner.replaced(".")
        if replaced is not None:
            self._contradict(f"{replaced} was replaced")
        return {
            "contradiction": self._contradiction,
            "has_run": self._has_run,
            "without_result": [] if self.errors else [test for test in self._collected if not self._has_result(test)],
            "controls": self._control_outcomes,
            "seen": self._seen,
        }

    def _has_result(self, test: str) -> bool:
        raised = self._raised
        if test not in self.tests or (test, "setup") not in raised or (test, "teardown") not in raised:
            return False
        return raised[test, "setup"] is not None or (test, "call") in raised


def check_witness(witness: dict[str, Any], controls: ControlTests, tests: list[Any], runs_all: bool) -> None:
    """Raises Forged if outcomes of a run are not to be believed.

    `runs_all` says whether pytest's own loop was to run every test.
    """
    if witness["contradiction"] is not None:
        raise Forged(witness["contradiction"])
    if witness["has_run"]:
        controls.check(witness["controls"], witness["seen"])
    missing = witness["without_result"]
    if (runs_all or not witness["has_run"]) and missing:
        raise Forged(f"the run ended before {missing[0]} had a result")
    if tests and not witness["has_run"]:
        raise Forged("there are results of tests that did not run")


def noted_outcome(report: Any) -> Optional[str]:
    """Returns what a report of a phase says of its test; None where it says nothing but that the phase passed."""
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    if report.failed:
        return "failed" if report.when == "call" else "error"
    return "skipped" if report.skipped else None


def failure_message(report: Any) -> str:
    crash = getattr(getattr(report, "longrepr", None), "reprcrash", None)
    return _short(crash.message if crash is not None else report.longreprtext)


def _line(report: Any) -> Optional[int]:
    entries = getattr(getattr(report, "longrepr", None), "reprtraceback", None)
    for entry in getattr(entries, "reprentries", []) or []:
        location = getattr(entry, "reprfileloc", None)
        if location is not None:
            return int(location.lineno)
    return None


def _short(text: str, most: int = 2000) -> str:
    return text if len(text) <= most else text[:most] + "…"
