"""Tries to get out of the sandbox that it runs in, in ways that do no harm where they succeed.

Nothing is touched but decoys. Settings of the system are opened for writing and closed; only what the sandbox itself mounted is mounted once more; characters go
to a terminal that was made for this. The argument is JSON, of `decoys.py`; the answer is JSON.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import sys
import termios
from typing import Any, Callable

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

_MS_RDONLY, _MS_REMOUNT, _MS_BIND = 1, 32, 4096
_NEW_NS, _NEW_USER = 0x00020000, 0x10000000
_PTRACE_SEIZE, _PTRACE_DETACH = 0x4206, 17
_LINUX = sys.platform.startswith("linux")

_libc = ctypes.CDLL(None, use_errno=True)
told: dict[str, Any] = {}
found: list[dict[str, Any]] = []


def attempt(name: str, promise: str, act: Callable[[], Any]) -> None:
    """Makes one; it was held if it raises OSError, or returns False."""
    try:
        held = act() is False
    except (OSError, AttributeError):
        held = True
    found.append({"attempt": name, "promise": promise, "held": held})


def checked(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")


def apart(act: Callable[[], Any]) -> bool:
    """Makes it in a process of its own, for what changes the process; returns whether it succeeded."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(1 if act() is False else 0)
        except BaseException:  # noqa: BLE001 - it was held
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def opened(path: str, flags: int) -> None:
    os.close(os.open(path, flags | os.O_CLOEXEC))


def outside(folder: str) -> None:
    """Reads, writes, creates, deletes and renames decoys, and changes their modes."""
    place = "files outside"

    def write(path: str) -> None:
        with open(path, "a", encoding="utf-8") as file:
            file.write("x")

    attempt("read a file", place, lambda: opened(f"{folder}/read", os.O_RDONLY))
    attempt("write a file", place, lambda: write(f"{folder}/write"))
    attempt("create a file", place, lambda: write(f"{folder}/new"))
    attempt("delete a file", place, lambda: os.unlink(f"{folder}/delete"))
    attempt("rename a file", place, lambda: os.rename(f"{folder}/rename", f"{folder}/renamed"))
    attempt("link a file into the workspace", place, lambda: os.link(f"{folder}/link", f"{told['workspace']}/linked"))
    for route in ("/proc/self/root", "/proc/1/root", f"/proc/{told['parent']}/root"):
        attempt(f"write a file through {route}", place, lambda route=route: write(f"{route}{folder}/write"))
    metadata = "modes and times of files outside"
    attempt("change a mode", metadata, lambda: os.chmod(f"{folder}/mode", 0o600))
    attempt("change times", metadata, lambda: os.utime(f"{folder}/times", (1, 1)))
    if _LINUX:
        attempt("set an attribute", metadata, lambda: os.setxattr(f"{folder}/xattr", "user.decoy", b"x"))


def remount() -> None:
    """Makes writable what the sandbox made read-only: its own mount; elsewhere the folder is no mount, and the kernel says so."""
    folder = os.path.dirname(told["readable"]).encode()
    checked(_libc.mount(b"none", folder, None, ctypes.c_ulong(_MS_REMOUNT | _MS_BIND), None))


def unmount() -> None:
    checked(_libc.umount2(os.path.dirname(told["readable"]).encode(), 2))


def deeper(act: Callable[[], None]) -> Callable[[], None]:
    """Does it with all that a namespace of one's own gives."""

    def run() -> None:
        checked(_libc.unshare(_NEW_USER | _NEW_NS))
        act()

    return run


def mounts() -> None:
    place = "mounts"
    attempt("change a file that may only be read", place, lambda: opened(told["readable"], os.O_RDWR))
    for name, act in (("remount", remount), ("unmount", unmount)):
        attempt(f"{name} what is read-only", place, lambda act=act: apart(act))
        attempt(f"{name} what is read-only, in namespaces of its own", place, lambda act=act: apart(deeper(act)))


def system() -> None:
    place = "settings of the system"
    for path in ("kernel/core_pattern", "kernel/hostname", "vm/overcommit_memory", "fs/file-max", "kernel/modprobe"):
        attempt(f"open /proc/sys/{path}", place, lambda path=path: opened(f"/proc/sys/{path}", os.O_WRONLY))
    for path in ("/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/sys/power/state", "/sys/kernel/mm/transparent_hugepage/enabled", "/dev/kmsg"):
        attempt(f"open {path}", place, lambda path=path: opened(path, os.O_WRONLY))


