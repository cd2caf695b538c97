"""Starts a command with fewer rights, and ends all that it started when it ends.

The arguments are those that `confinedCommand` of `confinement.ts` writes: what is taken, lists of paths, each after its length, and the command. Run by its path, with `-I -S -B`:
nothing of the project's is imported before the rights are taken. It starts with everything that runs, so little is imported: JSON, types and the documented module of signals
would take as long as all the rest.
"""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import rights  # noqa: E402


def main() -> None:
    wanted, command = _read(sys.argv[1:])
    # What was open in the program that started this one is a right: only the three descriptors it was given on purpose stay.
    rights.close_inherited()
    rights.start_session()
    if not sys.platform.startswith("linux"):
        rights.limit(wanted["limits"], 0)
        _become(command, wanted)
    import supervise

    if wanted["kind"] != "none":
        import keyrings

        wanted["joined"] = keyrings.join_own()
    if wanted["kind"] == "namespaces":
        import namespaces

        namespaces.enter(wanted, lambda: supervise.run(wanted, lambda: _become(command, wanted)))
    supervise.run(wanted, lambda: _become(command, wanted))


def _read(arguments: list[str]) -> "tuple[dict, list[str]]":
    """Returns what is wanted, and the command."""
    kind, cwd, memory, file, processes, *rest = arguments
    limits = {"memoryBytes": int(memory), "fileBytes": int(file), "processes": int(processes)}
    lists = []
    for _ in range(3):
        length = int(rest[0])
        lists.append(rest[1 : length + 1])
        rest = rest[length + 1 :]
    readable, writable, placed = lists
    wanted = {"kind": kind, "cwd": cwd, "limits": limits, "readable": readable, "writable": writable}
    # Three of a placed folder: what is seen, where, and how.
    wanted["placed"] = list(zip(placed[::3], placed[1::3], placed[2::3]))
    return wanted, rest


def _become(command: list[str], wanted: dict) -> None:
    """Takes the last rights, and runs the command in place of this process."""
    try:
        if wanted["kind"] != "none" and sys.platform.startswith("linux"):
            import keyrings

            rights.drop_capabilities()
            keyrings.refuse_calls(wanted["joined"])
        if wanted["kind"] == "landlock":
            import landlock

            os.chdir(wanted["cwd"])
            landlock.restrict(wanted["readable"], wanted["writable"])
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror or error}", file=sys.stderr)
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    main()
