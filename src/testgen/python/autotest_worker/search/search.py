"""Searches inputs for a function that its mutants answer differently, without a model."""

from __future__ import annotations

import ast
import itertools
import os
import re
from dataclasses import dataclass, replace
from typing import Any, Optional, Sequence

from ..children import Unsuitable, work_seconds
from ..function_objects import functions_of
from ..functions import find_node, read_source
from ..mutation.mutants import Mutant, make_mutants
from ..values.built_objects import Built
from ..values.render import NotRenderable
from ..values.temporary_paths import names_folder
from .call_sites import CallSites
from .chosen_inputs import PEOPLES, Found, choose, outcome_size, size_of, text_of
from .compared_values import ComparedValues
from .docstring_examples import DocstringExamples
from .fates import Fates
from .around_values import AroundValues
from .noted_system import install
from .input_maker import InputMaker
from .kind_search import KindSearch
from .kinds import Kind
from .mutant_kills import MutantRunner
from .observe import observe, observe_traced
from .target import Input, Outcome, Target
from .parameter_kinds import constants_in, handled_exceptions
from .properties import Property, properties_of
from .suspects import Suspects
from .value_maker import Maker
from .work import Work, calls_in, cost_of

#: Exceptions that a function raises for ill-typed input, which no test should pin.
_ILL_TYPED = {"TypeError", "AttributeError", "NameError", "UnboundLocalError", "RecursionError", "NotImplementedError"}

#: Rounds in a row without a kill after which what is left is taken to be equivalent.
_IDLE_ROUNDS = 10
#: Processor time after which a call is not waited for: at first, and after some were too slow.
_PATIENCE = 0.6
_LEAST_PATIENCE = 0.1
#: Share of the calls left that running the mutants on new inputs may take, and what a call counts that is never left out.
_SHARE = 0.4
_QUICK = 10.0
#: Mutants that a property is tried on, and properties that are kept.
_PROPERTY_MUTANTS = 40
#: How often a call may ask for more than is arranged around it.
_MOST_ASKED = 5
_MOST_PROPERTIES = 2


@dataclass
class Searched:
    """The inputs that are kept, the number of mutants, and the numbers of those that some input kills."""

    kept: list[Found]
    properties: list[Property]
    mutants: int
    killed: list[int]
    #: Examples of the docstring that do not hold.
    failing_doctests: list[str]
    #: They, and other behaviour that looks wrong: none of it is in a test.
    suspects: list[str]
    #: What a person should look at, though tests hold it.
    hints: list[str]
    seconds: float
    #: Why nothing is kept, where existing tests are not the reason.
    problem: Optional[str] = None


