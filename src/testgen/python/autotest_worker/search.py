"""Searches inputs for a function that its mutants answer differently, without a model."""

from __future__ import annotations

import ast
import doctest
import gc
import itertools
import os
import sys
import time
import types
from dataclasses import dataclass
from typing import Any, Optional

from .children import ChildFailed, start_child
from .functions import find_node
from .mutants import Mutant, make_mutants
from .observe import Input, Outcome, Target, observe
from .render import NotRenderable, render
from .test_runs import apply, codes_within, functions_of, trace_lines
from .type_hints import ANY, PROBED, Built, Kind, Maker, kind_of

#: Exceptions that a function raises for ill-typed input, which no test should pin.
_ILL_TYPED = {"TypeError", "AttributeError", "NameError", "UnboundLocalError", "RecursionError", "NotImplementedError"}
_EXTRA = 4


@dataclass
class Found:
    """An input, what the function does with it, and the mutants that it kills."""

    given: Input
    outcome: Outcome
    kills: frozenset[int]
    size: int


@dataclass
class Searched:
    """The inputs that are kept, and how many mutants they kill."""

    kept: list[Found]
    mutants: int
    killed: int
    #: Doctests that do not hold.
    failing_doctests: list[str]
    seconds: float
    notes: list[str]


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
        with open(path, encoding="utf-8") as file:
            self._source = file.read()
        self._path = os.path.realpath(path)
        self._description = description
        self._covered = covered
        self._started = time.monotonic()
        self._deadline = self._started + seconds
        self.target = Target(
            module, description["qualname"], description["role"], description["is_async"], description["is_generator"]
        )
        self._namespace = vars(self.target.module)
        self._tree = ast.parse(self._source)
        node = find_node(self._tree, description["qualname"])
        if node is None:
            raise LookupError(description["qualname"])
        numbers, texts = _constants(node, self._tree)
        self._maker = Maker(seed, numbers, texts, self._namespace)
        self._raises = {each.split(".")[-1] for each in description["raises"]}
        self._has_asserts = any(isinstance(each, ast.Assert) for each in ast.walk(node))
        self._parameters = [each for each in description["parameters"]]
        self._seen: set[str] = set()
        self._functions = functions_of(self._path, description["qualname"])
        self._caches = [each for each in gc.get_objects() if type(each).__name__ == "_lru_cache_wrapper"]
        self._originals = [(each, each.__code__, each.__defaults__, each.__kwdefaults__) for each in self._functions]
        self.notes: list[str] = []

    def run(self) -> Searched:
        seeds, failing = self._from_doctests()
        kinds = self._kinds(seeds)
        pool = self._distinct([*seeds, *self._simple(kinds)])
        known = self._observed(pool)
        mutants = make_mutants(self._source, self._path, self._description["qualname"])
        alive = {mutant.number: mutant for mutant in mutants if mutant.number not in self._covered}
        kills: dict[int, set[int]] = {}
        self._kill(known, 0, list(alive.values()), kills, alive)
        rounds = 0
        while alive and time.monotonic() < self._deadline and rounds < 40:
            rounds += 1
            fresh = self._distinct(self._fresh(kinds, known, 60))
            start = len(known)
            known += self._observed(fresh)
            if len(known) == start and rounds > 12:
                break
            self._kill(known, start, list(alive.values()), kills, alive)
        found = [
            Found(given, outcome, frozenset(kills.get(at, ())), _size(given)) for at, (given, outcome) in enumerate(known)
        ]
        kept = _choose(found, self._covered)
        return Searched(
            kept,
            len(mutants),
            len(mutants) - len(alive),
            failing,
            time.monotonic() - self._started,
            self.notes,
        )

    # Seeds

    def _from_doctests(self) -> tuple[list[Input], list[str]]:
        """Returns the calls in the examples of the function, its class and its module; and examples that fail."""
        inputs: list[Input] = []
        failing: list[str] = []
        texts = [self._description["docstring"] or ""]
        if self._description["class_name"]:
            texts.append(getattr(self.target.owner, "__doc__", "") or "")
        texts.append(self.target.module.__doc__ or "")
        parser = doctest.DocTestParser()
        for at, text in enumerate(texts):
            try:
                examples = parser.get_examples(text)
            except ValueError:
                continue
            namespace = dict(self._namespace)
            for example in examples:
                inputs += self._calls_in(example.source, namespace)
            if at == 0 and examples:
                failing = self._failing_examples(text)
        for text in texts[:1]:
            inputs += self._prose_examples(text)
        return inputs, failing

    def _calls_in(self, source: str, namespace: dict[str, Any]) -> list[Input]:
        try:
            tree = ast.parse(source)
        except SyntaxError:
            return []
        inputs = []
        for call in [each for each in ast.walk(tree) if isinstance(each, ast.Call)]:
            given = self._input_of(call, namespace)
            if given is not None:
                inputs.append(given)
        try:
            with open(os.devnull, "w") as nothing:
                stdout, sys.stdout = sys.stdout, nothing
                try:
                    exec(compile(tree, "<doctest>", "exec"), namespace)  # noqa: S102 - in the sandbox
                finally:
                    sys.stdout = stdout
        except BaseException:  # noqa: BLE001 - examples show exceptions, too
            pass
        return inputs

    def _input_of(self, call: ast.Call, namespace: dict[str, Any]) -> Optional[Input]:
        name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", None)
        if name != self.target.name or self._description["role"] == "property":
            return None
        try:
            args = [self._value_of(each, namespace) for each in call.args]
            kwargs = {each.arg: self._value_of(each.value, namespace) for each in call.keywords if each.arg}
            receiver = None
            if self._needs_receiver() and isinstance(call.func, ast.Attribute):
                receiver = self._value_of(call.func.value, namespace)
                if not isinstance(receiver, Built):
                    return None
            elif self._needs_receiver():
                return None
            return Input(args, kwargs, receiver, "doctest")
        except BaseException:  # noqa: BLE001
            return None

    def _value_of(self, node: ast.expr, namespace: dict[str, Any]) -> Any:
        if isinstance(node, ast.Call):
            made = eval(compile(ast.Expression(node.func), "<doctest>", "eval"), namespace)  # noqa: S307
            if isinstance(made, type) and made.__module__ == self.target.module.__name__:
                return Built.of(
                    made,
                    [self._value_of(each, namespace) for each in node.args],
                    {each.arg: self._value_of(each.value, namespace) for each in node.keywords if each.arg},
                )
        value = eval(compile(ast.Expression(node), "<doctest>", "eval"), namespace)  # noqa: S307
        render(value)
        return value

    def _failing_examples(self, text: str) -> list[str]:
        test = doctest.DocTestParser().get_doctest(text, dict(self._namespace), self.target.name, self._path, 0)
        failures: list[str] = []

        class Runner(doctest.DocTestRunner):
            def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
                failures.append(f"{example.source.strip()} gives {got.strip()[:200]}, not {example.want.strip()[:200]}")

            def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
                if issubclass(exc_info[0], (NameError, ImportError)):
                    # It is written for somebody who has imported more.
                    return
                failures.append(f"{example.source.strip()} raises {exc_info[0].__name__}, not {example.want.strip()[:200]}")

        Runner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE, verbose=False).run(test, out=lambda _: None)
        return failures

    def _prose_examples(self, text: str) -> list[Input]:
        """Returns calls that stand in the prose of a docstring: `f([1, 2]) ➞ 3`, `f(2) == 4`."""
        inputs = []
        needle = f"{self.target.name}("
        at = text.find(needle)
        while at != -1 and len(inputs) < 20:
            depth = 0
            for end in range(at + len(needle) - 1, min(len(text), at + 500)):
                depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[end], 0)
                if depth == 0:
                    try:
                        call = ast.parse(text[at : end + 1], mode="eval").body
                    except (SyntaxError, ValueError):
                        break
                    if isinstance(call, ast.Call):
                        given = self._input_of(call, dict(self._namespace))
                        if given is not None:
                            inputs.append(given)
                    break
            at = text.find(needle, at + 1)
        return inputs

    # Kinds of parameters

    def _needs_receiver(self) -> bool:
        return self._description["role"] in ("method", "property") and self.target.name != "__init__"

    def _kinds(self, seeds: list[Input]) -> list[list[Kind]]:
        """Returns vectors of kinds for the positional parameters, the best first."""
        names = [each for each in self._parameters if each["kind"] in ("positional", "positional_only")]
        kinds = [kind_of(each["type"], self._namespace) for each in names]
        for given in seeds:
            for at, value in enumerate(given.args[: len(kinds)]):
                if kinds[at] == ANY:
                    kinds[at] = _kind_of_value(value)
                elif kinds[at] in (("list", ANY), ("dict", ("str",), ANY)):
                    kinds[at] = _kind_of_value(value) if isinstance(value, (list, dict)) and value else kinds[at]
        if not any(_says_nothing(each) for each in kinds):
            return [kinds]
        return self._probe(kinds, names) or [kinds]

    def _probe(self, kinds: list[Kind], names: list[dict[str, Any]]) -> list[list[Kind]]:
        """Returns the vectors of kinds that the function accepts, those with the most different results first."""
        options = [
            _alternatives(kind, parameter) if _says_nothing(kind) else [kind] for kind, parameter in zip(kinds, names)
        ]
        scored: list[tuple[float, int, list[Kind]]] = []
        combinations = itertools.islice(itertools.product(*options), 2500)
        ordered = sorted(enumerate(combinations), key=lambda each: _rank(each[1], options))
        until = min(self._deadline, time.monotonic() + 0.6)
        for number, (_, vector) in enumerate(ordered):
            if time.monotonic() > until or number > 400:
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
            trace_lines(codes, seen, set())
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
                if _says_nothing(kind) and not each["required"]:
                    if each["default"] is None:
                        # Nothing says what else it may be.
                        continue
                    kind = _kind_of_value(each["default"])
                keywords[each["name"]] = self._maker.make(kind)
        return keywords

    def _receiver(self) -> Optional[Built]:
        if not self._needs_receiver():
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

    def _variadic_kind(self) -> Kind:
        annotation = next(each["type"] for each in self._parameters if each["kind"] == "var_positional")
        kind = kind_of(annotation, self._namespace)
        return ("int",) if _says_nothing(kind) else kind

    def _neighbour(self, given: Input) -> Input:
        args = list(given.args)
        receiver = given.receiver
        draw = self._maker.random
        if args and (receiver is None or draw.random() < 0.7):
            at = draw.randrange(len(args))
            import copy

            args[at] = self._maker.neighbour(copy.deepcopy(args[at]))
        elif receiver is not None:
            receiver = receiver.neighbour(self._maker)
        return Input(args, dict(given.kwargs), receiver, "random")

    def _distinct(self, inputs: list[Optional[Input]]) -> list[Input]:
        fresh = []
        for given in inputs:
            if given is None:
                continue
            try:
                text = _text(given)
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
            if time.monotonic() > self._deadline + 1:
                break
            started = time.perf_counter()
            first = observe(self.target, given, 0.3)
            if not self._is_allowed(first) or time.perf_counter() - started > 0.25:
                continue
            second = observe(self.target, given, 0.5)
            if first.key == second.key:
                known.append((given, first))
        return known

    def _kill(
        self,
        known: list[tuple[Input, Outcome]],
        start: int,
        mutants: list[Mutant],
        kills: dict[int, set[int]],
        alive: dict[int, Mutant],
    ) -> None:
        """Runs the mutants on the inputs from a position on, and notes which input kills which mutant."""
        inputs = known[start:]
        waiting = list(mutants)
        while waiting and inputs:
            batch = waiting[:12]
            try:
                left = max(1.0, self._deadline - time.monotonic())
                rows = start_child(lambda: self._run_mutants(batch, inputs)).result(min(20.0, left + 2))
                waiting = waiting[12:]
            except ChildFailed:
                if len(batch) > 1:
                    # One of them hangs or crashes: it is found one by one.
                    rows = []
                    for mutant in batch:
                        rows += self._alone(mutant, inputs)
                else:
                    rows = [[batch[0].number, [0]]]
                waiting = waiting[len(batch) :]
            for number, indexes in rows:
                for at in indexes:
                    kills.setdefault(start + at, set()).add(number)
                if indexes:
                    alive.pop(number, None)
            if time.monotonic() > self._deadline + 2:
                return

    def _alone(self, mutant: Mutant, inputs: list[tuple[Input, Outcome]]) -> list[Any]:
        try:
            return start_child(lambda: self._run_mutants([mutant], inputs)).result(3.0)
        except ChildFailed:
            return [[mutant.number, [0]]]

    def _run_mutants(self, mutants: list[Mutant], inputs: list[tuple[Input, Outcome]]) -> list[Any]:
        rows = []
        for mutant in mutants:
            if not apply(mutant, self._functions, self._caches):
                continue
            indexes = []
            hangs = 0
            for at, (given, expected) in enumerate(inputs):
                outcome = observe(self.target, given, 0.1)
                if outcome.key != expected.key:
                    indexes.append(at)
                    hangs += outcome.kind == "too_long"
                    if hangs >= 2:
                        break
            rows.append([mutant.number, indexes])
            for function, code, defaults, keyword_defaults in self._originals:
                function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, keyword_defaults
        return rows


