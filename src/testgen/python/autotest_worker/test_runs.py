"""Runs pytest in a child and reports each test as data; runs the tests against the mutants of a function."""

from __future__ import annotations

import gc
import os
import random
import sys
import time
import types
from typing import Any, Iterable, Optional

from .children import ChildFailed, run_in_child
from .mutants import Mutant, find_code, make_mutants

#: A run is comparable only without what a machine happens to have installed.
_ARGUMENTS = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--no-header", "-o", "addopts="]
_FAST = ["--tb=no", "--assert=plain"]


class _Reporter:
    """Collects the outcome of each test, its line and its message."""

    def __init__(self, order: Optional[int] = None) -> None:
        self.tests: dict[str, dict[str, Any]] = {}
        self.errors: list[dict[str, Any]] = []
        self._order = order

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self._order == 1:
            items.reverse()
        elif self._order is not None and self._order > 1:
            random.Random(self._order).shuffle(items)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.errors.append({"test": report.nodeid, "message": _short(report.longreprtext), "line": _line(report)})

    def pytest_runtest_logreport(self, report: Any) -> None:
        known = self.tests.setdefault(
            report.nodeid, {"test": report.nodeid, "outcome": "passed", "message": None, "line": None, "ms": 0.0}
        )
        known["ms"] += report.duration * 1000
        if hasattr(report, "wasxfail"):
            known["outcome"] = "xfailed" if report.skipped else "xpassed"
        elif report.failed:
            known["outcome"] = "failed" if report.when == "call" else "error"
            known["message"] = _message(report)
            known["line"] = _line(report)
        elif report.skipped:
            known["outcome"] = "skipped"


def _message(report: Any) -> str:
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


def run_pytest(paths: list[str], order: Optional[int], seconds: float) -> dict[str, Any]:
    """Runs the tests of some files, in their order (None), the reverse one (1) or another (2 and more)."""
    import pytest

    def run() -> dict[str, Any]:
        add_source_folders()
        reporter = _Reporter(order)
        started = time.monotonic()
        code = pytest.main([*_ARGUMENTS, *paths], plugins=[reporter])
        return {
            "exit_code": int(code),
            "tests": list(reporter.tests.values()),
            "errors": reporter.errors,
            "ms": (time.monotonic() - started) * 1000,
        }

    try:
        return run_in_child(run, seconds)
    except ChildFailed as failure:
        return {"exit_code": None, "tests": [], "errors": [], "failure": failure.kind, "message": failure.detail, "ms": seconds * 1000}


class _MutantLoop:
    """In place of running the tests once: once on the reference, then on each mutant that they reach."""

    def __init__(self, path: str, qualname: str, mutants: list[Mutant], seconds: float) -> None:
        self._path = os.path.realpath(path)
        self._qualname = qualname
        self._mutants = mutants
        self._deadline = time.monotonic() + seconds
        self._functions: list[types.FunctionType] = []
        self._caches: list[Any] = []
        self.outcome: dict[str, Any] = {"reference": [], "mutants": [], "lines": []}

    def pytest_runtestloop(self, session: Any) -> bool:
        gc.collect()
        # Before they are frozen: then the collector lists them no more.
        self._functions = functions_of(self._path, self._qualname)
        self._caches = [each for each in gc.get_objects() if type(each).__name__ == "_lru_cache_wrapper"]
        gc.freeze()
        items = list(session.items)
        left = max(1.0, self._deadline - time.monotonic())
        try:
            reference = run_in_child(lambda: self._run_reference(items), left)
        except ChildFailed as failure:
            self.outcome["reference"] = [{"test": "", "outcome": failure.kind, "message": failure.detail}]
            return True
        self.outcome["reference"] = reference["tests"]
        self.outcome["lines"] = reference["lines"]
        self.outcome["arcs"] = reference["arcs"]
        by_id = {item.nodeid: item for item in items}
        covering = [each for each in reference["tests"] if each["outcome"] == "passed" and each["covers"]]
        covering.sort(key=lambda each: each["ms"])
        for mutant in self._mutants:
            self.outcome["mutants"].append(self._score(mutant, covering, by_id))
        return True

    def _run_reference(self, items: list[Any]) -> dict[str, Any]:
        codes = codes_within(self._functions)
        tests = []
        lines: set[int] = set()
        arcs: set[tuple[int, int]] = set()
        for item in items:
            seen: set[int] = set()
            started = time.monotonic()
            trace_lines(codes, seen, arcs)
            try:
                message = _first_failure(item)
            finally:
                sys.settrace(None)
            lines |= seen
            tests.append(
                {
                    "test": item.nodeid,
                    "outcome": "passed" if message is None else "failed",
                    "message": message,
                    "covers": bool(seen),
                    "ms": (time.monotonic() - started) * 1000,
                }
            )
        return {"tests": tests, "lines": sorted(lines), "arcs": sorted(arcs)}

    def _score(self, mutant: Mutant, covering: list[dict[str, Any]], by_id: dict[str, Any]) -> dict[str, Any]:
        row = {
            "number": mutant.number,
            "operator": mutant.operator,
            "line": mutant.line,
            "before": mutant.before,
            "after": mutant.after,
        }
        if not covering:
            return {**row, "outcome": "survived", "by": None}
        took = sum(each["ms"] for each in covering) / 1000
        left = self._deadline - time.monotonic()
        if left <= 0:
            return {**row, "outcome": "not_run", "by": None}

        def run() -> Optional[str]:
            if not apply(mutant, self._functions, self._caches):
                return "not_applied"
            for each in covering:
                if _first_failure(by_id[each["test"]]) is not None:
                    return str(each["test"])
            return None

        try:
            by = run_in_child(run, min(left, 1.0 + 5 * took))
        except ChildFailed as failure:
            return {**row, "outcome": "killed", "by": failure.kind}
        if by == "not_applied":
            return {**row, "outcome": "not_run", "by": None}
        return {**row, "outcome": "survived" if by is None else "killed", "by": by}