class Search:
    """One search; everything in it is decided by the seed and by `seconds`, which stand for a number of calls."""

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
        self._work = Work(seconds)
        self.target = Target.described(module, description)
        install(os.getcwd())
        self._namespace = vars(self.target.module)
        self._tree = ast.parse(self._source)
        node = find_node(self._tree, description["qualname"])
        if node is None:
            raise LookupError(description["qualname"])
        numbers, texts = constants_in(node, self._tree)
        self._maker = Maker(seed, numbers, texts, self._namespace)
        self._maker.uses_zones = re.search(r"tzinfo|timezone|ZoneInfo|pytz", self._source) is not None
        self._maker.handled = handled_exceptions(node, self._namespace)
        self._raises = {each.split(".")[-1] for each in description["raises"]}
        self._suspects = Suspects(self.target, node, description, self._path)
        self._fates = Fates()
        self._workspace = os.getcwd()
        self._has_asserts = any(isinstance(each, ast.Assert) for each in ast.walk(node))
        self._parameters = description["parameters"]
        self._seen: set[str] = set()
        #: Whether the module makes sets or asks for hashes, whose order and values differ from run to run.
        self.uses_hashes = any(
            isinstance(each, (ast.Set, ast.SetComp)) or isinstance(each, ast.Name) and each.id in ("set", "frozenset", "hash", "id")
            for each in ast.walk(self._tree)
        )
        self._functions = functions_of(self._path, description["qualname"])
        if not self._functions:
            raise Unsuitable(f"{description['qualname']} is replaced when {module} is imported, by a built-in function for example")
        self._inputs = InputMaker(self.target, self._parameters, self._namespace, self._maker)
        self._inputs.around = AroundValues(self._maker, node, texts)
        self.clock = self._inputs.around.clock
        self._kinds = KindSearch(
            self.target, node, self._parameters, self._namespace, self._functions,
            (self._maker, self._inputs), self._is_allowed, self._work,
        )  # fmt: skip
        self._runner = MutantRunner(self.target, self._path, self._work)
        self._compared = ComparedValues(self.target, self._source, self._path, self._functions, self._parameters)
        self._matched = 0
        self._patience = _PATIENCE
        #: Places of the inputs that were the first to reach a branch.
        self._reaching: list[int] = []
        self._arcs: set[tuple[int, int]] = set()

    def run(self, fixtures: Sequence[Built] = ()) -> Searched:
        """Searches; `fixtures` are objects that the project's tests are given."""
        self._inputs.known_objects(fixtures)
        examples = DocstringExamples(self.target, self._description, self._path)
        seeds, failing = examples.read()
        self._distinct(examples.refuted)
        seeds += CallSites(self.target, self._path).read()
        kinds = self._kinds.vectors(seeds)
        pool = self._distinct([*seeds, *self._inputs.simple(kinds)])
        known = self._observed(pool)
        mutants = make_mutants(self._source, self._path, self._description["qualname"])
        alive = {mutant.number: mutant for mutant in mutants if mutant.number not in self._covered}
        known = self._affordable(known, len(alive))
        kills: dict[int, set[int]] = {}
        self._runner.kill(known, 0, list(alive.values()), kills, alive)
        self._note_reach(known, 0)
        rounds = idle = 0
        while alive and not self._work.is_over() and rounds < 40 and idle < _IDLE_ROUNDS:
            rounds, before = rounds + 1, len(alive)
            fresh = self._distinct([*self._at_boundaries(known), *self._fresh(kinds, known, 60)])
            start = len(known)
            known += self._affordable(self._observed(fresh), len(alive))
            if len(known) == start and rounds > 12:
                break
            self._runner.kill(known, start, list(alive.values()), kills, alive)
            self._note_reach(known, start)
            idle = idle + 1 if len(alive) == before else 0
        found = [
            Found(given, outcome, frozenset(kills.get(at, ())), size_of(given) + outcome_size(outcome)) for at, (given, outcome) in enumerate(known)
        ]
        # What tells none of the mutants from the function says nothing of it.
        kept = self._fewest(choose([each for each in found if each.kills or not mutants], self._covered), mutants, alive)
        killed = [mutant.number for mutant in mutants if mutant.number not in alive]
        held = [] if self._covered else self._properties(known, [each for each in mutants if each.number not in alive])
        if not known:
            problem = self._fates.reason(self._inputs.problem)
        elif not found or not any(each.kills for each in found) and mutants and not held:
            problem = f"no input was found that tells it from any of its {len(mutants)} mutants"
        else:
            problem = None
        suspects = [*failing, *self._suspects.found]
        return Searched(kept, held, len(mutants), killed, failing, suspects, self._suspects.hints, work_seconds() - self._started, problem)

    def _fewest(self, chosen: list[Found], mutants: list[Mutant], alive: dict[int, Mutant]) -> list[Found]:
        """Chooses again among what was chosen, knowing of each input all mutants that it kills."""
        kills: dict[int, set[int]] = {}
        killed = [each for each in mutants if each.number not in alive and each.number not in self._covered]
        inputs = [(each.given, each.outcome) for each in chosen]
        self._runner.kill(inputs, 0, killed, kills, {}, all_inputs=True)
        known = [replace(each, kills=each.kills | kills.get(at, set())) for at, each in enumerate(chosen)]
        return choose(known, self._covered)

    def _properties(self, known: list[tuple[Input, Outcome]], mutants: list[Mutant]) -> list[Property]:
        """Returns the properties that hold for all inputs and that some mutant breaks."""
        found = []
        for each in properties_of(self.target, self._parameters, known):
            if self._runner.is_killed_by(each.holds, mutants[:_PROPERTY_MUTANTS]):
                found.append(each)
        return found[:_MOST_PROPERTIES]

    def _is_allowed(self, outcome: Outcome) -> bool:
        if outcome.kind in ("too_long", "opaque", "sandboxed", "ends"):
            return False
        if outcome.kind != "raises":
            return True
        name = (outcome.exception or "").split(":")[-1].split(".")[-1]
        if name in self._raises or name == "AssertionError" and self._has_asserts:
            return True
        return name not in _ILL_TYPED and name != "AssertionError"

    # Inputs

    def _fresh(self, vectors: list[list[Kind]], known: list[tuple[Input, Outcome]], count: int) -> list[Input]:
        """Returns inputs beside known ones, those before all that reached something new, and random ones."""
        inputs: list[Input] = []
        draw = self._maker.random
        for _ in range(count):
            if not known or draw.random() < 0.5:
                inputs += self._inputs.random(vectors, 1)
                continue
            at = draw.choice(self._reaching) if self._reaching and draw.random() < 0.5 else draw.randrange(len(known))
            try:
                inputs.append(self._inputs.neighbour(known[at][0]))
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

    def _distinct(self, inputs: list[Input]) -> list[Input]:
        fresh = []
        for given in inputs:
            try:
                text = text_of(given)
            except (NotRenderable, RecursionError, TypeError):
                continue
            if text not in self._seen and len(text) < 1500 and not names_folder((given.args, given.kwargs, given.around)):
                self._seen.add(text)
                fresh.append(given)
        return fresh

    # Behaviour

    def _observed(self, inputs: list[Input]) -> list[tuple[Input, Outcome]]:
        """Returns the inputs that are allowed and whose outcome is the same twice."""
        known = []
        until = self._work.done + self._work.left * _SHARE
        # Short ones are quick in most cases.
        for given in sorted(inputs, key=lambda each: (each.origin not in PEOPLES, size_of(each))):
            if self._work.done > until:
                break
            given, first = self._arranged(given)
            self._fates.note(first)
            if first.kind == "too_long":
                self._work.add(calls_in(self._patience))
                # The first ones may have been the slow ones of many; after some, each more is wasted time.
                self._patience = max(_LEAST_PATIENCE, self._patience / 2)
                continue
            self._work.add(4 * cost_of(first.steps))
            if self._suspects.judge(given, first) or not self._is_allowed(first):
                continue
            if self._workspace in first.key:
                self._fates.names_the_folder += 1
                continue
            second = observe(self.target, given, _PATIENCE)
            if first.key == second.key:
                known.append((given, first))
                self._suspects.hint(given, first)
            else:
                self._fates.varying += 1
        return known

    def _arranged(self, given: Input) -> tuple[Input, Outcome]:
        """Observes a call; what it asks for and does not find arranged is arranged, as often as it asks for more."""
        for _ in range(_MOST_ASKED):
            outcome, _, call = observe_traced(self.target, given, self._functions, self._patience)
            extended = self._inputs.extended(given, call)
            if extended is None:
                break
            self._work.add(4 * cost_of(outcome.steps))
            given = extended
        return given, outcome

    def _affordable(self, known: list[tuple[Input, Outcome]], mutants: int) -> list[tuple[Input, Outcome]]:
        """Leaves out the slowest inputs where running all mutants on them would take most of the calls that are left."""
        most = self._work.left * _SHARE / max(1, mutants)
        total, limit = 0.0, _QUICK
        for cost in sorted(cost_of(outcome.steps) for _, outcome in known):
            total += cost
            if total > most:
                break
            limit = max(limit, cost)
        return [each for each in known if cost_of(each[1].steps) <= limit]

    def _note_reach(self, known: list[tuple[Input, Outcome]], start: int) -> None:
        """Notes which inputs are the first to reach a branch."""
        for at in range(start, len(known)):
            arcs = known[at][1].arcs
            if not arcs <= self._arcs:
                self._arcs |= arcs
                self._reaching.append(at)
