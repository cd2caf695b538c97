"""Tells whether a project's configuration of pytest needs plugins: without them runs start faster, and nothing installed by chance matters."""

from __future__ import annotations

import configparser
import os
import re
from typing import Iterator

_PLACES = (
    ("pytest.ini", "pytest"),
    (".pytest.ini", "pytest"),
    ("pyproject.toml", "tool.pytest.ini_options"),
    ("tox.ini", "pytest"),
    ("setup.cfg", "tool:pytest"),
)
#: Keys that pytest knows by itself; `required_plugins` is the one that asks for others.
_OWN = {
    *("addopts", "assertion_text_diff_style", "cache_dir", "collect_imported_tests", "confcutdir", "consider_namespace_packages", "console_output_style"),
    *("disable_test_id_escaping_and_forfeit_all_rights_to_community_support", "doctest_encoding", "doctest_optionflags"),
    *("empty_parameter_set_mark", "enable_assertion_pass_hook", "faulthandler_exit_on_timeout", "faulthandler_timeout", "filterwarnings"),
    *("junit_duration_report", "junit_family", "junit_log_passing_tests", "junit_logging", "junit_suite_name", "log_auto_indent"),
    *("log_cli", "log_cli_date_format", "log_cli_format", "log_cli_level", "log_date_format", "log_file", "log_file_date_format"),
    *("log_file_format", "log_file_level", "log_file_mode", "log_format", "log_level", "markers", "max_warnings", "minversion"),
    *("norecursedirs", "parametrize_long_str_id_strategy", "python_classes", "python_files", "python_functions", "pythonpath", "strict", "strict_config", "strict_markers"),
    *("strict_parametrization_ids", "strict_xfail", "testpaths", "tmp_path_retention_count", "tmp_path_retention_policy"),
    *("truncation_limit_chars", "truncation_limit_lines", "usefixtures", "verbosity_assertions", "verbosity_subtests"),
    *("verbosity_test_cases", "xfail_strict"),
}


def needs_plugins(folder: str = ".") -> bool:
    """Whether the first file with a section for pytest has a key of a plugin, requires some, or loads one by `-p`."""
    for name, section in _PLACES:
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError):
            continue
        keys = dict(_keys_of_toml(text, section) if name.endswith(".toml") else _keys_of_ini(text, section))
        if keys:
            return bool(set(keys) - _OWN) or re.search(r"-p\s*(?!no:)\w", keys.get("addopts", "")) is not None
    return False


def _keys_of_ini(text: str, section: str) -> Iterator[tuple[str, str]]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    if parser.has_section(section):
        yield from parser.items(section)


def _keys_of_toml(text: str, section: str) -> Iterator[tuple[str, str]]:
    """Yields the keys of a table; Python 3.9 and 3.10 have no parser of their own for it."""
    is_inside = False
    for line in text.splitlines():
        head = re.match(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$", line)
        if head is not None:
            is_inside = head[1].strip() == section
        found = re.match(r"\s*([A-Za-z_][\w-]*)\s*=\s*(.*)", line)
        if is_inside and found is not None:
            yield found[1], found[2]
