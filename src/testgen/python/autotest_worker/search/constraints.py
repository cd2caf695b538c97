"""What an annotation states in addition to the type: bounds, lengths, a pattern."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any, Iterable, Optional

try:
    from re import _parser as sre_parse  # type: ignore[attr-defined]
except ImportError:  # Python 3.10 and older
    import sre_parse  # type: ignore[no-redef]

#: Attributes by which `annotated_types`, pydantic and msgspec say the same.
_BOUNDS = ("gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length", "pattern", "max_digits", "decimal_places")
_MOST_REPEATS = 3


@dataclass(frozen=True)
class Limits:
    gt: Any = None
    ge: Any = None
    lt: Any = None
    le: Any = None
    multiple_of: Any = None
    min_length: Optional[int] = None
    max_length: Optional[int] = None
    pattern: Optional[str] = None
    max_digits: Optional[int] = None
    decimal_places: Optional[int] = None

    def allows(self, value: Any) -> bool:
        """Whether a value keeps to them, as far as they speak of values of its type."""
        try:
            is_bound = all(
                bound is None or holds(value, bound)
                for bound, holds in (
                    (self.gt, lambda one, other: one > other),
                    (self.ge, lambda one, other: one >= other),
                    (self.lt, lambda one, other: one < other),
                    (self.le, lambda one, other: one <= other),
                    (self.multiple_of, lambda one, other: one % other == 0),
                    (self.min_length, lambda one, other: len(one) >= other),
                    (self.max_length, lambda one, other: len(one) <= other),
                )
            )
            return is_bound and (self.pattern is None or re.search(self.pattern, value) is not None)
        except Exception:  # noqa: BLE001 - they are not meant for such a value
            return False

    def numbers(self) -> list[Any]:
        """Returns the numbers at the bounds, on both sides of them."""
        found = []
        for bound in (self.gt, self.ge, self.lt, self.le, self.multiple_of):
            if isinstance(bound, (int, float)) and not isinstance(bound, bool):
                found += [bound, bound + 1, bound - 1]
        if len(found) > 3:
            found.append((min(found) + max(found)) // 2)
        return found


def limits_of(metadata: Iterable[Any]) -> Limits:
    """Returns the limits in what stands beside a type in `Annotated`, or in a field of pydantic."""
    found: dict[str, Any] = {}
    waiting = list(metadata)
    while waiting:
        each = waiting.pop(0)
        waiting += list(getattr(each, "metadata", None) or ())
        for name in _BOUNDS:
            value = getattr(each, name, None)
            if isinstance(each, slice) or value is None or callable(value):
                continue
            found[name] = getattr(value, "pattern", value) if name == "pattern" else value
    try:
        return Limits(**found)
    except TypeError:
        return Limits()


def text_of_pattern(pattern: str, draw: random.Random) -> str:
    """Returns a text that a regular expression matches, as far as its parts are known. Raises ValueError."""
    try:
        text = _text(sre_parse.parse(pattern), draw, {})
    except (re.error, RecursionError, OverflowError, KeyError) as error:
        raise ValueError(f"no text for {pattern}") from error
    if re.search(pattern, text) is None:
        raise ValueError(f"no text for {pattern}")
    return text


def _text(parsed: Any, draw: random.Random, groups: dict[Any, str]) -> str:
    found = ""
    for operation, argument in parsed:
        name = str(operation)
        if name == "LITERAL":
            found += chr(argument)
        elif name == "NOT_LITERAL":
            found += "a" if chr(argument) != "a" else "b"
        elif name == "ANY":
            found += draw.choice("ab1")
        elif name == "IN":
            found += _one_of(argument, draw)
        elif name == "BRANCH":
            found += _text(draw.choice(argument[1]), draw, groups)
        elif name == "SUBPATTERN":
            text = _text(argument[-1], draw, groups)
            groups[argument[0]] = text
            found += text
        elif name == "GROUPREF":
            found += groups.get(argument, "")
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = argument
            for _ in range(draw.randint(least, max(least, min(int(most), least + _MOST_REPEATS)))):
                found += _text(inner, draw, groups)
    return found


def _one_of(items: Any, draw: random.Random) -> str:
    negated = any(str(operation) == "NEGATE" for operation, _ in items)
    if negated:
        taken = {chr(argument) for operation, argument in items if str(operation) == "LITERAL"}
        return draw.choice([each for each in "abcxyz019 -_" if each not in taken] or ["~"])
    operation, argument = draw.choice(items)
    name = str(operation)
    if name == "RANGE":
        return chr(draw.randint(argument[0], min(argument[1], argument[0] + 25)))
    if name == "CATEGORY":
        return draw.choice({"CATEGORY_DIGIT": "0123456789", "CATEGORY_SPACE": " \t"}.get(str(argument), "aB3_"))
    return chr(argument)
