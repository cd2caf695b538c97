"""Chooses among inputs by the mutants that they kill."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..values.built_objects import Built
from ..values.render import built_lines, graph_lines, render
from .target import Input, Outcome

#: Inputs that are kept beside those that kill a mutant.
_EXTRA = 4
#: Inputs that people wrote come first.
PEOPLES = ("doctest", "call site")
#: What makes a test hard to read.
_UNUSUAL = re.compile(r"[^\w\s.,:=()\[\]\"'-]|\\\\")


@dataclass
class Found:
    """An input, what the function does with it, and the mutants that it kills."""

    given: Input
    outcome: Outcome
    kills: frozenset[int]
    size: int


def choose(found: list[Found], known: frozenset[int]) -> list[Found]:
    """Returns a small set that kills all that is killed, and some different inputs beyond: a minimum misses bugs."""
    chosen: list[Found] = []
    covered: set[int] = set(known)
    everything = covered.union(*(each.kills for each in found))
    while covered != everything:
        best = max(found, key=lambda each: (len(each.kills - covered), each.given.origin in PEOPLES, uses_fixture(each.given), -each.size))
        if not best.kills - covered:
            break
        chosen.append(best)
        covered |= best.kills
    if known:
        # The tests that are there have their own variety.
        return chosen
    outcomes = {each.outcome.key for each in chosen}
    rest = [each for each in found if each not in chosen and each.outcome.key not in outcomes]
    rest.sort(key=lambda each: (each.given.origin not in PEOPLES, -len(each.kills), -min(each.size, 60)))
    for each in rest:
        if len(chosen) >= max(len(covered), 13):
            break
        if sum(1 for one in chosen if not one.kills or one in rest) >= _EXTRA:
            break
        if each.outcome.key not in outcomes:
            chosen.append(each)
            outcomes.add(each.outcome.key)
    if not chosen and found:
        chosen = found[:1]
    return chosen


def uses_fixture(given: Input) -> bool:
    return any(isinstance(each, Built) and each.fixture is not None for each in (given.receiver, *given.args))


def size_of(given: Input) -> int:
    """Returns the length of an input for a reader: what is no word or usual sign counts more."""
    text = text_of(given)
    return len(text) + 3 * len(_UNUSUAL.findall(text))


def outcome_size(outcome: Outcome) -> int:
    """Returns the length of what a reader sees of what a call did to the outside."""
    return sum(len(each) for each in outcome.effects.values()) // 2


def text_of(given: Input) -> str:
    parts = [render(each)[0] for each in given.args]
    parts += [f"{name}={render(each)[0]}" for name, each in given.kwargs.items()]
    lines = [f"{name} = {render(each)[0]}" for name, each in sorted(given.around.items())]
    lines += [line for line, _ in graph_lines([*given.args, *given.kwargs.values()])]
    if given.receiver is not None:
        lines += [line for line, _ in built_lines("self", given.receiver)]
    return "\n".join([*lines, f"({', '.join(parts)})"])
