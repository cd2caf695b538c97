"""Runs the tests of some files against the mutants of a function."""

from __future__ import annotations

import gc
import os
import secrets
import signal
import time
import types
from typing import TYPE_CHECKING, Any, Callable, Optional

from ..children import ChildFailed, run_in_child, work_seconds
from ..control_tests import ControlTests
from ..function_objects import apply, codes_within, functions_of, loaded_caches, traced
from ..functions import read_source
from ..test_runs import ARGUMENTS, is_failure, outcome_of, run_judged
from .branches import branches_taken
from .mutants import Mutant, find_code, lines_with_code, make_mutants
from .rewritten import rewritten

if TYPE_CHECKING:
    from ..reporter import Reporter

_FAST = ["--tb=no", "--assert=plain"]
#: Processor time of a mutant's tests after which it counts as endless, beside ten times that of the reference.
_LEAST_SECONDS = 0.3
_UNCHANGED = Mutant(-1, "unchanged", 0, "", "", None, None)


class _MutantLoop:
    """In place of running the tests once: once on the reference, then on each mutant that they reach."""

    def __init__(
        self,
        path: str,
        qualname: str,
        mutants: list[Mutant],
        rewrite: Optional[Mutant],
        seconds: float,
        all_killers: bool,
        controls: ControlTests,
    ) -> None:
        self._controls = controls
        self._path = os.path.realpath(path)
        self._qualname = qualname
        self._mutants = mutants
        self._rewrite = rewrite
        self._seconds = seconds
        self._all_killers = all_killers
        self._deadline = work_seconds() + seconds
        self._functions: list[types.FunctionType] = []
        self._caches: list[Any] = []
        self.outcome: dict[str, Any] = {"reference": [], "mutants": [], "lines": [], "arcs": [], "noticed_rewrite": None}

    def pytest_runtestloop(self, session: Any) -> bool:
        gc.collect()
        # Before they are frozen: then the collector lists them no more.
        self._functions = functions_of(self._path, self._qualname)
        self._caches = loaded_caches()
        gc.freeze()
        items = list(session.items)
        control_items = self._controls.items(session)

        def run_reference() -> dict[str, Any]:
            result = self._run_reference(items)
            self._controls.run(control_items, outcome_of)
            return result

        try:
            reference = run_in_child(run_reference, self._seconds)
        except ChildFailed as failure:
            self.outcome["reference"] = [{"test": "", "outcome": failure.kind, "message": failure.detail}]
            return True
        self.outcome["reference"] = reference["tests"]
        self.outcome["lines"] = reference["lines"]
        self.outcome["arcs"] = reference["arcs"]
        by_id = {item.nodeid: item for item in items}
        covering = [each for each in reference["tests"] if each["outcome"] == "passed" and each["covers"]]
        covering.sort(key=lambda each: each["ms"])
        # A test that does not pass on a function that does the same looks at its code, or at how it is run; at the end, at how often it ran.
        same = [(secrets.randbelow(len(self._mutants) + 1), self._rewrite), (len(self._mutants), _UNCHANGED)]
        for at in range(len(self._mutants) + 1):
            for position, mutant in same:
                if position == at and mutant is not None and self.outcome["noticed_rewrite"] is None:
                    row = self._score(mutant, covering, by_id, noticed=_is_not_passed)
                    self.outcome["noticed_rewrite"] = row["by"] if row["outcome"] == "killed" else None
            if at < len(self._mutants):
                self.outcome["mutants"].append(self._score(self._mutants[at], covering, by_id))
        return True

    def _run_reference(self, items: list[Any]) -> dict[str, Any]:
        codes = codes_within(self._functions)
        tests = []
        lines: set[int] = set()
        arcs: set[tuple[int, int]] = set()
        for item in items:
            seen: set[int] = set()
            started = time.monotonic()
            with traced(codes, seen, arcs):
                outcome, message = outcome_of(item)
            lines |= seen
            tests.append(
                {
                    "test": item.nodeid,
                    "outcome": outcome,
                    "message": message,
                    "covers": bool(seen),
                    "ms": (time.monotonic() - started) * 1000,
                }
            )
        return {"tests": tests, "lines": sorted(lines), "arcs": sorted(arcs)}

    def _score(
        self,
        mutant: Mutant,
        covering: list[dict[str, Any]],
        by_id: dict[str, Any],
        noticed: Callable[[str], bool] = is_failure,
    ) -> dict[str, Any]:
        row = {
            "number": mutant.number,
            "operator": mutant.operator,
            "line": mutant.line,
            "before": mutant.before,
            "after": mutant.after,
        }
        if not covering:
            return {**row, "outcome": "survived", "by": None}
        if work_seconds() > self._deadline:
            return {**row, "outcome": "not_run", "by": "limit of time"}
        tests = [str(each["test"]) for each in covering]
        limit = _LEAST_SECONDS + 10 * sum(each["ms"] for each in covering) / 1000

        def killers_among(chosen: list[str]) -> Optional[list[str]]:
            if not apply(mutant, self._functions, self._caches):
                return None
            # An endless loop takes processor time, which ends it sooner than a clock that must be patient with a busy machine.
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, limit)
            killers: list[str] = []
            for test in chosen:
                if noticed(outcome_of(by_id[test])[0]):
                    killers.append(test)
                    if not self._all_killers:
                        break
            return killers

        try:
            killers = _patiently(lambda: killers_among(tests), 1.0 + limit / 2)
        except ChildFailed as failure:
            killers, by = self._killers_alone(killers_among, tests, limit, failure, noticed)
            if by is not None:
                return {**row, "outcome": "survived" if by == "crash" else "killed", "by": by}
        if killers is None:
            return {**row, "outcome": "not_run", "by": None}
        first = killers[0] if killers else None
        return {**row, "outcome": "survived" if first is None else "killed", "by": first, "killers": killers}

    def _killers_alone(
        self,
        killers_among: Callable[[list[str]], Optional[list[str]]],
        tests: list[str],
        limit: float,
        failure: ChildFailed,
        noticed: Callable[[str], bool],
    ) -> tuple[list[str], Optional[str]]:
        """Returns the tests that notice a mutant with which a process had no result, or in one word why not.

        A test notices a mutant by failing with it, or by not coming to its end. A process that ends by itself is no result of
        a test: the function's value was not checked, whatever ended it. Where the function is the same, such a test is no test.
        """
        if _is_endless(failure, limit) and noticed is is_failure:
            return [], "timeout"
        killers: list[str] = []
        ended: list[str] = []
        for test in tests:
            try:
                killers += _patiently(lambda: killers_among([test]), 1.0 + limit / 2) or []
            except ChildFailed as alone:
                if _is_endless(alone, limit) and noticed is is_failure:
                    return [], "timeout"
                ended.append(test)
            if killers and not self._all_killers:
                break
        if noticed is not is_failure:
            killers += ended or ([] if killers else tests[-1:])
        return killers, None if killers else "crash"


