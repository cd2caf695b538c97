"""Collects what becomes of each test of a run, as its process sees it, and what a judge needs to believe it."""

from __future__ import annotations

import inspect
import random
import re
from typing import Any, Iterator, Optional

import pytest

from .control_tests import ControlTests
from .forged import Forged
from .raised import Raised, failed_parts
from .runner_integrity import Runner, code_of, is_installed

_PHASES = ("setup", "call", "teardown")


class Reporter:
    """A plugin of pytest: the outcome of each test, its line and its message."""

    def __init__(self, controls: ControlTests, runner: Runner, order: Optional[int] = None) -> None:
        self.tests: dict[str, dict[str, Any]] = {}
        self.errors: list[dict[str, Any]] = []
        #: Files and classes that were skipped as a whole, so that their tests are not known.
        self.left_out: list[dict[str, Any]] = []
        self.controls = controls
        self._runner = runner
        self._order = order
        self._collected: list[str] = []
        self._codes: dict[str, Any] = {}
        #: By test and phase, what it raised, before anything makes a report of it.
        self._raised: dict[tuple[str, str], Optional[str]] = {}
        #: Tests whose function pytest itself calls, and those of them that it has not called.
        self._plain: set[str] = set()
        self._not_called: set[str] = set()
        #: Phases of tests of which there was a report.
        self._reported: set[tuple[str, str]] = set()
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
        self._plain = {item.nodeid for item in session.items if _is_called_by_pytest(item)}

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.errors.append({"test": report.nodeid, "message": _short(report.longreprtext), "line": _line(report)})
        elif report.skipped:
            self.left_out.append({"test": report.nodeid, "message": _short(_reason(report))})

    def pytest_internalerror(self, excinfo: Any) -> None:
        if not isinstance(excinfo.value, Forged):
            said = _short(f"{excinfo.typename}: {excinfo.value}")
            self.errors.append({"test": "pytest", "message": f"pytest ended by an error that no test made: {said}", "line": None})

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
        self._raised.pop((item.nodeid, "call"), None)
        raised = Raised()
        with raised.noting(item):
            result: Any = yield
        error = result.excinfo
        self._raised[item.nodeid, "call"] = raised.name if error is None else error[0].__name__
        if item.nodeid in self._plain and not raised.has_entered:
            self._not_called.add(item.nodeid)
        else:
            self._not_called.discard(item.nodeid)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: Any) -> Iterator[None]:
        yield from self._watched(item, "teardown")

    def _watched(self, item: Any, when: str) -> Iterator[None]:
        result: Any = yield
        self._raised[item.nodeid, when] = None if result.excinfo is None else result.excinfo[0].__name__

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Iterator[None]:
        result: Any = yield
        # Tests that are run one by one have no other place to be compared at. What has not ended reports of its parts, as subtests.
        if result.excinfo is None and item.nodeid not in self._control_ids and (item.nodeid, call.when) in self._raised:
            self._compare(result.get_result())
            if self._contradiction is not None:
                raise Forged(self._contradiction)

    def pytest_runtest_logreport(self, report: Any) -> None:
        name = self._control_ids.get(report.nodeid)
        if name is not None:
            if report.when == "call" or not report.passed:
                self._control_outcomes[name] = (report.outcome, failure_message(report) if report.failed else None)
            return
        self._compare(report)
        self._reported.add((report.nodeid, report.when))
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
        if type(report) is not pytest.TestReport or not report.passed:
            return
        if key not in self._raised:
            self._contradict(f"{report.nodeid} is reported, and did not run")
        elif self._raised[key] is not None:
            self._contradict(f"{report.nodeid} raised {self._raised[key]}, and is reported as passed")
        elif report.when == "call" and report.nodeid in self._not_called:
            self._contradict(f"{report.nodeid} is reported as passed, and its function did not run")

    def _contradict(self, what: str) -> None:
        self._contradiction = self._contradiction or what

    def witness(self) -> dict[str, Any]:
        """Returns what speaks for the outcomes, or against them."""
        for test, known in self.tests.items():
            when, raised = next(
                ((when, name) for when in _PHASES if (name := self._raised.get((test, when))) is not None), ("", None)
            )
            if raised is None and test in failed_parts:
                when, raised = "call", failed_parts[test]
            if known["outcome"] in ("passed", "xpassed") and raised is not None:
                # An interrupt ends a run before there is a report.
                how = "and is noted as passed" if (test, when) in self._reported else "of which there is no report"
                self._contradict(f"{test} raised {raised}, {how}")
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


def _is_called_by_pytest(item: Any) -> bool:
    """Whether no plugin, conftest.py or class of a project has a say in how a test's function is called."""
    run = getattr(type(item), "runtest", None)
    if not isinstance(item, pytest.Function) or not getattr(run, "__module__", "").startswith("_pytest."):
        return False
    if inspect.iscoroutinefunction(item.obj):
        return False
    plugins = [getattr(each.plugin, "__name__", "") for each in item.ihook.pytest_pyfunc_call.get_hookimpls()]
    return all(name.startswith("_pytest.") for name in plugins)


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


def _reason(report: Any) -> str:
    """Returns why something is skipped, which pytest keeps as file, line and `Skipped: reason`."""
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
    return re.sub(r"^(?:Skipped|[\w.]*SkipTest): ", "", str(said))


def _line(report: Any) -> Optional[int]:
    entries = getattr(getattr(report, "longrepr", None), "reprtraceback", None)
    for entry in getattr(entries, "reprentries", []) or []:
        location = getattr(entry, "reprfileloc", None)
        if location is not None:
            return int(location.lineno)
    return None


def _short(text: str, most: int = 2000) -> str:
    return text if len(text) <= most else text[:most] + "…"
