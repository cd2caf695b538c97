"""Starts a command with fewer rights, and ends all that it started when it ends.

The first argument is what `Confinement` of `confinement.ts` says, as JSON; the rest is the command. Run as a folder, by a path, with `-I -S -B`: nothing
of the project's is imported before the rights are taken.
"""

from __future__ import annotations

import json
import os
import sys

import rights


def main() -> None:
    wanted = json.loads(sys.argv[1])
    command = sys.argv[2:]
    # What was open in the program that started this one is a right: only the three descriptors it was given on purpose stay.
    rights.close_inherited()
    rights.start_session()
    if not sys.platform.startswith("linux"):
        rights.limit(wanted["limits"], 0)
        _become(command, wanted)
    import supervise

    if wanted["kind"] == "namespaces":
        import namespaces

        namespaces.enter(wanted, lambda: supervise.run(wanted, lambda: _become(command, wanted)))
    supervise.run(wanted, lambda: _become(command, wanted))


def _become(command: list[str], wanted: dict) -> None:
    """Takes the last rights, and runs the command in place of this process."""
    try:
        if wanted["kind"] != "none" and sys.platform.startswith("linux"):
            rights.drop_capabilities()
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
