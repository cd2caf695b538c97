"""Puts the lines under suspicion in order, by what changes of them do to the tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..functions import describe_file, read_source
from .source_edits import Edit, Source
from .spectrum import TestOutcome

_MOST_LINES = 20
_MOST_FIXES = 20


@dataclass
class FixOutcome:
    """A change of a function, and what became of the tests."""

    path: str
    qualname: str
    edit: Edit
    #: The whole file with the change.
    text: str
    fixed: int
    failing: int
    broken: int
    passing: int

    @property
    def is_whole(self) -> bool:
        return self.fixed == self.failing and self.broken == 0

    @property
    def worth(self) -> float:
        return self.fixed / self.failing - (self.broken / self.passing if self.passing else 0.0)


def ranked_lines(
    suspicion: dict[tuple[str, int], float],
    fixes: list[FixOutcome],
    outcomes: list[TestOutcome],
    functions: list[tuple[str, str]],
) -> dict[str, Any]:
    """Returns lines, the most suspicious first; `rank` is that of the last of equals. And the changes with which all tests pass."""
    crashes = {each.place for each in outcomes if each.failed and each.place is not None}
    places = set(suspicion) | {(each.path, each.edit.line) for each in fixes}
    keys: dict[tuple[str, int], tuple[float, ...]] = {}
    for place in places:
        here = [each for each in fixes if (each.path, each.edit.line) == place]
        whole = [each for each in here if each.is_whole]
        partial = max((each.worth for each in here), default=0.0)
        keys[place] = (
            float(bool(whole)),
            -min((each.edit.weight for each in whole), default=9),
            float(len(whole)),
            max(partial, 0.0),
            float(place in crashes),
            suspicion.get(place, 0.0),
        )
    order = sorted(places, key=lambda place: (tuple(-value for value in keys[place]), place))
    ranks = {place: sum(keys[other] >= keys[place] for other in places) for place in places}
    owners = _owners({path for path, _ in places})
    whole = sorted((each for each in fixes if each.is_whole), key=lambda each: order.index((each.path, each.edit.line)))
    return {
        "lines": [
            {
                "path": path,
                "line": line,
                "function": owners.get((path, line)),
                "suspicion": round(suspicion.get((path, line), 0.0), 3),
                "fixes": sum((each.path, each.edit.line) == (path, line) and each.is_whole for each in fixes),
                "rank": ranks[path, line],
            }
            for path, line in order[:_MOST_LINES]
        ],
        "fixes": [_described(each) for each in whole[:_MOST_FIXES]],
        "whole": len(whole),
    }


def _described(fix: FixOutcome) -> dict[str, Any]:
    before = Source(read_source(fix.path)).line(fix.edit.line).strip()
    after = Source(fix.text).line(fix.edit.line).strip()
    return {
        "path": fix.path,
        "function": fix.qualname,
        "line": fix.edit.line,
        "operator": fix.edit.operator,
        "weight": fix.edit.weight,
        "before": before,
        "after": after,
        "text": fix.text,
    }


def _owners(paths: set[str]) -> dict[tuple[str, int], str]:
    owners: dict[tuple[str, int], str] = {}
    for path in paths:
        for each in describe_file(read_source(path), path):
            for line in range(each["line"], each["end_line"] + 1):
                # Inner functions come behind those around them.
                owners[path, line] = each["qualname"]
    return owners