def _is_endless(failure: ChildFailed, limit: float) -> bool:
    """Whether a process was ended as its time was over, and not by a signal that it sent itself; the timer counts ticks, and not exactly."""
    return failure.kind == "timeout" or "SIGPROF" in failure.detail and failure.work_seconds >= limit / 2


def _is_not_passed(outcome: str) -> bool:
    return outcome != "passed"


def _patiently(run: Callable[[], Any], seconds: float) -> Any:
    """Runs it in a child, once more with ten times the patience where it only waited: the machine may have been busy."""
    try:
        return run_in_child(run, seconds)
    except ChildFailed as failure:
        if failure.kind != "timeout":
            raise
    return run_in_child(run, 10 * seconds)


def score_mutants(
    path: str, qualname: str, tests: list[str], seconds: float, limit: int, all_killers: bool
) -> dict[str, Any]:
    """Returns the outcome of each mutant of a function under the tests of some files: the first test that notices it, or all."""
    source = read_source(path)
    mutants = make_mutants(source, path, qualname, limit)
    started = time.monotonic()

    def run(reporter: "Reporter") -> dict[str, Any]:
        import pytest

        rewrite = _rewritten_mutant(source, path, qualname)
        loop = _MutantLoop(path, qualname, mutants, rewrite, seconds, all_killers, reporter.controls)
        code = pytest.main([*ARGUMENTS, *_FAST, *tests], plugins=[loop, reporter])
        return {**loop.outcome, "exit_code": int(code)}

    try:
        # Beside others, processor time passes slowly.
        outcome = run_judged(run, 4 * seconds + 10, runs_all=False)
    except ChildFailed as failure:
        errors = [{"test": "", "message": str(failure)}]
        outcome = {"reference": [], "mutants": [], "lines": [], "arcs": [], "noticed_rewrite": None, "errors": errors}
    arcs = {(before, after) for before, after in outcome.pop("arcs")}
    taken, total = branches_taken(source, path, qualname, arcs)
    outcome["branches"] = {"taken": taken, "total": total}
    outcome["executable_lines"] = executable_lines(source, path, qualname)
    outcome["ms"] = (time.monotonic() - started) * 1000
    return outcome


def _rewritten_mutant(source: str, path: str, qualname: str) -> Optional[Mutant]:
    text = rewritten(source, path, qualname)
    if text is None:
        return None
    module = compile(text, path, "exec", dont_inherit=True)
    code = find_code(module, qualname)
    return None if code is None else Mutant(-1, "rewrite", code.co_firstlineno, "", "", code, None)


def executable_lines(source: str, path: str, qualname: str) -> list[int]:
    """Returns the lines of a function that have code, without its head."""
    code = find_code(compile(source, path, "exec", dont_inherit=True), qualname)
    return [] if code is None else [line for line in lines_with_code(code) if line > code.co_firstlineno]
