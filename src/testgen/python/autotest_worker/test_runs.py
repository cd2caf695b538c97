"""Runs pytest in a child and reports each test as data."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from typing import Any, Optional

from .children import ChildFailed, run_in_child

#: A run is comparable only without what a machine happens to have installed.
ARGUMENTS = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--no-header", "-o", "addopts="]


class Reporter:
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
            known["message"] = failure_message(report)
            known["line"] = _line(report)
        elif report.skipped:
            known["outcome"] = "skipped"


def failure_message(report: Any) -> str:
    crash = getattr(getattr(report, "longrepr", None), "reprcrash", None)
    return _short(crash.message if crash is not None else report.longreprtext)


def first_failure(item: Any) -> Optional[str]:
    """Runs a collected test here and now; returns the message of its first failure, None if it passes."""
    from _pytest.runner import runtestprotocol

    for report in runtestprotocol(item, log=False, nextitem=None):
        if report.failed:
            return failure_message(report)
    return None


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
        reporter = Reporter(order)
        started = time.monotonic()
        code = pytest.main([*ARGUMENTS, *paths], plugins=[reporter])
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


def run_pytest_anew(paths: list[str], order: Optional[int], seconds: float, hash_seed: int) -> dict[str, Any]:
    """Does the same in a process of its own, with another seed of hashes: sets have another order there."""
    request = {"id": 0, "method": "run_tests", "params": {"paths": paths, "order": order, "seconds": seconds}}
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    started = time.monotonic()
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "autotest_worker"],
            input=json.dumps(request) + "\n",
            capture_output=True,
            text=True,
            env=environment,
            timeout=seconds + 10,
            check=False,
        )
        answer = json.loads(ended.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        ms = (time.monotonic() - started) * 1000
        return {"exit_code": None, "tests": [], "errors": [], "failure": "crash", "message": str(error)[:200], "ms": ms}
    result: dict[str, Any] = answer["result"]
    return result


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
