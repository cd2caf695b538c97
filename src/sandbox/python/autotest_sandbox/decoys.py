"""Lays out what an attempt to get out of a sandbox may meet, lets the attempts be made, and looks at what became of it.

All of it is made for this: files, sockets, a terminal, and a process that waits. The argument is JSON: the command that makes the attempts in the sandbox, folders that it must not
reach, a folder that it may read, and its workspace. The answer is JSON: each attempt, what it was promised by, and whether it was held.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import pty
import select
import signal
import socket
import stat
import subprocess
import sys
import termios
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

_FILES = ("read", "write", "delete", "rename", "mode", "times", "xattr", "link", "shared")
_SIGNALS = (signal.SIGUSR1, signal.SIGTERM, signal.SIGCONT)
#: What is typed into the decoy's terminal, where somebody can.
TYPED = b"#"


def main() -> None:
    wanted = json.loads(sys.argv[1])
    os.setsid()
    terminal, user_side = pty.openpty()
    fcntl.ioctl(user_side, termios.TIOCSCTTY, 0)
    _type_raw(user_side)
    readable = os.path.join(wanted["readable"], "decoy")
    _lay(readable)
    folders = wanted["outside"]
    for folder in folders:
        for name in _FILES:
            _lay(os.path.join(folder, name))
    before = {path: _state(path) for path in _everything([*folders, wanted["readable"]])}
    sockets = _sockets(folders[0])
    process, signals = _start_process()
    objects = _kernel_objects()
    # One of the files is open in every program that is started from here, and for writing.
    shared = os.open(os.path.join(folders[0], "shared"), os.O_RDWR)
    os.set_inheritable(shared, True)
    told = {
        "outside": folders,
        "readable": readable,
        "workspace": wanted["workspace"],
        "process": process,
        "parent": os.getpid(),
        "descriptor": shared,
        "terminal": os.ttyname(user_side),
        **({} if objects is None else objects.told),
        **{name: address for name, (_, address) in sockets.items()},
    }
    try:
        try:
            ended = subprocess.run(
                [*wanted["command"], json.dumps(told)],
                stdin=user_side,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[shared],
                timeout=15,
                check=False,
            )
        except subprocess.TimeoutExpired:
            os.write(2, b"it did not end within 15 s\n")
            sys.exit(1)
        try:
            attempts = json.loads(ended.stdout)
        except ValueError:
            os.write(2, ended.stderr or b"it did not answer\n")
            sys.exit(1)
        attempts += _seen(before, folders, wanted["readable"], sockets, signals, process, terminal, user_side)
        attempts += [] if objects is None else objects.seen()
    finally:
        if objects is not None:
            objects.remove()
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
    json.dump({"attempts": attempts, **_version(wanted["command"][0])}, sys.stdout)


def _kernel_objects() -> "Any | None":
    """Lays out what only Linux has."""
    if not sys.platform.startswith("linux"):
        return None
    import kernel_objects

    return kernel_objects.Decoys()


def _version(program: str) -> dict[str, str]:
    if os.path.basename(program) != "bwrap":
        return {}
    found = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    text = found.decode("utf-8", "replace").strip()[:60]
    setuid = ", setuid" if os.stat(program).st_mode & stat.S_ISUID else ""
    return {"version": f"{text}{setuid}, {program}"}


def _lay(path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write("decoy\n")
    os.chmod(path, 0o644)


def _type_raw(descriptor: int) -> None:
    """Lets each character be read as soon as it is typed."""
    attributes = termios.tcgetattr(descriptor)
    attributes[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(descriptor, termios.TCSANOW, attributes)


def _everything(folders: list[str]) -> list[str]:
    return [os.path.join(root, name) for folder in folders for root, _, names in os.walk(folder) for name in names]


def _state(path: str) -> dict[str, Any]:
    """Returns what somebody could have changed of a file, by what that is."""
    found = os.lstat(path)
    content = ""
    if stat.S_ISREG(found.st_mode):
        with open(path, encoding="utf-8", errors="replace") as file:
            content = file.read()
    return {
        "files outside": [content, found.st_size, found.st_nlink],
        "modes and times of files outside": [found.st_mode, found.st_uid, found.st_gid, found.st_mtime_ns, _attributes(path)],
    }


def _attributes(path: str) -> list[str]:
    try:
        return sorted(os.listxattr(path, follow_symlinks=False))
    except (OSError, AttributeError):
        return []


def _sockets(folder: str) -> dict[str, tuple[socket.socket, Any]]:
    tcp = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    tcp.bind(("127.0.0.1", 0))
    tcp.listen(8)
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", 0))
    unix = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # The address of such a socket has at most 108 bytes: it is named from its own folder.
    start = os.getcwd()
    os.chdir(folder)
    unix.bind("socket")
    os.chdir(start)
    unix.listen(8)
    found: dict[str, tuple[socket.socket, Any]] = {
        "tcp": (tcp, tcp.getsockname()[1]),
        "udp": (udp, udp.getsockname()[1]),
        "unix": (unix, os.path.join(folder, "socket")),
    }
    if sys.platform.startswith("linux"):
        hidden = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        name = f"autotest-decoy-{os.getpid()}"
        hidden.bind("\0" + name)
        hidden.listen(8)
        found["abstract"] = (hidden, name)
    return found


def _start_process() -> tuple[int, int]:
    """Starts a process that waits, and says through a pipe which signals it met."""
    reader, writer = os.pipe()
    own = os.getpid()
    child = os.fork()
    if child != 0:
        os.close(writer)
        return child, reader
    for number in _SIGNALS:
        signal.signal(number, lambda met, _: os.write(writer, b"%d " % met) and None)
    os.write(writer, b"ready ")
    while os.getppid() == own:
        select.select([], [], [], 1)
    os._exit(0)


def _seen(
    before: dict[str, Any],
    folders: list[str],
    readable: str,
    sockets: dict[str, tuple[socket.socket, Any]],
    signals: int,
    process: int,
    terminal: int,
    user_side: int,
) -> list[dict[str, Any]]:
    """Returns what the attempts did to the decoys, whatever they said of it."""
    found: list[dict[str, Any]] = []

    def say(attempt: str, promise: str, held: bool) -> None:
        found.append({"attempt": attempt, "promise": promise, "held": held})

    after = {path: _state(path) for path in _everything([*folders, readable]) if not path.endswith("/socket")}
    for promise in ("files outside", "modes and times of files outside"):
        changed = [
            path
            for path in sorted({*before, *after})
            if before.get(path, {}).get(promise) != after.get(path, {}).get(promise)
            # What was deleted or is new is a matter of files.
            and (promise == "files outside" or (path in before and path in after))
        ]
        say(f"change a decoy{''.join(f' ({os.path.basename(path)})' for path in changed[:1])}", promise, not changed)
    for name, (each, _) in sockets.items():
        reached = bool(select.select([each], [], [], 0)[0])
        say(f"reach the decoy's {name} socket", "local sockets" if name in ("unix", "abstract") else "network", not reached)
    met = os.read(signals, 4096).decode().replace("ready ", "") if select.select([signals], [], [], 0)[0] else ""
    say("reach the decoy's process by a signal", "signals", met == "" and os.waitpid(process, os.WNOHANG) == (0, 0))
    say("type into the decoy's terminal", "the terminal", not _is_typed(terminal, user_side))
    return found


def _is_typed(terminal: int, user_side: int) -> bool:
    """Reports whether there is input that nobody typed at the keyboard."""
    os.set_blocking(user_side, False)
    try:
        return TYPED in os.read(user_side, 4096)
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EIO):
            raise
        return False


if __name__ == "__main__":
    main()
