"""Runs pytest in a child and reports each test as data."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence

from . import channel
from .children import ChildFailed, run_in_child
from .control_tests import ControlTests
from .forged import Forged
from .surroundings import differ

if TYPE_CHECKING:
    from .reporter import Reporter
    from .runner_integrity import Runner

#: A run is comparable only without what a machine happens to have installed.
ARGUMENTS = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--no-header", "-o", "addopts="]

_runner: "Optional[Runner]" = None


def run_judged(
    run: "Callable[[Reporter], dict[str, Any]]", seconds: float, order: Optional[int] = None, runs_all: bool = True
) -> dict[str, Any]:
    """Returns what a run of pytest with a reporter returns, in a child. Raises ChildFailed, and Forged for what is not to be believed."""
    # Imported once, before anything of the project, so that the child finds it warm and as it is.
    from .reporter import Reporter, check_witness

    controls, runner = ControlTests(), _untouched_runner()

    def run_here() -> dict[str, Any]:
        add_source_folders()
        reporter = Reporter(controls, runner, order)
        result = run(reporter)
        return {**result, "errors": reporter.errors, "left_out": reporter.left_out, "witness": reporter.witness()}

    try:
        result = run_in_child(run_here, seconds)
    except ChildFailed as failure:
        if failure.exit_code == 0:
            raise Forged("it ended with exit code 0 before its tests had results") from failure
        raise
    check_witness(result.pop("witness"), controls, result.get("tests", []), runs_all)
    return result


def _untouched_runner() -> "Runner":
    global _runner
    if _runner is None or not _runner.knows_all():
        from .raised import watch_unittest
        from .runner_integrity import Runner

        watch_unittest()
        _runner = Runner()
    return _runner


def outcome_of(item: Any) -> tuple[str, Optional[str]]:
    """Runs a collected test here and now; returns its outcome, as a run of all tests has it, and the message of its first failure.

    What is skipped or expected to fail does not fail, and has not passed.
    """
    from _pytest.runner import runtestprotocol

    from .raised import failed_parts
    from .reporter import failure_message, noted_outcome

    outcome: str = "passed"
    for report in runtestprotocol(item, log=False, nextitem=None):
        outcome = noted_outcome(report) or outcome
        if is_failure(outcome):
            return outcome, failure_message(report)
    # Of subtests there are reports of their own, which do not come here.
    part = failed_parts.get(item.nodeid)
    return (outcome, None) if part is None or outcome != "passed" else ("failed", part)


def is_failure(outcome: str) -> bool:
    return outcome in ("failed", "error")


def run_pytest(
    paths: list[str], order: Optional[int], seconds: float, differences: Sequence[str] = (), elsewhere: bool = False
) -> dict[str, Any]:
    """Runs the tests of some files, or of the project (none), in their order (None), the reverse one (1) or another (2 and more).

    `differences` are ways in which the surroundings differ from the usual ones; then output is captured, as it is for people.
    `elsewhere`: they are run from another folder than the project's.
    """
    files = [os.path.abspath(path) for path in paths] if elsewhere else paths
    arguments = [each for each in ARGUMENTS if each != "-s"] if differences else ARGUMENTS
    if not paths:
        # Before anything of the project, so that it is found as it is.
        import doctest  # noqa: F401

    def run(reporter: "Reporter") -> dict[str, Any]:
        import pytest

        from .project_options import ProjectOptions

        started = time.monotonic()
        differ(list(differences))
        if elsewhere:
            os.chdir(tempfile.mkdtemp(prefix="elsewhere-"))
        # A whole suite is what the project's own pytest collects; a file that is named is run as it is named.
        plugins = [reporter] if paths else [reporter, ProjectOptions()]
        # A file that cannot be collected is no reason to know nothing of the others.
        code = pytest.main([*arguments, "--continue-on-collection-errors", *files], plugins=plugins)
        if code == pytest.ExitCode.USAGE_ERROR and not (reporter.tests or reporter.errors):
            reporter.errors.append({"test": paths[0] if len(paths) == 1 else "pytest", "message": _why_nothing_runs(paths)})
        return {"exit_code": int(code), "tests": list(reporter.tests.values()), "ms": (time.monotonic() - started) * 1000}

    try:
        return run_judged(run, seconds, order)
    except ChildFailed as failure:
        return {"exit_code": None, "tests": [], "errors": [], "failure": failure.kind, "message": failure.detail, "ms": seconds * 1000}


def _why_nothing_runs(paths: list[str]) -> str:
    """Returns what pytest says where it does not begin: a name that is nowhere, a conftest.py that cannot be imported."""
    import pytest

    said, printed = io.StringIO(), io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(printed):
        pytest.main([*ARGUMENTS, "--collect-only", *paths])
    text = (said.getvalue().strip() or printed.getvalue().strip()).replace(os.getcwd() + os.sep, "")
    if text.startswith("ERROR: "):
        text = " ".join(text[len("ERROR: ") :].split())
    return text[:2000] or "pytest runs nothing, and does not say why"


def run_pytest_anew(paths: list[str], order: Optional[int], seconds: float, hash_seed: int) -> dict[str, Any]:
    """Does the same in a process of its own, with another seed of hashes: sets have another order there."""
    params = {"paths": paths, "order": order, "seconds": seconds}
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    started = time.monotonic()
    try:
        answer = channel.ask_new_worker("run_tests", params, environment, seconds + 10)
    except subprocess.TimeoutExpired as error:
        ms = (time.monotonic() - started) * 1000
        return {"exit_code": None, "tests": [], "errors": [], "failure": "crash", "message": str(error)[:200], "ms": ms}
    except channel.NotTheHarness as error:
        raise Forged(f"its worker has no answer: {error}") from error
    if "error" in answer:
        if answer["error"]["kind"] == "forged":
            raise Forged(answer["error"]["message"])
        raise ChildFailed("crash", f"{answer['error']['kind']}: {answer['error']['message']}")
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
