"""Inputs from what a function compares, looks up or searches: a value of the input is replaced by what fits there.

Boundaries that no literal in the code shows, such as a total that equals a limit, are found so (Redqueen's input-to-state
correspondence, for Python values).
"""

from __future__ import annotations

import ast
import copy
import datetime
import decimal
import itertools
import math
import re
from dataclasses import replace
from typing import Any, Iterator, Optional

from ..function_objects import functions_of
from ..functions import find_node
from ..mutation.mutants import find_code
from ..values.built_objects import Built
from .noting import Notes, Noting, Pair, called_functions
from .observe import observe
from .target import Input, Target

#: Items that a value is given where its length is compared.
_MOST_ITEMS = 60


class ComparedValues:
    """The function with its comparisons noted."""

    def __init__(self, target: Target, source: str, path: str, functions: list[Any], parameters: list[dict[str, Any]]) -> None:
        self._target = target
        self._parameters = parameters
        self._notes = Notes()
        tree = ast.parse(source, path)
        helpers = called_functions(target.qualname, tree)
        noting = Noting(vars(target.module))
        for name in (target.qualname, *helpers):
            node = find_node(tree, name)
            if node is not None:
                noting.visit(node)
        self._codes: list[tuple[Any, Any]] = []
        try:
            module = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return
        for name, of in ((target.qualname, functions), *((name, functions_of(path, name)) for name in helpers)):
            code = find_code(module, name)
            if code is not None:
                self._codes += [(function, code) for function in of]

    def variants(self, given: Input) -> Iterator[Input]:
        """Yields the input with one value replaced by what it was compared with, and by values beside that."""
        seen: set[str] = set()
        for left, right in self._compared(given):
            for had, wanted in ((left, right), (right, left)):
                found: list[Input] = []
                for value in _beside(had, wanted):
                    found += self._replaced(given, had, value)
                # What is no value of the input may be computed from one: that is moved by as much.
                for changed in found or self._moved(given, had, wanted):
                    key = repr((changed.args, changed.kwargs, changed.receiver, changed.around))
                    if key not in seen:
                        seen.add(key)
                        yield changed

    def _compared(self, given: Input) -> list[Pair]:
        self._notes.pairs = []
        originals = [(function, function.__code__) for function, _ in self._codes]
        names = self._notes.names()
        try:
            for function, code in self._codes:
                function.__globals__.update(names)
                function.__code__ = code.replace(co_filename=function.__code__.co_filename)
            observe(self._target, given, 0.2)
        except ValueError:
            return []
        finally:
            for function, original in originals:
                function.__code__ = original
                for name in names:
                    function.__globals__.pop(name, None)
        return self._notes.pairs

    def _moved(self, given: Input, had: Any, wanted: Any) -> Iterator[Input]:
        """Yields the input with one of its values moved by the difference of two that were compared."""
        try:
            by = wanted - had
        except TypeError:
            return
        of = (datetime.date, datetime.timedelta) if isinstance(by, datetime.timedelta) else (int, float, decimal.Decimal)
        for value in itertools.islice(_scalars([*given.args, *given.kwargs.values(), *given.around.values(), given.receiver], of), 6):
            for step in (by, -by):
                try:
                    yield from self._replaced(given, value, type(value)(value + step) if isinstance(value, (int, float)) else value + step)
                except (TypeError, ValueError, OverflowError, decimal.DecimalException):
                    continue

    def _replaced(self, given: Input, had: Any, value: Any) -> Iterator[Input]:
        for at, arg in enumerate(given.args):
            for changed in _with(arg, had, value):
                yield replace(given, args=[*given.args[:at], changed, *given.args[at + 1 :]], origin="random")
        for name, arg in given.kwargs.items():
            for changed in _with(arg, had, value):
                yield replace(given, kwargs={**given.kwargs, name: changed}, origin="random")
        for name, around in given.around.items():
            for changed in _with(around, had, value) if name != "cwd" else ():
                yield replace(given, around={**given.around, name: changed}, origin="random")
        if given.receiver is not None:
            for changed in _with(given.receiver, had, value):
                yield replace(given, receiver=changed, origin="random")
        positional = [each for each in self._parameters if each["kind"].startswith("positional")]
        left_out = [*positional[len(given.args) :], *(each for each in self._parameters if each["kind"] == "keyword_only")]
        for each in left_out:
            if each["name"] not in given.kwargs and each["kind"] != "positional_only":
                if type(each["default"]) is type(had) and each["default"] == had:
                    yield replace(given, kwargs={**given.kwargs, each["name"]: value}, origin="random")


