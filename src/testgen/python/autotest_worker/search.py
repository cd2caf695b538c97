"""Searches inputs for a function that its mutants answer differently, without a model."""

from __future__ import annotations

import ast
import copy
import itertools
import os
import sys
import time
from dataclasses import dataclass
from typing import Any, Optional

from .built_objects import Built
from .children import work_seconds
from .compared_values import ComparedValues
from .docstring_examples import DocstringExamples
from .function_objects import codes_within, functions_of, trace_lines
from .functions import find_node, read_source
from .inputs import Found, choose, size_of, text_of
from .kinds import ANY, Kind, kind_of
from .mutant_kills import MutantRunner
from .mutants import make_mutants
from .observe import Input, Outcome, Target, observe
from .parameter_kinds import alternatives, constants_in, kind_of_value, rank, says_nothing
from .render import NotRenderable
from .value_maker import Maker

#: Exceptions that a function raises for ill-typed input, which no test should pin.
_ILL_TYPED = {"TypeError", "AttributeError", "NameError", "UnboundLocalError", "RecursionError", "NotImplementedError"}

#: Rounds in a row without a kill after which what is left is taken to be equivalent.
_IDLE_ROUNDS = 10


@dataclass
class Searched:
    """The inputs that are kept, the number of mutants, and the numbers of those that some input kills."""

    kept: list[Found]
    mutants: int
    killed: list[int]
    #: Doctests that do not hold.
    failing_doctests: list[str]
    seconds: float