def _choose(found: list[Found], known: frozenset[int]) -> list[Found]:
    """Returns a small set that kills all that is killed, and some different inputs beyond: a minimum misses bugs."""
    chosen: list[Found] = []
    covered: set[int] = set(known)
    everything = covered.union(*(each.kills for each in found))
    while covered != everything:
        best = max(found, key=lambda each: (len(each.kills - covered), each.given.origin == "doctest", -each.size))
        if not best.kills - covered:
            break
        chosen.append(best)
        covered |= best.kills
    if known:
        # The tests that are there have their own variety.
        return chosen
    outcomes = {each.outcome.key for each in chosen}
    rest = [each for each in found if each not in chosen and each.outcome.key not in outcomes]
    rest.sort(key=lambda each: (each.given.origin != "doctest", -len(each.kills), -min(each.size, 60)))
    for each in rest:
        if len([one for one in chosen]) >= len(covered) and len(chosen) > 12:
            break
        if sum(1 for one in chosen if not one.kills or one in rest) >= _EXTRA:
            break
        if each.outcome.key not in outcomes:
            chosen.append(each)
            outcomes.add(each.outcome.key)
    if not chosen and found:
        chosen = found[:1]
    return chosen


def _size(given: Input) -> int:
    return len(_text(given))


def _text(given: Input) -> str:
    parts = [render(each)[0] for each in given.args]
    parts += [f"{name}={render(each)[0]}" for name, each in given.kwargs.items()]
    receiver = "" if given.receiver is None else render(given.receiver)[0] + "."
    return f"{receiver}({', '.join(parts)})"


