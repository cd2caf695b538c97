"""Which inputs tell a function from its mutants."""

from __future__ import annotations

import gc
from typing import Any, Callable

from ..children import ChildFailed, start_child
from ..function_objects import apply, functions_of
from ..mutation.mutants import Mutant
from .observe import observe
from .target import Input, Outcome, Target
from .work import Work, calls_in, cost_of

#: Processor time of a call after which a mutant counts as endless, beside a multiple of the function's own.
_LEAST_SECONDS = 0.1
_MOST_SECONDS = 0.5
#: What an endless mutant counts, in seconds of the search.
_ENDLESS = 0.1
#: Seconds after which mutants that only wait are ended.
_HANGS = 30.0
#: Inputs that kill a mutant, after which no further ones are tried.
_ENOUGH = 12


class MutantRunner:
    """Runs the mutants of a function on inputs, each batch in a child of its own."""

    def __init__(self, target: Target, path: str, work: Work) -> None:
        self._target = target
        self._work = work
        self._functions = functions_of(path, target.qualname)
        self._caches = [each for each in gc.get_objects() if type(each).__name__ == "_lru_cache_wrapper"]
        #: Mutants that end their process: no test has a result with them.
        self._ended: set[int] = set()
        self._originals = [(each, each.__code__, each.__defaults__, each.__kwdefaults__) for each in self._functions]

    def kill(
        self,
        known: list[tuple[Input, Outcome]],
        start: int,
        mutants: list[Mutant],
        kills: dict[int, set[int]],
        alive: dict[int, Mutant],
        all_inputs: bool = False,
    ) -> None:
        """Runs the mutants on the inputs from a position on, and notes which input kills which mutant.

        Each on a few that kill it, where it is not asked for all.
        """
        enough = len(known) if all_inputs else _ENOUGH
        inputs = known[start:]
        waiting = [each for each in mutants if each.number not in self._ended]
        while waiting and inputs:
            batch = waiting[:12]
            try:
                rows = start_child(lambda: self._run_mutants(batch, inputs, enough)).result(_HANGS)
                waiting = waiting[12:]
            except ChildFailed as failure:
                if len(batch) > 1:
                    # One of them hangs or crashes: it is found one by one.
                    rows = []
                    for mutant in batch:
                        rows += self._alone(mutant, inputs, enough)
                else:
                    rows = [self._without_result(batch[0], failure)]
                waiting = waiting[len(batch) :]
            for number, indexes, calls in rows:
                self._work.add(calls)
                for at in indexes:
                    kills.setdefault(start + at, set()).add(number)
                if indexes:
                    alive.pop(number, None)
            if self._work.is_over(2.0):
                return

    def is_killed_by(self, holds: Callable[[], bool], mutants: list[Mutant]) -> bool:
        """Whether some mutant breaks what holds for the function."""

        def run() -> bool:
            for mutant in mutants:
                applied = apply(mutant, self._functions, self._caches)
                breaks = applied and not holds()
                self._restore()
                if breaks:
                    return True
            return False

        try:
            return bool(start_child(run).result(_HANGS))
        except ChildFailed:
            return False

    def _restore(self) -> None:
        for function, code, defaults, keyword_defaults in self._originals:
            function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, keyword_defaults

    def _alone(self, mutant: Mutant, inputs: list[tuple[Input, Outcome]], enough: int) -> list[Any]:
        try:
            return start_child(lambda: self._run_mutants([mutant], inputs, enough)).result(_HANGS)
        except ChildFailed as failure:
            return [self._without_result(mutant, failure)]

    def _without_result(self, mutant: Mutant, failure: ChildFailed) -> list[Any]:
        """What hangs differs from the function; what ends its process would not let a test say so."""
        if failure.kind == "crash":
            self._ended.add(mutant.number)
        return [mutant.number, [] if failure.kind == "crash" else [0], calls_in(_ENDLESS)]

    def _run_mutants(self, mutants: list[Mutant], inputs: list[tuple[Input, Outcome]], enough: int) -> list[Any]:
        rows = []
        for mutant in mutants:
            if not apply(mutant, self._functions, self._caches):
                continue
            indexes: list[int] = []
            calls = 0.0
            # Each mutant begins elsewhere, so that all inputs get their share of what they kill.
            start = 7 * mutant.number % len(inputs)
            for at in (*range(start, len(inputs)), *range(start)):
                if len(indexes) >= enough:
                    break
                given, expected = inputs[at]
                outcome = observe(self._target, given, min(_MOST_SECONDS, _LEAST_SECONDS + 20 * expected.seconds))
                calls += calls_in(_ENDLESS) if outcome.kind == "too_long" else cost_of(expected.steps)
                if outcome.is_noticed_beside(expected):
                    indexes.append(at)
                    if outcome.kind == "too_long":
                        break
            rows.append([mutant.number, indexes, calls])
            self._restore()
        return rows
