"""Properties of a function that hold for all inputs of a search: applied twice, undone by another, whatever the order."""

from __future__ import annotations

import inspect
from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Optional

from ..values.built_objects import Built
from ..values.render import NotRenderable, render
from .observe import observe
from .target import Input, Outcome, Target

#: Inputs that a property must hold for, and those of them that are no matter of course.
_LEAST = 6
_LEAST_TELLING = 4
_MOST = 40
#: Inputs that a test shows.
_SHOWN = 5
#: Parts of names of functions that undo each other.
_INVERSES = (
    ("encode", "decode"),
    ("dumps", "loads"),
    ("dump", "load"),
    ("compress", "decompress"),
    ("encrypt", "decrypt"),
    ("serialize", "deserialize"),
    ("unquote", "quote"),
    ("unescape", "escape"),
    ("unpack", "pack"),
    ("unparse", "parse"),
    ("format", "parse"),
    ("render", "parse"),
    ("join", "split"),
    ("to", "from"),
)


@dataclass
class Property:
    """What holds, as the name and the statements of a test over some values."""

    words: str
    values: list[Any]
    #: With `{value}` for the variable and `{call}` for a call of the function.
    lines: tuple[str, ...]
    #: The function of the module that undoes it.
    partner: Optional[str]
    #: Whether it holds for the values, with the function as it is at that moment.
    holds: Callable[[], bool]


def properties_of(target: Target, parameters: list[dict[str, Any]], known: list[tuple[Input, Outcome]]) -> Iterator[Property]:
    """Yields the properties that hold for all inputs with one argument."""
    required = [each for each in parameters if each["required"] and each["kind"].startswith("positional")]
    if target.role not in ("function", "staticmethod", "classmethod") or len(required) != 1:
        return
    all_usable = [(given.args[0], outcome) for given, outcome in known if _is_usable(given, outcome)]
    # Where nothing says what it takes, inputs of several types were tried.
    counts = Counter(type(value) for value, _ in all_usable)
    usable = [(value, outcome) for value, outcome in all_usable if counts[type(value)] == max(counts.values())][:_MOST]
    if len(usable) < _LEAST:
        return
    applied = _Applied(target)
    telling = [value for value, outcome in usable if outcome.source != _source(value)]
    values = [value for value, _ in usable]
    if len(telling) >= _LEAST_TELLING:
        twice = _choose(telling)
        if all(applied.is_idempotent(each) for each in values):
            yield _property("twice_equals_once", twice, ("once = {call}", "assert {again} == once"), applied, applied.is_idempotent)
        elif all(applied.is_involution(each) for each in values):
            yield _property("twice_returns_the_argument", twice, ("assert {twice} == {value}",), applied, applied.is_involution)
        yield from _round_trips(target, applied, values, telling)
    lists = [each for each in values if isinstance(each, list) and each != each[::-1]]
    if len(lists) >= _LEAST_TELLING and len({applied.once(each) for each in lists}) > 2:
        if all(applied.ignores_order(each) for each in lists):
            shown = _choose(lists)
            yield _property("in_reverse_equals_in_order", shown, ("assert {reverse} == {call}",), applied, applied.ignores_order)


def _property(
    words: str, values: list[Any], lines: tuple[str, ...], applied: _Applied, holds: Callable[[Any], bool]
) -> Property:
    return Property(words, values, lines, None, lambda: all(holds(each) for each in values))


def _round_trips(target: Target, applied: _Applied, values: list[Any], telling: list[Any]) -> Iterator[Property]:
    for name in _partners(target):
        partner = _Applied(Target(target.module.__name__, name, "function", False, False))

        def returns(value: Any, partner: _Applied = partner) -> bool:
            result = applied.value(value)
            return result is not None and partner.once(result[0]) == _source(value)

        if all(returns(each) for each in values):
            shown = _choose(telling)
            yield Property(
                f"then_{name}_returns_the_argument",
                shown,
                (f"assert {name}({{call}}) == {{value}}",),
                name,
                lambda: all(returns(each) for each in shown),
            )
            return


def _partners(target: Target) -> Iterator[str]:
    """Yields functions of the module that by their names undo the function."""
    names = {
        name
        for name, value in vars(target.module).items()
        if inspect.isfunction(value) and value.__module__ == target.module.__name__
    }
    found = []
    for left, right in _INVERSES:
        for one, another in ((left, right), (right, left)):
            if one in target.name:
                found.append(target.name.replace(one, another))
    if "_to_" in target.name:
        first, _, last = target.name.partition("_to_")
        found.insert(0, f"{last}_to_{first}")
    yield from (name for name in dict.fromkeys(found) if name in names and name != target.name)


def _is_usable(given: Input, outcome: Outcome) -> bool:
    if outcome.kind != "value" or outcome.source is None or outcome.changed or outcome.output or len(given.args) != 1:
        return False
    # Numbers that are rounded are equal only nearly.
    is_plain = not isinstance(given.args[0], (float, complex, Built)) and "." not in (outcome.source if outcome.value_type == "float" else "")
    return is_plain and not given.kwargs and outcome.value_type not in ("bool", "NoneType", "float")


def _choose(values: list[Any]) -> list[Any]:
    """Returns a few values, long ones and short ones."""
    by_size = sorted(values, key=lambda each: len(_source(each) or ""))
    step = max(1, len(by_size) // _SHOWN)
    return by_size[::step][:_SHOWN]


def _source(value: Any) -> Optional[str]:
    try:
        return render(value)[0]
    except NotRenderable:
        return None


class _Applied:
    """A function on one value, by the sources of what it returns."""

    def __init__(self, target: Target) -> None:
        self._target = target

    def once(self, value: Any) -> Optional[str]:
        outcome = observe(self._target, Input([value]), 0.1)
        return outcome.source if outcome.kind == "value" else None

    def value(self, value: Any) -> Optional[tuple[Any]]:
        """Returns what it returns, in a tuple; None where it raises."""
        try:
            return (self._target.call(Input([value])).result,) if self.once(value) is not None else None
        except Exception:  # noqa: BLE001 - whatever the project's code raises
            return None

    def twice(self, value: Any) -> Optional[str]:
        result = self.value(value)
        return None if result is None else self.once(result[0])

    def is_idempotent(self, value: Any) -> bool:
        return self.once(value) is not None and self.twice(value) == self.once(value)

    def is_involution(self, value: Any) -> bool:
        return self.twice(value) == _source(value)

    def ignores_order(self, value: Any) -> bool:
        return self.once(value) is not None and self.once(value[::-1]) == self.once(value)
