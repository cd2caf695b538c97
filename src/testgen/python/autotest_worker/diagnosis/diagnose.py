"""Finds why tests fail: the lines under suspicion, and changes of them with which all tests pass."""

from __future__ import annotations

import ast
import gc
import os
import signal
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from ..children import ChildFailed, run_in_child, work_seconds
from ..control_tests import ControlTests
from ..function_objects import functions_of, loaded_caches, put_code
from ..functions import describe_file, find_node, read_source
from ..mutation.mutants import find_code, fingerprint
from ..test_runs import ARGUMENTS, outcome_of, run_judged
from .fix_templates import fixes_of
from .ranking import FixOutcome, ranked_lines
from .source_edits import Edit, Source
from .spectrum import TestOutcome, run_traced, suspicion

if TYPE_CHECKING:
    from ..reporter import Reporter

_FAST = ["--tb=short", "--assert=plain"]
_TEST_SECONDS = 2.0
#: Processor time of a test after which it counts as endless, beside ten times what it took.
_LEAST_SECONDS = 0.08
_MOST_SECONDS = 0.3
_PATIENT_SECONDS = 5.0
#: Changes that are tried for each second that a search is given, and how many times its seconds it may take in all.
_CHANGES_PER_SECOND = 100
_HANGS = 5
#: Functions that are changed, the most suspicious first.
_MOST_FUNCTIONS = 5
#: Failing tests that each change is tried with.
_MOST_FAILING = 6


@dataclass
class _Candidate:
    path: str
    qualname: str
    edit: Edit
    text: str
    code: types.CodeType


class _DiagnosisLoop:
    """In place of running the tests once: each of them traced, and then with each change of what is suspicious."""

    def __init__(
        self, sources: list[str], only: Optional[list[str]], seconds: float, most: int, controls: ControlTests
    ) -> None:
        self._controls = controls
        self._control_items: list[Any] = []
        self._sources = set(sources)
        self._only = None if only is None else set(only)
        self._most = min(most, round(seconds * _CHANGES_PER_SECOND))
        self._hangs = work_seconds() + _HANGS * seconds
        #: Whether a guard ended the search: then nothing is proposed, since another machine would have got further.
        self.stopped = False
        self.outcomes: list[TestOutcome] = []
        self.suspicion: dict[tuple[str, int], float] = {}
        self.fixes: list[FixOutcome] = []
        self.tried = 0
        self.functions: list[tuple[str, str]] = []

    def pytest_runtestloop(self, session: Any) -> bool:
        gc.collect()
        items = {item.nodeid: item for item in session.items}
        self.outcomes = [run_traced(item, self._sources, _TEST_SECONDS) for item in items.values()]
        if self._only is not None:
            self.outcomes = [each for each in self.outcomes if not each.failed or each.test in self._only]
        self.suspicion = suspicion(self.outcomes)
        failing = [each for each in self.outcomes if each.failed]
        if not failing:
            return True
        self._control_items = self._controls.items(session)
        self.functions = self._suspicious_functions()
        objects = {(path, name): functions_of(os.path.realpath(path), name) for path, name in self.functions}
        caches = loaded_caches()
        gc.freeze()
        found_at: Optional[int] = None
        for candidate in self._candidates():
            # Likelier mistakes come first: where one of them explains all, farther-fetched ones would as well.
            if found_at is not None and candidate.edit.weight > found_at:
                break
            outcome = self._try(candidate, objects[candidate.path, candidate.qualname], caches, failing, items)
            self.tried += 1
            if work_seconds() > self._hangs:
                self.stopped, self.fixes = True, []
                break
            if outcome is None:
                continue
            self.fixes.append(outcome)
            if outcome.is_whole and found_at is None:
                found_at = candidate.edit.weight
        return True

    def _suspicious_functions(self) -> list[tuple[str, str]]:
        """Returns path and name of functions, those that enclose others only."""
        scores: dict[tuple[str, str], float] = {}
        for path in {each for each, _ in self.suspicion}:
            for each in describe_file(read_source(path), path):
                if each["is_nested"]:
                    continue
                lines = range(each["line"], each["end_line"] + 1)
                score = max((value for (file, line), value in self.suspicion.items() if file == path and line in lines), default=0.0)
                if score > 0:
                    key = (path, each["qualname"])
                    scores[key] = max(score, scores.get(key, 0.0))
        return sorted(scores, key=lambda key: -scores[key])[:_MOST_FUNCTIONS]

    def _candidates(self) -> list[_Candidate]:
        found: list[_Candidate] = []
        for path, qualname in self.functions:
            found += self._candidates_of(path, qualname)
        found.sort(key=lambda each: (each.edit.weight, -self.suspicion.get((each.path, each.edit.line), 0.0)))
        return found[: self._most]

    def _candidates_of(self, path: str, qualname: str) -> list[_Candidate]:
        source = Source(read_source(path))
        tree = ast.parse(source.text, path)
        target = find_node(tree, qualname)
        top = next((each for each in tree.body if any(inner is target for inner in ast.walk(each))), None)
        if target is None or top is None:
            return []
        original = find_code(compile(source.only(source.text, top), path, "exec", dont_inherit=True), qualname)
        seen = {fingerprint(original, "")}
        found: list[_Candidate] = []
        for edit in sorted(fixes_of(source, target), key=lambda each: each.weight):
            # A line that no failing test runs is not at fault; one beside it may be missing.
            if (path, edit.line) not in self.suspicion and edit.operator != "missing statement":
                continue
            text = source.edited(edit)
            try:
                code = find_code(compile(source.only(text, top), path, "exec", dont_inherit=True), qualname)
            except (SyntaxError, ValueError, RecursionError):
                continue
            mark = fingerprint(code, "")
            if code is None or mark in seen:
                continue
            seen.add(mark)
            found.append(_Candidate(path, qualname, edit, text, code))
        return found

    def _try(
        self,
        candidate: _Candidate,
        functions: list[types.FunctionType],
        caches: list[Any],
        failing: list[TestOutcome],
        items: dict[str, Any],
    ) -> Optional[FixOutcome]:
        # What takes long is tried once all others pass, and then has its time.
        failing = sorted(failing, key=lambda each: (not each.ended, each.seconds))
        patient = failing[0].ended
        chosen = failing[:_MOST_FAILING]
        passing = [each for each in self.outcomes if each.passed and candidate.path in each.lines]
        limit = sum(_limit(each, patient) for each in (*passing, *failing))

        def run() -> Optional[tuple[int, int]]:
            if not put_code(candidate.code, functions, caches):
                return None
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            fixed = 0
            for each in chosen:
                if _fails(items[each.test], _limit(each, patient)):
                    break
                fixed += 1
            if fixed < len(chosen):
                return fixed, 0
            rest = failing[_MOST_FAILING:]
            fixed += sum(not _fails(items[each.test], _limit(each, patient)) for each in rest)
            broken = sum(_fails(items[each.test], _limit(each, patient)) for each in passing)
            signal.setitimer(signal.ITIMER_PROF, 0)
            self._controls.run(self._control_items, outcome_of)
            return fixed, broken

        try:
            outcome = run_in_child(run, 2.0 + 3 * limit)
        except ChildFailed:
            return None
        if outcome is None or outcome[0] == 0:
            return None
        fixed, broken = outcome
        return FixOutcome(candidate.path, candidate.qualname, candidate.edit, candidate.text, fixed, len(failing), broken, len(passing))


