"""What a project's own `addopts` say of which files hold tests: doctests of modules and of texts, files to leave out."""

from __future__ import annotations

import shlex
from typing import Any, Iterator

import pytest


class ProjectOptions:
    """A plugin of pytest that takes up, from `addopts`, the options of pytest's group for collection.

    All others of `addopts` stay away, as they change what is printed, or need plugins.
    """

    def __init__(self) -> None:
        self._parser: Any = None
        self._values: dict[str, Any] = {}

    def pytest_addoption(self, parser: Any) -> None:
        self._parser = parser

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self, early_config: Any) -> None:
        written = early_config.inicfg.get("addopts")
        if not written:
            return
        given = written if isinstance(written, list) else shlex.split(str(getattr(written, "value", written)))
        asked, plain = (self._parser.parse_known_args(each) for each in (list(map(str, given)), []))
        for name in self._names():
            if getattr(asked, name, None) != getattr(plain, name, None):
                self._values[name] = getattr(asked, name)
        self._apply(early_config.known_args_namespace)

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: Any) -> None:
        # In between, the arguments of this run were parsed.
        self._apply(config.option)

    def _names(self) -> Iterator[str]:
        for option in self._parser.getgroup("collect").options:
            if option.dest != "collectonly":
                yield option.dest

    def _apply(self, options: Any) -> None:
        for name, value in self._values.items():
            setattr(options, name, value)