def _scalars(values: Any, of: tuple[type, ...]) -> Iterator[Any]:
    """Yields the values of some types in values, and in objects among them."""
    for each in values:
        if isinstance(each, of) and not isinstance(each, bool):
            yield each
        elif isinstance(each, Built):
            yield from _scalars([*each.arguments, *each.keywords.values()], of)
        elif isinstance(each, (list, tuple)):
            yield from _scalars(each[:6], of)
        elif isinstance(each, dict):
            yield from _scalars(list(each.values())[:6], of)


def _beside(had: Any, value: Any) -> list[Any]:
    if isinstance(value, (bool, str, bytes)):
        return [value]
    if isinstance(had, int) and isinstance(value, int):
        return [value, value + 1, value - 1]
    if isinstance(value, datetime.date):
        day = datetime.timedelta(days=1)
        return [value, value + day, value - day]
    if isinstance(had, decimal.Decimal):
        return [decimal.Decimal(value)] if isinstance(value, (int, decimal.Decimal)) else []
    if isinstance(value, (int, float)) and isinstance(had, int):
        return [int(value)] if math.isfinite(value) else []
    return [value] if isinstance(had, float) or type(had) is type(value) else []


def _with(value: Any, had: Any, wanted: Any, depth: int = 0) -> Iterator[Any]:
    """Yields a value with one of its parts that is `had` replaced."""
    if type(value) is type(had) and value == had:
        yield wanted if not (isinstance(had, float) and isinstance(wanted, int)) else float(wanted)
    elif type(value) is type(had) and isinstance(value, (str, bytes)) and 0 < len(had) and had in value:
        yield value.replace(had, wanted, 1)
        if value.count(had) > 1:
            first, _, last = value.rpartition(had)
            yield first + wanted + last
    elif depth > 3:
        return
    elif type(had) is type(wanted) is int and isinstance(value, (str, list)) and (found := _counted(value, had, wanted)):
        yield from found
    elif isinstance(value, Built):
        for at, each in enumerate(value.arguments):
            for changed in _with(each, had, wanted, depth + 1):
                arguments = copy.copy(value.arguments)
                arguments[at] = changed
                yield from _built(value, arguments, value.keywords)
        for name, each in value.keywords.items():
            for changed in _with(each, had, wanted, depth + 1):
                yield from _built(value, value.arguments, {**value.keywords, name: changed})
        for at, (method, arguments) in enumerate(value.calls):
            for place, each in enumerate(arguments):
                for changed in _with(each, had, wanted, depth + 1):
                    calls = list(value.calls)
                    calls[at] = (method, [*arguments[:place], changed, *arguments[place + 1 :]])
                    yield from _built(value, value.arguments, value.keywords, calls)
    elif type(value) in (list, tuple):
        for at, each in enumerate(value[:12]):
            for changed in _with(each, had, wanted, depth + 1):
                yield type(value)([*value[:at], changed, *value[at + 1 :]])
    elif type(value) is dict:
        for key, each in list(value.items())[:12]:
            for changed in _with(each, had, wanted, depth + 1):
                yield {**value, key: changed}
            if type(key) is type(had) and key == had:
                yield {wanted if name == key else name: item for name, item in value.items()}


def _counted(value: Any, had: int, wanted: int) -> list[Any]:
    """Returns a text with a number in it that is `had`, or what has that many items, with the number that is wanted."""
    found: list[Any] = []
    if isinstance(value, str):
        for number in re.finditer(r"\d+", value):
            if int(number[0]) == had and wanted >= 0:
                found.append(value[: number.start()] + str(wanted).zfill(len(number[0])) + value[number.end() :])
    if len(value) == had and 0 <= wanted <= _MOST_ITEMS:
        found.append(value[:wanted] if wanted < had else (value * (wanted // max(1, had) + 1))[:wanted])
    return found


def _built(value: Built, arguments: list[Any], keywords: dict[str, Any], calls: Optional[list[Any]] = None) -> Iterator[Built]:
    try:
        changed = replace(value, arguments=arguments, keywords=keywords, calls=value.calls if calls is None else calls)
        changed.make()
        yield changed
    except Exception:  # noqa: BLE001 - the class refuses it
        return
