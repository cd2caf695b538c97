"""The statements of one test: what it makes, the call, what it asserts."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field
from typing import Any

from ..search.chosen_inputs import Found
from ..search.target import CUT_ITEMS, Input, Outcome, values_of
from ..values.built_objects import Built
from ..values.render import NotRenderable, built_lines, graph_lines, quoted, render
from ..values.recorders import DEFINITION, named_recorders
from ..values.temporary_paths import FIXTURE, temporary_folder
from .code_format import formatted
from .arrange_lines import Arranged
from .import_lines import Import
from .project_style import ProjectStyle

#: Characters of an object's source beyond which it is given a name.
_LONG_OWNER = 50
_SELF, _RESULT = re.compile(r"\bself\b"), re.compile(r"\bresult\b")
_COLLECT = ["async def collect(items):", "    return [each async for each in items]", ""]
_COLLECT_FIRST = [
    "async def collect(items):",
    "    found = []",
    "    async for each in items:",
    "        found.append(each)",
    f"        if len(found) == {CUT_ITEMS}:",
    "            break",
    "    return found",
    "",
]


@dataclass
class Test:
    """A test without its head: statements of one line each, with their indentation."""

    name: str
    lines: list[str] = field(default_factory=list)
    #: Fixtures.
    parameters: list[str] = field(default_factory=list)
    #: Classes that the file has to define.
    definitions: list[str] = field(default_factory=list)
    decorators: list[str] = field(default_factory=list)
    imports: set[Import] = field(default_factory=set)

    @property
    def needs_stand_in(self) -> bool:
        return any("StandIn(" in line for line in self.lines)

    def text(self, width: int, in_class: bool) -> str:
        """Returns the test as source, at module level or within a class."""
        indent = 4 if in_class else 0
        parameters = ", ".join([*(["self"] if in_class else []), *self.parameters])
        text = [" " * indent + each for each in self.decorators]
        head = formatted(f"def {self.name}({parameters}):", indent, width)
        # A formatter gives the parameters of a definition a comma wherever they stand on lines of their own.
        is_split = len(head) == 3 and parameters and not head[1].endswith(",")
        text += [head[0], f"{head[1]},", head[2]] if is_split else head
        for line in self.lines:
            inner = len(line) - len(line.lstrip(" "))
            text += formatted(line.strip(), indent + 4 + inner, width) if line.strip() else [""]
        return "\n".join(text)


class Statements:
    """Writes the statements of tests of one function."""

    def __init__(self, description: dict[str, Any], style: ProjectStyle) -> None:
        self._description = description
        self._style = style
        #: Variables of objects that record calls, by the objects' id.
        self._names: dict[int, str] = {}
        #: What a line of a test may have within a class.
        self._width = style.width - 8

    def test(self, name: str, found: Found) -> Test:
        """Raises NotRenderable where a value has no source."""
        given, outcome = found.given, found.outcome
        test = Test(name, imports=set(outcome.imports))
        arranged = Arranged(given.around, outcome, self._style.clock)
        test.lines += arranged.lines
        test.decorators += arranged.decorators
        test.imports |= arranged.imports
        self._names = {}
        for variable, recorder in named_recorders(values_of(given)).items():
            if f"{variable}.calls" in outcome.effects:
                text, needed = render(recorder)
                test.lines.append(f"{variable} = {text}")
                test.imports |= needed
                self._names[id(recorder)] = variable
        for line, needed in graph_lines([*given.args, *given.kwargs.values()]):
            test.lines.append(line)
            test.imports |= needed
        call = self._call(given, outcome, test)
        if outcome.output:
            test.parameters.append("capsys")
        if outcome.kind == "raises":
            _add_raises(outcome, call, test)
        else:
            self._add_asserts(outcome, call, test, _owner(given))
        test.lines += [_same(expression, text) for expression, text in outcome.effects.items()]
        if any(str(temporary_folder()) in each for each in test.lines):
            raise NotRenderable("the folder of the tests by its name here")
        needed = {name for module, name in test.imports if module == FIXTURE and name}
        test.definitions = sorted(text for module, text in test.imports if module == DEFINITION and text)
        test.imports = {each for each in test.imports if each[0] not in (FIXTURE, DEFINITION)}
        test.parameters = list(dict.fromkeys([*test.parameters, *arranged.fixtures, *sorted(needed)]))
        return test

    def _arguments(self, given: Input, outcome: Outcome, test: Test) -> list[str]:
        arguments: list[str] = []
        for at, value in enumerate(given.args):
            text, needed = render(value, self._names)
            test.imports |= needed
            if str(at) in outcome.changed:
                variable = self._variable(at)
                if text != variable:
                    test.lines.append(f"{variable} = {text}")
                text = variable
            arguments.append(text)
        for key, value in given.kwargs.items():
            text, needed = render(value, self._names)
            test.imports |= needed
            arguments.append(f"{key}={text}")
        return arguments

    def _variable(self, at: int) -> str:
        parameters = [each["name"] for each in self._description["parameters"] if each["kind"].startswith("positional")]
        return parameters[at] if at < len(parameters) else f"argument_{at}"

    def _call(self, given: Input, outcome: Outcome, test: Test) -> str:
        description = self._description
        qualname = str(description["qualname"])
        listed = ", ".join(self._arguments(given, outcome, test))
        if given.receiver is not None:
            owner = self._receiver(given.receiver, outcome, test)
            call = f"{owner}.{description['name']}" + ("" if description["role"] == "property" else f"({listed})")
        elif description["name"] == "__init__":
            call = f"{qualname.rsplit('.', 1)[0]}({listed})"
        else:
            call = f"{qualname}({listed})"
        if description["is_async"] and description["is_generator"]:
            test.imports.add(("asyncio", None))
            test.lines[:0] = _COLLECT_FIRST if outcome.is_cut else _COLLECT
            return f"asyncio.run(collect({call}))"
        if description["is_async"]:
            test.imports.add(("asyncio", None))
            return f"asyncio.run({call})"
        if outcome.is_cut:
            return f"list(itertools.islice({call}, {CUT_ITEMS}))"
        if description["is_generator"] or outcome.value_type == "list" and description.get("returns_iterator"):
            return f"list({call})"
        return call

    def _receiver(self, receiver: Built, outcome: Outcome, test: Test) -> str:
        if receiver.fixture is not None:
            if receiver.fixture not in test.parameters:
                test.parameters.append(receiver.fixture)
            return receiver.fixture
        name = owner_name(receiver)
        lines = built_lines(name, receiver, self._names)
        test.imports = test.imports.union(*(needed for _, needed in lines))
        text = lines[0][0][len(name) + 3 :]
        if len(lines) == 1 and len(text) <= _LONG_OWNER and not any(_SELF.search(each) for each in outcome.changed):
            return text
        test.lines += [line for line, _ in lines]
        return name

    def _add_asserts(self, outcome: Outcome, call: str, test: Test, owner: str) -> None:
        attributes = {key: text for key, text in outcome.changed.items() if _RESULT.search(key)}
        changed = {key: text for key, text in outcome.changed.items() if key not in attributes}
        if outcome.value_type == "init":
            test.lines.append(f"instance = {call}")
            test.lines += [_same(_SELF.sub("instance", key), text) for key, text in changed.items()]
            return
        if self._description.get("is_context_manager"):
            self._add_block(outcome, call, test)
        elif outcome.source is None:
            test.lines.append(f"result = {call}")
        elif outcome.source == "None" and (changed or outcome.output):
            test.lines.append(call)
        else:
            line = _equal(call, outcome, test)
            if changed or outcome.output or outcome.subclass or len(line) > self._width:
                test.lines.append(f"result = {call}")
                if outcome.subclass:
                    test.lines.append(f"assert isinstance(result, {outcome.subclass})")
                test.lines.append(_equal("result", outcome, test))
            else:
                test.lines.append(line)
        test.lines += [_same(key, text) for key, text in attributes.items()]
        for key, text in changed.items():
            if _SELF.search(key):
                test.lines.append(_same(_SELF.sub(owner, key), text))
            elif "." in key:
                test.lines.append(_same(key, text))
            else:
                test.lines.append(f"assert {self._variable(int(key))} == {text}")
        if outcome.output:
            test.lines.append(f"assert capsys.readouterr().out == {quoted(outcome.output)}")

    def _add_block(self, outcome: Outcome, call: str, test: Test) -> None:
        """Adds the block of a context manager, with what it gives."""
        test.lines.append(f"with {call} as result:")
        if outcome.subclass:
            test.lines.append(f"    assert isinstance(result, {outcome.subclass})")
        test.lines.append("    pass" if outcome.source is None else f"    {_equal('result', outcome, test)}")


def _same(expression: str, text: str) -> str:
    return f"assert {expression} {'is' if text in ('True', 'False', 'None') or text.isidentifier() else '=='} {text}"


def _owner(given: Input) -> str:
    """Returns the name of the variable that holds the object of a method."""
    if given.receiver is None:
        return "instance"
    return given.receiver.fixture or owner_name(given.receiver)


def owner_name(receiver: Built) -> str:
    cls = receiver.cls.__name__
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls).lower().strip("_")
    return name if name.isidentifier() and not keyword.iskeyword(name) and name != cls else "instance"


def _add_raises(outcome: Outcome, call: str, test: Test) -> None:
    test.imports.add(("pytest", None))
    module, _, name = (outcome.exception or "Exception").rpartition(":")
    if module:
        test.imports.add((module, name.split(".")[0]))
    message = outcome.message or ""
    folder = temporary_folder()
    if message and (folder is None or folder not in message) and len(message) < 120 and "\n" not in message and " at 0x" not in message:
        test.lines += [f"with pytest.raises({name}, match={_raw(message)}):", f"    {call}"]
    else:
        test.lines += [f"with pytest.raises({name}):", f"    {call}"]


def _raw(message: str) -> str:
    pattern = re.escape(message)
    for escaped in (" ", "'", '"', ",", ":", "#", "-", "&", "~"):
        pattern = pattern.replace(f"\\{escaped}", escaped)
    pattern = f"^{pattern}$"
    return f'r"{pattern}"' if '"' not in pattern and not pattern.endswith("\\") else quoted(pattern)


def _equal(actual: str, outcome: Outcome, test: Test) -> str:
    source = outcome.source or "None"
    if outcome.value_type in ("bool", "NoneType", "node"):
        return f"assert {actual} is {source}"
    if outcome.value_type == "float":
        if source == 'float("nan")':
            test.imports.add(("math", None))
            return f"assert math.isnan({actual})"
        test.imports.add(("pytest", None))
        return f"assert {actual} == pytest.approx({source})"
    return f"assert {actual} == {source}"
