"""Inputs from the examples in docstrings, and examples that do not hold."""

from __future__ import annotations

import ast
import doctest
import os
import sys
from typing import Any, Optional

from ..values.built_objects import Built
from ..values.render import render
from .target import Input, Target
from .time_limit import TooLong, limited

#: Processor time of an example.
_PATIENCE = 2.0


class DocstringExamples:
    """The calls of a function that its docstrings show."""

    def __init__(self, target: Target, description: dict[str, Any], path: str) -> None:
        self._target = target
        self._description = description
        self._namespace = vars(target.module)
        self._path = path
        #: Inputs of examples that do not hold.
        self.refuted: list[Input] = []

    def read(self) -> tuple[list[Input], list[str]]:
        """Returns the calls in the examples of the function, its class and its module; and examples that fail."""
        inputs: list[Input] = []
        failing: list[str] = []
        texts = [self._description["docstring"] or ""]
        if self._description["class_name"]:
            texts.append(getattr(self._target.owner, "__doc__", "") or "")
        texts.append(self._target.module.__doc__ or "")
        parser = doctest.DocTestParser()
        for at, text in enumerate(texts):
            try:
                examples = parser.get_examples(text)
            except ValueError:
                continue
            namespace = self._names()
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
            with open(os.devnull, "w") as nothing, limited(_PATIENCE):
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
        if name != self._target.name or self._description["role"] == "property":
            return None
        try:
            args = [self._value_of(each, namespace) for each in call.args]
            kwargs = {each.arg: self._value_of(each.value, namespace) for each in call.keywords if each.arg}
            receiver = None
            if self._target.needs_receiver and isinstance(call.func, ast.Attribute):
                receiver = self._value_of(call.func.value, namespace)
                if not isinstance(receiver, Built):
                    return None
            elif self._target.needs_receiver:
                return None
            return Input(args, kwargs, receiver, "doctest")
        except BaseException:  # noqa: BLE001
            return None

    def _value_of(self, node: ast.expr, namespace: dict[str, Any]) -> Any:
        if isinstance(node, ast.Call):
            made = eval(compile(ast.Expression(node.func), "<doctest>", "eval"), namespace)  # noqa: S307
            if isinstance(made, type) and made.__module__ == self._target.module.__name__:
                return Built.of(
                    made,
                    [self._value_of(each, namespace) for each in node.args],
                    {each.arg: self._value_of(each.value, namespace) for each in node.keywords if each.arg},
                )
        value = eval(compile(ast.Expression(node), "<doctest>", "eval"), namespace)  # noqa: S307
        render(value)
        return value

    def _names(self) -> dict[str, Any]:
        """Returns what examples may name: the module's names, the module by its own name, and the packages that it is in."""
        names = dict(self._namespace)
        parts = self._target.module.__name__.split(".")
        for at in range(1, len(parts) + 1):
            module = sys.modules.get(".".join(parts[:at]))
            if module is not None and (at == 1 or at == len(parts)):
                names.setdefault(parts[at - 1], module)
        return names

    def _failing_examples(self, text: str) -> list[str]:
        """Returns the examples that fail twice alike, each with what it gives."""
        first, second = self._run_examples(text), self._run_examples(text)
        failing = [each for each in first if each in second]
        for example, _ in failing:
            self.refuted += self._calls_in(example, self._names())
        return [f"{example} {said}" for example, said in failing]

    def _run_examples(self, text: str) -> list[tuple[str, str]]:
        test = doctest.DocTestParser().get_doctest(text, self._names(), self._target.name, self._path, 0)
        failures: list[tuple[str, str]] = []

        class Runner(doctest.DocTestRunner):
            def report_failure(self, out: Any, test: Any, example: Any, got: str) -> None:
                if not _is_same(example.want, got):
                    failures.append((example.source.strip(), f"gives {got.strip()[:200]}, not {example.want.strip()[:200]}"))

            def report_unexpected_exception(self, out: Any, test: Any, example: Any, exc_info: Any) -> None:
                if issubclass(exc_info[0], (NameError, ImportError, OSError)):
                    # It is written for somebody who has imported more, or has files or a network that are not here.
                    return
                name = exc_info[0].__name__
                failures.append((example.source.strip(), f"raises {name}{_wanted(example.want)}"))

        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
        try:
            with limited(_PATIENCE):
                Runner(optionflags=flags, verbose=False).run(test, out=lambda _: None)
        except (Exception, SystemExit, TooLong):  # noqa: BLE001 - an example that ends everything, or never
            pass
        return failures

    def _prose_examples(self, text: str) -> list[Input]:
        """Returns calls that stand in the prose of a docstring: `f([1, 2]) ➞ 3`, `f(2) == 4`."""
        inputs = []
        needle = f"{self._target.name}("
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


def _wanted(want: str) -> str:
    return f", not {want.strip()[:200]}" if want.strip() else ""


def _is_same(want: str, got: str) -> bool:
    """Whether an example shows what there is, in other words: `"21"` is `'21'`; an expression that holds needs no result."""
    if not want.strip():
        # Nothing is claimed of a value that is not shown; of a comparison it is that it holds.
        return got.strip() != "False"
    if " at 0x" in want:
        return True
    if want.split() == got.split():
        return True
    try:
        expected, value = ast.literal_eval(want.strip()), ast.literal_eval(got.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return " ".join(want.split()).strip("'\"") == " ".join(got.split()).strip("'\"")
    return bool(expected == value or repr(expected) == repr(value))
