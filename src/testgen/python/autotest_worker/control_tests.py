"""Two tests that stand in every run, one that must fail and one that must pass: a runner that was tampered with answers them wrongly.

What they assert is drawn for each run, so that a right answer is to be had by running them only.
"""

from __future__ import annotations

import ast
import os
import secrets
import types
from typing import Any, Callable, Optional

from .forged import Forged


class ControlTests:
    """Drawn where results are judged, before the process that is judged starts."""

    def __init__(self) -> None:
        first, second, third, fourth = (secrets.randbelow(10**6) + 10**6 for _ in range(4))
        self._failing, self._passing = f"test_{secrets.token_hex(4)}", f"test_{secrets.token_hex(4)}"
        self._message, self._value = str(first * second), str(third * fourth)
        self._file = f"test_{secrets.token_hex(4)}.py"
        self._source = (
            "seen = []\n"
            f"def {self._failing}():\n    value = {first} * {second}\n    assert value == {first * second + 1}, str(value)\n"
            f"def {self._passing}():\n    value = {third} * {fourth}\n    seen.append(str(value))\n    assert value == {third * fourth}\n"
        )
        self._order = secrets.randbelow(2)

    def items(self, session: Any) -> list[Any]:
        """Returns them as tests of a module of the session, which no fixture of the project reaches."""
        import pytest
        from _pytest.assertion.rewrite import rewrite_asserts
        from _pytest.fixtures import FuncFixtureInfo

        class ControlFunction(pytest.Function):  # type: ignore[misc]
            def repr_failure(self, excinfo: Any, style: Any = None) -> str:
                """Returns the message only: what is made of a traceback takes longer than both tests."""
                return str(excinfo.value)

        tree = ast.parse(self._source)
        if session.config.getoption("assertmode", "rewrite") == "rewrite":
            rewrite_asserts(tree, self._source.encode(), self._file, session.config)
        module = types.ModuleType(self._file[: -len(".py")])
        exec(compile(tree, self._file, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - our own source
        # Beside the project's tests, so that what its conftest files do to those is done to these.
        folder = os.path.dirname(str(session.items[0].fspath)) if session.items else os.getcwd()
        collector = _module(pytest, session, os.path.join(folder, self._file))
        collector._obj = module
        return [
            ControlFunction.from_parent(
                collector, name=name, callobj=getattr(module, name), fixtureinfo=FuncFixtureInfo((), (), [], {})
            )
            for name in (self._failing, self._passing)[:: 1 - 2 * self._order]
        ]

    def run(self, items: list[Any], outcome_of: Callable[[Any], tuple[str, Optional[str]]]) -> None:
        """Runs them here and now. Raises Forged if one of them ends otherwise than it must."""
        outcomes = {item.name: outcome_of(item) for item in items}
        self.check(outcomes, self.seen(items))

    def seen(self, items: list[Any]) -> list[str]:
        """Returns what the test that must pass saw."""
        return list(items[0].parent.obj.seen)

    def check(self, outcomes: Any, seen: Any) -> None:
        """Raises Forged if one of them ended otherwise than it must.

        `outcomes` are those by name, each as outcome and message; `seen` is what the second one saw.
        """
        known = outcomes if isinstance(outcomes, dict) else {}
        outcome, message = known.get(self._failing) or (None, None)
        if outcome != "failed":
            raise Forged(f"a control test that must fail {_ended(outcome)}")
        if self._message not in str(message):
            raise Forged("a control test failed without being run")
        outcome, message = known.get(self._passing) or (None, None)
        if outcome != "passed":
            raise Forged(f"a control test that must pass {_ended(outcome)}{'' if message is None else f': {message}'[:300]}")
        if seen != [self._value]:
            raise Forged("a control test passed without being run")


def _module(pytest: Any, session: Any, path: str) -> Any:
    try:
        from pathlib import Path

        return pytest.Module.from_parent(session, path=Path(path))
    except TypeError:
        # pytest 6.
        import py

        return pytest.Module.from_parent(session, fspath=py.path.local(path))


def _ended(outcome: Optional[str]) -> str:
    return "has no result" if outcome is None else f"is {outcome}"
