"""Gives inputs what their calls asked for: values of variables, arguments of the program, files, a moment, a seed."""

from __future__ import annotations

import ast
import dataclasses
import datetime
import importlib.util
import json
import os
import pathlib
import re
from typing import Any, Optional

from ..values.temporary_paths import TemporaryPath
from .current_call import FOLDER, Call
from .project_libraries import declares
from .target import Input
from .value_maker import Maker

#: Moments, none of which is near the end of a leap second or of a change of summer time.
_MOMENTS = ("2024-03-01 10:00:00", "2024-02-29 23:30:00", "2023-12-31 15:45:30", "2024-07-14 06:05:04", "2024-01-02 12:00:00")
_NAME = re.compile(r"[\w][\w .-]{0,40}(?:/[\w][\w.-]{0,30}){0,3}")
#: Libraries that stop the clock in tests.
CLOCKS = ("freezegun", "time_machine")


class AroundValues:
    """Makes what is around the calls of one function."""

    def __init__(self, maker: Maker, node: ast.AST, texts: list[str]) -> None:
        self._maker = maker
        self._own = [each for each in _texts_in(node) if len(each) <= 40]
        self._texts = texts
        self._words = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        self._attributes = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
        #: The library by which tests stop the clock, if the project declares one.
        self.clock: Optional[str] = next((each for each in CLOCKS if declares(each) and importlib.util.find_spec(each)), None)
        #: Parameters that were found to name files, by position.
        self._files: set[int] = set()

    def extended(self, given: Input, call: Call) -> Optional[Input]:
        """Returns the input with what its call asked for and did not find arranged; None if that was nothing."""
        around = dict(given.around)
        for name in sorted(call.asked - set(around)):
            kind = name.partition(" ")[0]
            if kind == "variable":
                around[name] = self._variable()
            elif name == "argv":
                around[name] = self._arguments()
            elif name == "stdin":
                around[name] = "".join(f"{self._text()}\n" for _ in range(self._maker.random.randint(1, 4)))
            elif name == "seed":
                around[name] = self._maker.random.randint(1, 9)
            elif name == "now" and self.clock is not None:
                around[name] = datetime.datetime.fromisoformat(self._maker.random.choice(_MOMENTS))
        args = self._with_files(given, call, around)
        if len(around) == len(given.around) and args == given.args:
            return None
        return dataclasses.replace(given, args=args, around=around)

    def neighbour(self, around: dict[str, Any]) -> dict[str, Any]:
        """Returns it with one value changed."""
        name = self._maker.random.choice(sorted(around))
        value = around[name]
        if name.startswith("variable "):
            value = self._variable() if value is None or self._maker.random.random() < 0.5 else self._maker.near.neighbour(value)
        elif name == "argv":
            value = self._arguments() if self._maker.random.random() < 0.7 else ["prog", *self._maker.near.neighbour(value[1:])]
            value = [each for each in value if isinstance(each, str)]
        elif name == "seed":
            value = self._maker.random.randint(1, 99)
        elif name.startswith("file ") and value != FOLDER:
            again = value is None or self._maker.random.random() < 0.5
            value = self._content([]) if again else self._maker.near.neighbour(value)
        elif isinstance(value, (str, datetime.datetime)) and value != FOLDER:
            value = self._maker.near.neighbour(value)
        return {**around, name: value.replace("\0", "") if isinstance(value, str) else value}

    def _text(self) -> str:
        draw = self._maker.random
        pool = [*self._own, "1", "0", "5", "12", "true", "yes", "a", "x,y", " b ", "1.5"]
        text = draw.choice(pool) if draw.random() < 0.8 else str(self._maker.make(("str",)))
        return "".join(each for each in text if each.isprintable())

    def _variable(self) -> Optional[str]:
        return None if self._maker.random.random() < 0.3 else self._text()

    def _arguments(self) -> list[str]:
        return ["prog", *(self._text() for _ in range(self._maker.random.choice([0, 1, 1, 2, 2, 3, 4])))]

    # Files

    def _with_files(self, given: Input, call: Call, around: dict[str, Any]) -> list[Any]:
        """Returns the arguments with paths of the test's own folder in place of those that the call looked at."""
        args = list(given.args)
        for at, value in enumerate(args):
            if not isinstance(value, (str, pathlib.PurePath)):
                continue
            if at not in self._files:
                # Of two that are equal nobody can say which one it looked at.
                alike = [each for each in args if isinstance(each, (str, pathlib.PurePath)) and str(each) == str(value)]
                if len(alike) > 1 or not _is_touched(str(value), call.touched):
                    continue
            self._files.add(at)
            is_folder = any(each.startswith(str(value).rstrip("/")) for each in call.folders if str(value))
            # What is only looked at may be either.
            is_folder = is_folder or str(value) not in call.opened and self._maker.random.random() < 0.5
            name = self._name(str(value), is_folder)
            args[at] = TemporaryPath(name, isinstance(value, str))
            if is_folder:
                self._add_folder(name, around)
            else:
                self._add_file(name, given, around)
        for path in sorted(call.touched):
            # What it names itself is looked for in the working directory.
            if path in self._own and not os.path.isabs(path) and _NAME.fullmatch(path) and f"file {path}" not in around:
                around["cwd"] = True
                self._add_file(path, given, around)
        for each in args:
            # A folder of the test, in which more was looked for than there is.
            if isinstance(each, TemporaryPath) and around.get(f"file {each.name}", "") is None:
                if any(str(each.make()) == folder for folder in call.folders):
                    self._add_folder(each.name, around)
        return args

    def _name(self, value: str, is_folder: bool) -> str:
        draw = self._maker.random
        if is_folder:
            return "folder"
        endings = [each for each in (*self._own, *self._texts) if re.fullmatch(r"\.[a-z]{2,5}", each)]
        if endings and draw.random() < 0.5:
            return "data" + draw.choice(endings)
        name = os.path.basename(value)
        return name if re.fullmatch(r"\w[\w-]*\.\w{1,5}", name) else "data.txt"

    def _add_file(self, name: str, given: Input, around: dict[str, Any]) -> None:
        if self._maker.random.random() < 0.15:
            around[f"file {name}"] = None
            return
        around[f"file {name}"] = self._content([each for each in given.args if isinstance(each, str)])

    def _add_folder(self, name: str, around: dict[str, Any]) -> None:
        draw = self._maker.random
        around[f"file {name}"] = FOLDER
        endings = [each.lstrip("*") for each in (*self._own, *self._texts) if re.fullmatch(r"\*?\.[a-z]{2,5}", each)] or [".txt"]
        for stem in draw.sample(["a", "b", "c", "sub/d"], draw.randint(0, 3)):
            around[f"file {name}/{stem}{draw.choice([*endings, '.txt'])}"] = self._text()

    def _content(self, near: list[str]) -> str:
        """Returns a text as files hold it; `near` are texts that it may be asked for."""
        draw = self._maker.random
        keys = [*near, *(each for each in self._own if re.fullmatch(r"\w[\w ]*", each)), "a", "b"]
        styles = ["lines", "lines", "pairs", "empty"]
        for word, style in (("json", "json"), ("loads", "json"), ("csv", "csv"), ("DictReader", "csv"), ("split", "csv"), ("partition", "pairs")):
            if word in self._words or word in self._attributes:
                styles += [style] * 3
        if any("ini" in each or "configparser" in each for each in self._words):
            styles += ["sections"] * 3
        style = draw.choice(styles)
        if style == "empty":
            return ""
        if style == "json":
            items = {draw.choice(keys): self._maker.make(draw.choice((("int",), ("str",), ("list", ("int",))))) for _ in range(draw.randint(0, 3))}
            return json.dumps(draw.choice([items, [items], [1, 2], items, items]))
        if style == "csv":
            columns = list(dict.fromkeys(draw.choice(keys) for _ in range(draw.randint(1, 3))))
            rows = [",".join(draw.choice(["1", "2", "x", "y", "", "3.5"]) for _ in columns) for _ in range(draw.randint(0, 4))]
            return "\n".join([",".join(columns), *rows]) + "\n"
        pairs = [f"{draw.choice(keys)}{draw.choice([' = ', '=', ': '])}{self._text()}" for _ in range(draw.randint(1, 3))]
        if style == "sections":
            return f"[{draw.choice(keys)}]\n" + "\n".join(pairs) + "\n"
        lines = pairs if style == "pairs" else [self._text() for _ in range(draw.randint(1, 4))]
        if draw.random() < 0.4:
            lines.insert(draw.randint(0, len(lines)), draw.choice(["# a note", "", "  "]))
        return "\n".join(lines) + draw.choice(["\n", "\n", ""])


def _is_touched(value: str, touched: set[str]) -> bool:
    """Whether a call looked at a path, or below it."""
    if not value or len(value) > 60:
        return False
    return any(each == value or each.startswith(value.rstrip("/") + "/") or os.path.normpath(value) == each for each in touched)


def _texts_in(node: ast.AST) -> list[str]:
    docstring = ast.get_docstring(node, clean=False) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else None
    found = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return [each for each in dict.fromkeys(found) if each and each != docstring]
