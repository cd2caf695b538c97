"""The statements of a test that arrange what a call finds: variables, arguments, input, clock, random numbers, files."""

from __future__ import annotations

from typing import Any

from ..search.current_call import FOLDER
from ..search.target import Outcome
from ..values.render import quoted, render
from ..values.temporary_paths import path_source
from .import_lines import Import


class Arranged:
    """The lines, decorators, fixtures and imports that arrange the call of one test."""

    def __init__(self, around: dict[str, Any], outcome: Outcome, clock: str) -> None:
        self.lines: list[str] = []
        self.decorators: list[str] = []
        self.fixtures: list[str] = []
        self.imports: set[Import] = set()
        self._add_around(around, clock)
        if "waited" in outcome.effects:
            self._need("monkeypatch")
            self.lines.append("waited = []")
            self.lines += [f'monkeypatch.setattr("{each}", waited.append)' for each in sorted(outcome.sleep_names)]
        if "caplog.messages" in outcome.effects:
            self._need("caplog")
            if outcome.logs_details:
                self.lines.append('caplog.set_level("DEBUG")')
        if any("tmp_path" in each for each in outcome.effects):
            self._need("tmp_path")

    def _need(self, fixture: str) -> None:
        if fixture not in self.fixtures:
            self.fixtures.append(fixture)

    def _add_around(self, around: dict[str, Any], clock: str) -> None:
        for name, value in around.items():
            kind, _, rest = name.partition(" ")
            if kind == "variable":
                self._need("monkeypatch")
                self.lines.append(
                    f'monkeypatch.delenv("{rest}", raising=False)' if value is None else f'monkeypatch.setenv("{rest}", {quoted(value)})'
                )
            elif kind == "file":
                self._add_file(rest, value)
            elif kind == "argv":
                self._need("monkeypatch")
                self.lines.append(f'monkeypatch.setattr("sys.argv", {render(value)[0]})')
            elif kind == "stdin":
                self._need("monkeypatch")
                self.imports.add(("io", None))
                self.lines.append(f'monkeypatch.setattr("sys.stdin", io.StringIO({quoted(value)}))')
            elif kind == "seed":
                self.imports.add(("random", None))
                self.lines.append(f"random.seed({value})")
            elif kind == "cwd":
                self._need("monkeypatch")
                self._need("tmp_path")
                self.lines.append("monkeypatch.chdir(tmp_path)")
            elif kind == "now":
                self._add_clock(value, clock)

    def _add_clock(self, moment: Any, clock: str) -> None:
        if clock == "time_machine":
            self.imports.add(("time_machine", None))
            self.decorators.append(f'@time_machine.travel("{moment}+00:00", tick=False)')
        else:
            self.imports.add(("freezegun", "freeze_time"))
            self.decorators.append(f'@freeze_time("{moment}")')

    def _add_file(self, name: str, text: "str | None") -> None:
        if text is None:
            return
        self._need("tmp_path")
        path = path_source(name)
        if text == FOLDER:
            self.lines.append(f"({path}).mkdir(parents=True)")
            return
        if "/" in name:
            self.lines.append(f"({path}).parent.mkdir(parents=True, exist_ok=True)")
        self.lines.append(f"({path}).write_text({quoted(text)}{'' if text.isascii() else _ENCODING})")


_ENCODING = ', encoding="utf-8"'