class Search:
    """One search; everything in it is decided by the seed, but for what time does not allow."""

    def __init__(
        self,
        path: str,
        module: str,
        description: dict[str, Any],
        seconds: float,
        seed: int,
        covered: frozenset[int] = frozenset(),
    ) -> None:
        self._source = read_source(path)
        self._path = os.path.realpath(path)
        self._description = description
        self._covered = covered
        self._started = work_seconds()
        self._deadline = self._started + seconds
        self.target = Target(
            module, description["qualname"], description["role"], description["is_async"], description["is_generator"]
        )
        self._namespace = vars(self.target.module)
        self._tree = ast.parse(self._source)
        node = find_node(self._tree, description["qualname"])
        if node is None:
            raise LookupError(description["qualname"])
        numbers, texts = constants_in(node, self._tree)
        self._maker = Maker(seed, numbers, texts, self._namespace)
        self._raises = {each.split(".")[-1] for each in description["raises"]}
        self._has_asserts = any(isinstance(each, ast.Assert) for each in ast.walk(node))
        self._parameters = description["parameters"]
        self._seen: set[str] = set()
        self._functions = functions_of(self._path, description["qualname"])
        self._runner = MutantRunner(self.target, self._path, self._deadline)
        self._compared = ComparedValues(self.target, self._source, self._path, self._functions, self._parameters)
        self._matched = 0

    def run(self) -> Searched:
        seeds, failing = DocstringExamples(self.target, self._description, self._path).read()
        kinds = self._kinds(seeds)
        pool = self._distinct([*seeds, *self._simple(kinds)])
        known = self._observed(pool)
        mutants = make_mutants(self._source, self._path, self._description["qualname"])
        alive = {mutant.number: mutant for mutant in mutants if mutant.number not in self._covered}
        kills: dict[int, set[int]] = {}
        self._runner.kill(known, 0, list(alive.values()), kills, alive)
        rounds = idle = 0
        while alive and work_seconds() < self._deadline and rounds < 40 and idle < _IDLE_ROUNDS:
            rounds, before = rounds + 1, len(alive)
            fresh = self._distinct([*self._at_boundaries(known), *self._fresh(kinds, known, 60)])
            start = len(known)
            known += self._observed(fresh)
            if len(known) == start and rounds > 12:
                break
            self._runner.kill(known, start, list(alive.values()), kills, alive)
            idle = idle + 1 if len(alive) == before else 0
        found = [
            Found(given, outcome, frozenset(kills.get(at, ())), size_of(given)) for at, (given, outcome) in enumerate(known)
        ]
        kept = choose(found, self._covered)
        killed = [mutant.number for mutant in mutants if mutant.number not in alive]
        return Searched(kept, len(mutants), killed, failing, work_seconds() - self._started)

    # Kinds of parameters

    def _kinds(self, seeds: list[Input]) -> list[list[Kind]]:
        """Returns vectors of kinds for the positional parameters, the best first."""
        names = [each for each in self._parameters if each["kind"] in ("positional", "positional_only")]
        kinds = [kind_of(each["type"], self._namespace) for each in names]
        for given in seeds:
            for at, value in enumerate(given.args[: len(kinds)]):
                if kinds[at] == ANY:
                    kinds[at] = kind_of_value(value)
                elif kinds[at] in (("list", ANY), ("dict", ("str",), ANY)):
                    kinds[at] = kind_of_value(value) if isinstance(value, (list, dict)) and value else kinds[at]
        if not any(says_nothing(each) for each in kinds):
            return [kinds]
        return self._probe(kinds, names) or [kinds]

    def _probe(self, kinds: list[Kind], names: list[dict[str, Any]]) -> list[list[Kind]]:
        """Returns the vectors of kinds that the function accepts, those with the most different results first."""
        options = [
            alternatives(kind, parameter) if says_nothing(kind) else [kind] for kind, parameter in zip(kinds, names)
        ]
        scored: list[tuple[float, int, list[Kind]]] = []
        combinations = itertools.islice(itertools.product(*options), 2500)
        ordered = sorted(enumerate(combinations), key=lambda each: rank(each[1], options))
        until = min(self._deadline, work_seconds() + 0.6)
        for number, (_, vector) in enumerate(ordered):
            if work_seconds() > until or number > 400:
                break
            score = self._acceptance(list(vector))
            if score > 0:
                scored.append((-score, number, list(vector)))
        scored.sort(key=lambda each: each[:2])
        return [vector for _, _, vector in scored[:3]]

    def _acceptance(self, vector: list[Kind]) -> float:
        accepted, values, outcomes = 0, 0, set()
        lines: set[int] = set()
        codes = codes_within(self._functions)
        tries = 0
        for given in itertools.islice(self._combined([self._maker.simple(kind)[:6] for kind in vector]), 6):
            tries += 1
            seen: set[int] = set()
            trace_lines(codes, seen)
            try:
                outcome = observe(self.target, given, 0.05)
            finally:
                sys.settrace(None)
            if self._is_allowed(outcome):
                lines |= seen
                accepted += 1
                values += outcome.kind == "value"
                if outcome.kind == "value" and outcome.source != "None" or outcome.changed:
                    outcomes.add(outcome.key)
        if tries == 0 or accepted / tries < 0.5 or values == 0:
            return 0
        # Values that the function works on reach more of it than those that it gets rid of.
        return (accepted + values + len(outcomes)) / tries + len(lines) / 3

    def _is_allowed(self, outcome: Outcome) -> bool:
        if outcome.kind in ("too_long", "opaque"):
            return False
        if outcome.kind != "raises":
            return True
        name = (outcome.exception or "").split(":")[-1].split(".")[-1]
        if name in self._raises or name == "AssertionError" and self._has_asserts:
            return True
        return name not in _ILL_TYPED and name != "AssertionError"

    # Inputs

    def _simple(self, vectors: list[list[Kind]]) -> list[Input]:
        inputs: list[Input] = []
        for vector in vectors:
            values = [self._maker.simple(kind) for kind in vector]
            inputs += list(itertools.islice(self._combined(values), 80))
        return inputs

    def _combined(self, values: list[list[Any]]) -> Any:
        """Yields inputs in which each value of each parameter occurs early."""
        longest = max([len(each) for each in values], default=1)
        for at in range(longest):
            yield self._input([each[at % len(each)] for each in values])
        for shift in range(1, 8):
            for at in range(longest):
                yield self._input([each[(at * (1 + shift * index) + shift * index) % len(each)] for index, each in enumerate(values)])

    def _input(self, args: list[Any]) -> Optional[Input]:
        try:
            return Input(list(args), self._keywords(), self._receiver(), "simple")
        except ValueError:
            return None

    def _keywords(self) -> dict[str, Any]:
        keywords = {}
        for each in self._parameters:
            if each["kind"] == "keyword_only" and (each["required"] or self._maker.random.random() < 0.4):
                kind = kind_of(each["type"], self._namespace)
                if says_nothing(kind) and not each["required"]:
                    if each["default"] is None:
                        # Nothing says what else it may be.
                        continue
                    kind = kind_of_value(each["default"])
                keywords[each["name"]] = self._maker.make(kind)
        return keywords

    def _receiver(self) -> Optional[Built]:
        if not self.target.needs_receiver:
            return None
        arguments, keywords = self._maker.arguments_of(self.target.owner)
        try:
            return Built.of(self.target.owner, arguments, keywords)
        except Exception as error:
            raise ValueError(str(error)) from error

    def _fresh(self, vectors: list[list[Kind]], known: list[tuple[Input, Outcome]], count: int) -> list[Input]:
        inputs: list[Input] = []
        draw = self._maker.random
        for _ in range(count):
            try:
                if known and draw.random() < 0.5:
                    inputs.append(self._neighbour(draw.choice(known)[0]))
                else:
                    vector = draw.choice(vectors)
                    optional = [each["required"] for each in self._parameters if each["kind"].startswith("positional")]
                    length = len(vector)
                    while length > 0 and not optional[length - 1] and draw.random() < 0.25:
                        length -= 1
                    args = [self._maker.make(kind) for kind in vector[:length]]
                    if any(each["kind"] == "var_positional" for each in self._parameters) and length == len(vector):
                        kind = self._variadic_kind()
                        args += [self._maker.make(kind) for _ in range(draw.randint(0, 3))]
                    inputs.append(Input(args, self._keywords(), self._receiver(), "random"))
            except (ValueError, RecursionError, OverflowError):
                continue
        return inputs

    def _at_boundaries(self, known: list[tuple[Input, Outcome]]) -> list[Input]:
        """Returns variants of inputs in which a value is what it was compared with; each input is looked at once."""
        inputs: list[Input] = []
        while self._matched < len(known) and len(inputs) < 60:
            inputs += itertools.islice(self._compared.variants(known[self._matched][0]), 12)
            self._matched += 1
        return inputs

    def _variadic_kind(self) -> Kind:
        annotation = next(each["type"] for each in self._parameters if each["kind"] == "var_positional")
        kind = kind_of(annotation, self._namespace)
        return ("int",) if says_nothing(kind) else kind

    def _neighbour(self, given: Input) -> Input:
        args = list(given.args)
        receiver = given.receiver
        draw = self._maker.random
        if args and (receiver is None or draw.random() < 0.7):
            at = draw.randrange(len(args))
            args[at] = self._maker.neighbour(copy.deepcopy(args[at]))
        elif receiver is not None:
            receiver = receiver.neighbour(self._maker.changed_item)
        return Input(args, dict(given.kwargs), receiver, "random")

    def _distinct(self, inputs: list[Optional[Input]]) -> list[Input]:
        fresh = []
        for given in inputs:
            if given is None:
                continue
            try:
                text = text_of(given)
            except (NotRenderable, RecursionError, TypeError):
                continue
            if text not in self._seen and len(text) < 1500:
                self._seen.add(text)
                fresh.append(given)
        return fresh

    # Behaviour

    def _observed(self, inputs: list[Input]) -> list[tuple[Input, Outcome]]:
        """Returns the inputs that are allowed and whose outcome is the same twice."""
        known = []
        for given in inputs:
            if work_seconds() > self._deadline + 1:
                break
            started = time.process_time()
            first = observe(self.target, given, 0.3)
            if not self._is_allowed(first) or time.process_time() - started > 0.25:
                continue
            second = observe(self.target, given, 0.5)
            if first.key == second.key:
                known.append((given, first))
        return known
