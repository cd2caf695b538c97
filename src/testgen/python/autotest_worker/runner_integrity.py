"""Notices functions of pytest, and of what judges here, that the project's code replaced."""

from __future__ import annotations

import builtins
import os
import sys
import types
from typing import Any, Iterator, Mapping, Optional

_JUDGING = ("_pytest.", "pluggy.", "unittest.case", "unittest.suite", "unittest.async_case", "doctest", "autotest_worker.")
#: Without these, or with others in their place, no assertion fails.
_BUILTINS = ("AssertionError", "BaseException", "Exception", "compile", "exec", "isinstance", "issubclass", "__build_class__")

#: A name, what holds it, and there its key, what is under it, and its code.
_Entry = tuple[str, Mapping[str, Any], str, Any, Any]


class Runner:
    """The functions that run tests, as they were before anything of the project was loaded."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = [
            (f"builtins.{name}", vars(builtins), name, vars(builtins)[name], None) for name in _BUILTINS
        ]
        self._modules = _judging_modules()
        for name, module in self._modules.items():
            self._entries += _functions_in(name, vars(module))
            for key, value in list(vars(module).items()):
                if isinstance(value, type) and value.__module__ == name:
                    self._entries.append((f"{name}.{key}", vars(module), key, value, None))
                    self._entries += _functions_in(f"{name}.{key}", vars(value))

    def knows_all(self) -> bool:
        return self._modules.keys() == _judging_modules().keys()

    def replaced(self, root: str) -> Optional[str]:
        """Returns the name of a function that is another one by the doing of the project's own code, if there is one.

        Installed plugins replace some as well, by functions that are in their files.
        """
        for name, holder, key, member, code in self._entries:
            now = holder.get(key)
            if now is member and (code is None or code_of(now) is code):
                continue
            if not is_installed(code_of(now), root):
                return name
        return None


def code_of(value: Any) -> Any:
    """Returns the code that runs when a function, method or property is used; the object itself where it is of another kind."""
    if isinstance(value, property):
        value = value.fget
    value = getattr(value, "__func__", value)
    return getattr(value, "__code__", value)


def is_installed(code: Any, root: str) -> bool:
    """Whether code, or a class, is in a file, and in none of the project's."""
    if isinstance(code, type):
        file = getattr(sys.modules.get(code.__module__), "__file__", None)
    else:
        file = getattr(code, "co_filename", None)
    if file is None or not os.path.isfile(file):
        return False
    return not os.path.realpath(file).startswith(os.path.join(os.path.realpath(root), ""))


def _judging_modules() -> dict[str, types.ModuleType]:
    return {name: each for name, each in list(sys.modules.items()) if name.startswith(_JUDGING) and isinstance(each, types.ModuleType)}


def _functions_in(name: str, holder: Mapping[str, Any]) -> Iterator[_Entry]:
    for key, member in list(holder.items()):
        code = code_of(member)
        if isinstance(code, types.CodeType):
            yield f"{name}.{key}", holder, key, member, code