def _limit(test: TestOutcome, patient: bool) -> float:
    if not test.ended:
        # What never ended says nothing of how long it takes once it does.
        return _PATIENT_SECONDS if patient else _LEAST_SECONDS + _MOST_SECONDS
    return _LEAST_SECONDS + 10 * min(test.seconds, _MOST_SECONDS)


def _fails(item: Any, limit: float) -> bool:
    """A test that is only skipped with a change is not mended by it."""
    signal.setitimer(signal.ITIMER_PROF, limit)
    return outcome_of(item)[0] != "passed"


def diagnose(
    tests: list[str], sources: list[str], failing: Optional[list[str]] = None, seconds: float = 30.0, most: int = 4000
) -> dict[str, Any]:
    """Returns the failing tests, the lines under suspicion with the most suspicious first, and the changes with which tests pass.

    `failing` are the ids of the tests to explain, all that fail if None; `seconds` stand for a number of changes, at most `most`, so that a slow machine tries the same ones.
    """
    def run(reporter: "Reporter") -> dict[str, Any]:
        import pytest

        loop = _DiagnosisLoop(sources, failing, seconds, most, reporter.controls)
        pytest.main([*ARGUMENTS, *_FAST, *tests], plugins=[loop, reporter])
        return {
            "failing": [
                {"test": each.test, "message": each.message, "line": each.line, "place": each.place}
                for each in loop.outcomes
                if each.failed
            ],
            "passing": sum(each.passed for each in loop.outcomes),
            "tried": loop.tried,
            "stopped": loop.stopped,
            **ranked_lines(loop.suspicion, loop.fixes, loop.outcomes, loop.functions),
        }

    # Changes are counted; this ends what only waits.
    return run_judged(run, 4 * _HANGS * seconds + 60, runs_all=False)
