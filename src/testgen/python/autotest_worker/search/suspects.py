"""Behaviour that looks wrong by what the function itself says: it gets no test, and is shown."""

from __future__ import annotations

import ast
import json
import os
import re
from typing import Any, Optional

from ..functions import Function
from ..values.built_objects import real
from ..values.declared_types import conforms
from .chosen_inputs import text_of
from .target import Input, Outcome, Target

_MOST = 3
_NEVER_RAISES = re.compile(r"\b(?:never raises|does not raise|doesn't raise|never throws|without raising)\b", re.I)
_VALID_JSON = re.compile(r"\breturns?\b[^.\n]*\bvalid json\b", re.I)
_SORTED = re.compile(r"\breturns?\b[^.\n]*\b(?:a|the|in)\s+(?:\w+\s+)?sorted (?:list|order)\b(?!\s+(?:by|on|according|in))", re.I)


class Suspects:
    """Judges the outcomes of one function."""

    def __init__(self, target: Target, node: Function, description: dict[str, Any], path: str) -> None:
        self._target = target
        self._path = path
        self._parameters = description["parameters"]
        self._docstring = description["docstring"] or ""
        self._lines = {
            line
            for each in ast.walk(node)
            if isinstance(each, ast.stmt) and not isinstance(each, (ast.Raise, ast.Assert)) and each is not node
            for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)
        }
        # A statement around a `raise` has its lines, too.
        self._raising = {
            line
            for each in ast.walk(node)
            if isinstance(each, (ast.Raise, ast.Assert))
            for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)
        }
        # No type says how many items are unpacked into arguments, or by which names.
        self._unpacking = {
            line
            for each in ast.walk(node)
            if isinstance(each, ast.Call)
            and (any(isinstance(one, ast.Starred) for one in each.args) or any(one.arg is None for one in each.keywords))
            for line in range(each.lineno, (each.end_lineno or each.lineno) + 1)
        }
        self._reasons: set[str] = set()
        self.found: list[str] = []
        self.hints: list[str] = []

    def judge(self, given: Input, outcome: Outcome) -> bool:
        """Whether an outcome is a suspect."""
        reason = self._reason(given, outcome)
        if reason is not None and len(self.found) < _MOST and reason not in self._reasons:
            self._reasons.add(reason)
            self.found.append(f"{self.call(given)}: {reason}")
        return reason is not None

    def hint(self, given: Input, outcome: Outcome) -> None:
        """Notes a result that is not of the declared type, once."""
        if outcome.conforms is False and not self.hints and self._is_typed(given):
            said = self._target.types["return"]
            name = said.__name__ if isinstance(said, type) else str(said)
            self.hints.append(f"{self.call(given)} returns {outcome.source or outcome.value_type}, declared is {name}")

    def call(self, given: Input) -> str:
        """Returns a call as people write it, on one line."""
        lines = text_of(given).split("\n")
        shown = f"{self._target.qualname}{lines[-1]}"
        return shown if len(shown) <= 160 else shown[:157] + "..."

    def _reason(self, given: Input, outcome: Outcome) -> Optional[str]:
        if outcome.kind == "raises":
            name = (outcome.exception or "").split(":")[-1]
            if self._is_own_error(name, given, outcome):
                return f"raises {name}: {outcome.message}"
            if _NEVER_RAISES.search(self._docstring) and self._is_typed(given):
                return f"raises {name}, its docstring says that it never raises"
        elif outcome.kind == "value" and outcome.source is not None:
            return self._refuted(outcome)
        return None

    def _is_own_error(self, name: str, given: Input, outcome: Outcome) -> bool:
        """Whether it is an error in the function's own lines that no input may cause which its types allow."""
        if name not in ("NameError", "UnboundLocalError", "AttributeError", "TypeError") or outcome.place is None:
            return False
        file, line = outcome.place
        if os.path.realpath(file) != self._path or line not in self._lines or line in self._raising:
            return False
        # Nor whether a moment has a zone: one that has and one that has none are not compared.
        if name == "TypeError" and (line in self._unpacking or "offset-naive" in (outcome.message or "")):
            return False
        return name == "NameError" or self._is_typed(given)

    def _is_typed(self, given: Input) -> bool:
        """Whether each argument is of its declared type, which can be said."""
        types = self._target.types
        positional = [each for each in self._parameters if each["kind"].startswith("positional")]
        pairs = [(value, each["name"]) for value, each in zip(given.args, positional)] + [(each, key) for key, each in given.kwargs.items()]
        if len(given.args) > len(positional):
            return False
        return all(name in types and conforms(_made(value), types[name]) is True and not _is_open(value, types[name]) for value, name in pairs)

    def _refuted(self, outcome: Outcome) -> Optional[str]:
        try:
            value = ast.literal_eval(outcome.source or "")
        except (ValueError, SyntaxError, RecursionError):
            return None
        if _VALID_JSON.search(self._docstring) and isinstance(value, str):
            try:
                json.loads(value, parse_constant=_refuse)
            except ValueError:
                return f"returns {outcome.source}, its docstring says valid JSON"
        if _SORTED.search(self._docstring) and isinstance(value, list):
            try:
                if value not in (sorted(value), sorted(value, reverse=True)):
                    return f"returns {outcome.source}, its docstring says sorted"
            except TypeError:
                return None
        return None


def _is_open(value: Any, hint: Any) -> bool:
    """Whether it is a container of which nothing says what it holds."""
    return isinstance(value, (list, tuple, dict, set, frozenset)) and len(value) > 0 and hint in (list, tuple, dict, set, frozenset)


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _made(value: Any) -> Any:
    try:
        return real(value)
    except Exception:  # noqa: BLE001 - it was made before
        return value