def functions_of(path: str, qualname: str) -> list[types.FunctionType]:
    """Returns the function objects of the loaded modules that run the code of a function in a file."""
    name = qualname.split(".")[-1]
    found = []
    for each in gc.get_objects():
        if isinstance(each, types.FunctionType) and each.__code__.co_name == name and each.__qualname__ == qualname:
            if os.path.realpath(each.__code__.co_filename) == path:
                found.append(each)
    return found


def apply(mutant: Mutant, functions: Iterable[types.FunctionType], caches: Iterable[Any]) -> bool:
    """Puts the mutant in the place of the function; False if Python does not allow it."""
    applied = False
    for function in functions:
        try:
            function.__code__ = mutant.function_code.replace(co_filename=function.__code__.co_filename)
        except ValueError:
            continue
        applied = True
        if mutant.defaults_changed:
            anew = _executed_anew(mutant, function)
            function.__defaults__ = anew.__defaults__
            function.__kwdefaults__ = anew.__kwdefaults__
    for cache in caches:
        cache.cache_clear()
    return applied


def _executed_anew(mutant: Mutant, function: types.FunctionType) -> types.FunctionType:
    namespace = {"__name__": function.__module__, "__file__": function.__code__.co_filename}
    exec(mutant.module_code, namespace)  # noqa: S102 - the project's own module, in its sandbox
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


def trace_lines(codes: set[types.CodeType], lines: set[int], arcs: set[tuple[int, int]]) -> None:
    def local(last: list[int]) -> Any:
        def trace(frame: Any, event: str, argument: Any) -> Any:
            if event == "line":
                lines.add(frame.f_lineno)
                arcs.add((last[0], frame.f_lineno))
                last[0] = frame.f_lineno
            elif event == "return":
                arcs.add((last[0], -1))
            return trace

        return trace

    def entered(frame: Any, event: str, argument: Any) -> Any:
        if event == "call" and frame.f_code in codes:
            lines.add(frame.f_lineno)
            return local([0])
        return None

    sys.settrace(entered)


def _first_failure(item: Any) -> Optional[str]:
    from _pytest.runner import runtestprotocol

    for report in runtestprotocol(item, log=False, nextitem=None):
        if report.failed:
            return _message(report)
    return None


def score_mutants(path: str, qualname: str, tests: list[str], seconds: float, limit: int) -> dict[str, Any]:
    """Returns the outcome of each mutant of a function under the tests of some files."""
    import pytest

    with open(path, encoding="utf-8") as file:
        source = file.read()
    mutants = make_mutants(source, path, qualname, limit)
    started = time.monotonic()

    def run() -> dict[str, Any]:
        add_source_folders()
        loop = _MutantLoop(path, qualname, mutants, seconds)
        reporter = _Reporter()
        code = pytest.main([*_ARGUMENTS, *_FAST, *tests], plugins=[loop, reporter])
        return {**loop.outcome, "errors": reporter.errors, "exit_code": int(code)}

    try:
        outcome = run_in_child(run, seconds + 10)
    except ChildFailed as failure:
        outcome = {"reference": [], "mutants": [], "lines": [], "arcs": [], "errors": [{"test": "", "message": str(failure)}]}
    outcome["executable_lines"] = executable_lines(source, path, qualname)
    outcome["ms"] = (time.monotonic() - started) * 1000
    return outcome


def executable_lines(source: str, path: str, qualname: str) -> list[int]:
    """Returns the lines of a function that have code, without its head."""
    code = find_code(compile(source, path, "exec", dont_inherit=True), qualname)
    if code is None:
        return []
    lines: set[int] = set()
    waiting = [code]
    while waiting:
        each = waiting.pop()
        if hasattr(each, "co_lines"):
            lines |= {line for _, _, line in each.co_lines() if line is not None}
        else:
            import dis

            lines |= {line for _, line in dis.findlinestarts(each)}
        waiting += [const for const in each.co_consts if isinstance(const, types.CodeType)]
    return sorted(line for line in lines if line > code.co_firstlineno)


def add_source_folders() -> None:
    """Lets modules be imported by the names that tests use, without the project being installed."""
    for folder in ("lib", "src"):
        if os.path.isdir(folder) and not os.path.exists(os.path.join(folder, "__init__.py")):
            sys.path.insert(0, os.path.abspath(folder))
    sys.path.insert(0, os.getcwd())


def module_name(path: str, root: Optional[str] = None) -> str:
    """Returns the dotted name of a file below the root, without a leading `src`."""
    relative = os.path.relpath(os.path.realpath(path), os.path.realpath(root or os.getcwd()))
    parts = relative[: -len(".py")].split(os.sep)
    if parts[0] in ("src", "lib") and not os.path.exists(os.path.join(parts[0], "__init__.py")):
        parts = parts[1:]
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)