def rights() -> None:
    place = "rights of root"

    def device() -> None:
        path = f"{told['workspace']}/device"
        # A device that gives nothing: the null device.
        os.mknod(path, 0o20600, os.makedev(1, 3))
        os.unlink(path)

    attempt("have capabilities", place, lambda: any(_capabilities("CapEff", "CapPrm", "CapInh", "CapAmb")))
    attempt("get capabilities by running a program", place, lambda: any(_capabilities("CapBnd")))
    attempt("create a device", place, device)
    attempt("change the root", place, lambda: apart(lambda: os.chroot(told["workspace"])))
    attempt("set the name of the machine to what it is", place, lambda: socket.sethostname(socket.gethostname()))


def _capabilities(*names: str) -> list[int]:
    with open("/proc/self/status", encoding="ascii") as file:
        lines = dict(line.rstrip("\n").split(":", 1) for line in file if ":" in line)
    return [int(lines[name], 16) for name in names]


def terminal() -> None:
    place = "the terminal"

    def typed(descriptor: int) -> None:
        fcntl.ioctl(descriptor, termios.TIOCSTI, b"#")

    def open_and_type(path: str) -> None:
        descriptor = os.open(path, os.O_RDWR)
        try:
            typed(descriptor)
        finally:
            os.close(descriptor)

    attempt("type into standard input", place, lambda: typed(0))
    attempt("type into /dev/tty", place, lambda: open_and_type("/dev/tty"))
    attempt("type into the terminal by its name", place, lambda: open_and_type(told["terminal"]))


def descriptors() -> None:
    attempt("write into what was left open", "descriptors", lambda: os.write(told["descriptor"], b"x"))


def processes() -> None:
    place = "other processes"

    def limit(pid: int) -> None:
        resource.prlimit(pid, resource.RLIMIT_CORE, resource.prlimit(pid, resource.RLIMIT_CORE))

    def prioritise(pid: int) -> None:
        os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid))

    for name in ("process", "parent"):
        pid = told[name]

        def trace(pid: int = pid) -> None:
            checked(_libc.ptrace(_PTRACE_SEIZE, pid, None, None))
            _libc.ptrace(_PTRACE_DETACH, pid, None, None)

        if _LINUX:
            attempt(f"trace the {name}", place, trace)
            attempt(f"open the memory of the {name}", place, lambda pid=pid: opened(f"/proc/{pid}/mem", os.O_RDWR))
            attempt(f"read the environment of the {name}", place, lambda pid=pid: opened(f"/proc/{pid}/environ", os.O_RDONLY))
            weight = "limits and priorities of other processes"
            attempt(f"limit the {name} to what it has", weight, lambda pid=pid: limit(pid))
            attempt(f"give the {name} the priority that it has", weight, lambda pid=pid: prioritise(pid))
            attempt(f"keep the {name} on its processors", weight, lambda pid=pid: os.sched_setaffinity(pid, os.sched_getaffinity(pid)))
    attempt("signal a process", "signals", lambda: os.kill(told["process"], signal.SIGUSR1))


def network() -> None:
    def connect(kind: int, address: Any) -> None:
        with socket.socket(kind, socket.SOCK_STREAM) as one:
            one.settimeout(1)
            one.connect(address)

    def send() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.sendto(b"x", ("127.0.0.1", told["udp"]))
            # What comes is seen by the decoy: in a network of its own the packet goes nowhere.
        raise OSError

    attempt("connect to this machine", "network", lambda: connect(socket.AF_INET, ("127.0.0.1", told["tcp"])))
    attempt("send a packet to this machine", "network", send)
    attempt("connect to a socket in a folder", "local sockets", lambda: connect(socket.AF_UNIX, told["unix"]))
    if "abstract" in told:
        attempt("connect to a socket by its name", "local sockets", lambda: connect(socket.AF_UNIX, "\0" + told["abstract"]))


def main() -> None:
    told.update(json.loads(sys.argv[1]))
    for folder in told["outside"]:
        outside(folder)
    terminal()
    descriptors()
    processes()
    network()
    if _LINUX:
        mounts()
        system()
        rights()
        import kernel_objects

        kernel_objects.attempt_all(attempt, told)
    os.write(1, json.dumps(found).encode())


if __name__ == "__main__":
    main()