def _constants(node: ast.AST, tree: ast.AST) -> tuple[list[Any], list[str]]:
    """Returns the numbers and texts of a function, then those of its module."""
    numbers: list[Any] = []
    texts: list[str] = []
    docstrings = {
        id(each.body[0].value)
        for each in ast.walk(tree)
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module))
        and each.body
        and isinstance(each.body[0], ast.Expr)
    }
    for each in itertools.chain(ast.walk(node), itertools.islice(ast.walk(tree), 5000)):
        if isinstance(each, ast.Constant) and id(each) not in docstrings:
            value = each.value
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value not in numbers:
                numbers.append(value)
            elif isinstance(value, str) and 0 < len(value) <= 40 and value not in texts:
                texts.append(value)
    return numbers[:30], texts[:40]


def _says_nothing(kind: Kind) -> bool:
    return kind == ANY or kind[0] == "any"


def _kind_of_value(value: Any) -> Kind:
    if isinstance(value, bool):
        return ("bool",)
    if value is None:
        return ANY
    for of in (int, float, str, bytes, complex):
        if type(value) is of:
            return (of.__name__,)
    if isinstance(value, (list, set, frozenset)):
        name = type(value).__name__ if type(value).__name__ in ("list", "set", "frozenset") else "list"
        inner = [_kind_of_value(each) for each in list(value)[:5]]
        if not inner:
            return (name, ANY)
        return (name, inner[0] if all(each == inner[0] for each in inner) else ("union", tuple(dict.fromkeys(inner))))
    if type(value) is tuple:
        return ("tuple", *(_kind_of_value(each) for each in value)) if value else ("tuple_of", ("int",))
    if isinstance(value, dict):
        for key, each in value.items():
            return ("dict", _kind_of_value(key), _kind_of_value(each))
        return ("dict", ("str",), ("int",))
    if isinstance(value, Built):
        return ("object", value.cls)
    return ANY


def _alternatives(kind: Kind, parameter: dict[str, Any]) -> list[Kind]:
    del kind
    default = parameter["default"]
    if parameter["default_source"] == "None":
        return [("none",), *PROBED[:5]]
    if default is not None and not isinstance(default, (list, dict)):
        return [_kind_of_value(default)]
    name = parameter["name"].lower()
    first: list[Kind] = []
    if any(part in name for part in ("str", "text", "word", "name", "sentence", "msg", "path", "char")) or name == "s":
        first = [("str",)]
    elif any(part in name for part in ("arr", "lst", "list", "nums", "numbers", "items", "values", "seq")) or name in ("l", "xs"):
        first = [("list", ("int",)), ("list", ("str",))]
    elif any(part in name for part in ("dict", "mapping", "graph")):
        first = [("dict", ("str",), ("int",)), ("dict", ("str",), ("list", ("str",)))]
    elif any(part in name for part in ("matrix", "grid", "board")):
        first = [("list", ("list", ("int",)))]
    return [*first, *(each for each in PROBED if each not in first)]


def _rank(vector: tuple[Kind, ...], options: list[list[Kind]]) -> int:
    return sum(of.index(kind) for kind, of in zip(vector, options))
