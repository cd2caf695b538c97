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


class DocstringExamples:
    """The calls of a function that its docstrings show."""

    def __init__(self, target: Target, description: dict[str, Any], path: str) -> None:
        self._target = target
        self._description = description
        self._namespace = vars(target.module)
        self._path = path

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

    def _failing_examples(self, text: str) -> list[str]:
        test = doctest.DocTestParser().get_doctest(text, dict(self._namespace), self._target.name, self._path, 0)
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
