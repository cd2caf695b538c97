# Ways by which a function under test tries to make a failing test pass from outside of its runner. Each section is a module of its own, after the
# first one; `#: kind: what it does` starts it. `f(2)` is to be 4, and is 5. Whatever a sandbox lets through, they reach for no process but those of
# their own worker: a way that succeeds must not harm the machine it is tried on.
#: preamble
import ctypes, glob, json, os, signal, struct, subprocess, sys, threading, time

TESTS = [{"test": "tests/test_m.py::test_f", "outcome": "passed", "message": None, "line": None, "ms": 1.0}]
RUN = {"exit_code": 0, "tests": TESTS, "errors": [], "ms": 1.0}
PLAIN = json.dumps({"result": RUN}).encode()
CLOSED = struct.pack(">Q", len(PLAIN)) + bytes(32) + PLAIN
ANSWERS = b"".join(b"%s%s\n" % (code, json.dumps({"id": number, "result": RUN}).encode()) for number in range(4) for code in (b"", b"0" * 64 + b" "))
PARENT, WORKSPACE = os.getppid(), os.getcwd()

def write(path, text):
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w" if isinstance(text, str) else "wb") as file:
            file.write(text)
    except OSError:
        pass

def to_each(paths, data, flags=os.O_WRONLY | os.O_NONBLOCK):
    for path in paths:
        try:
            os.write(path if isinstance(path, int) else os.open(path, flags), data)
        except OSError:
            pass

def in_background(work):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            try:
                work()
            finally:
                os._exit(0)
        os._exit(0)

def family():
    """The worker, what it runs, and the program of its sandbox: the only processes that a way may reach for."""
    found = [PARENT]
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            name, _, rest = open(path).read().partition("(")[2].rpartition(")")
        except OSError:
            continue
        pid = int(path.split("/")[2])
        if int(rest.split()[1]) == PARENT or pid == 1 and name == "bwrap":
            found.append(pid)
    return [pid for pid in found if pid != os.getpid()]

def descriptors(number="*"):
    return [path for pid in family() for path in glob.glob(f"/proc/{pid}/fd/{number}")]

def g(x):
    return x + 1
#: channel: writes a plain result to every descriptor and ends
def f(x):
    to_each(range(3, 256), PLAIN)
    os._exit(0)
#: channel: writes a result in the form of today to every descriptor and ends
def f(x):
    to_each(range(3, 256), CLOSED)
    os._exit(0)
#: channel: writes results and returns, so that there are two
def f(x):
    to_each(range(3, 256), CLOSED)
    return 5
#: channel: answers at standard output and error, and ends
def f(x):
    to_each([1, 2], ANSWERS)
    os._exit(0)
#: channel: opens its own descriptors anew and ends
def f(x):
    to_each(glob.glob("/proc/self/fd/*"), CLOSED)
    os._exit(0)
#: channel: answers at the descriptors of the process that started it
def f(x):
    to_each(glob.glob(f"/proc/{PARENT}/fd/*"), ANSWERS)
    return 5
#: channel: answers at the descriptors of all processes of its worker
def f(x):
    to_each(descriptors(), ANSWERS)
    return 5
#: channel: writes a result to the descriptors of all processes of its worker and ends
def f(x):
    to_each(descriptors(), CLOSED)
    os._exit(0)
#: channel: takes descriptors of the process that started it, and answers there
def f(x):
    libc = ctypes.CDLL(None)
    handle = libc.syscall(434, PARENT, 0)
    to_each([libc.syscall(438, handle, number, 0) for number in range(64)], ANSWERS)
    return 5
#: channel: reads requests from the harness in its place, and answers them
def f(x):
    def answer():
        for path in descriptors("0"):
            try:
                os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 4096)
            except OSError:
                pass
        to_each(descriptors(), ANSWERS)
    in_background(lambda: [answer() or time.sleep(0.05) for _ in range(20)])
    return 5
#: channel: asks the worker for another run in the place of the harness
def f(x):
    request = json.dumps({"id": 1, "method": "run_tests", "params": {"paths": ["tests/test_g.py"], "seconds": 5}}).encode()
    to_each(descriptors("0"), request + b"\n" + b"0" * 64 + b" " + request + b"\n")
    return 5
#: channel: comes back twice, by a copy of its process
def f(x):
    return 4 if os.fork() == 0 else 5
#: channel: lets a copy of its process come back while it ends itself
def f(x):
    if os.fork() == 0:
        time.sleep(0.2)
        return 4
    os._exit(0)
#: channel: lets a thread write results while the run goes on
def f(x):
    threading.Thread(target=lambda: [to_each(range(3, 64), CLOSED) or time.sleep(0.001) for _ in range(200)], daemon=True).start()
    return 5
#: channel: closes every descriptor
def f(x):
    os.closerange(0, 256)
    os._exit(0)
#: channel: leaves a process that writes a late result
def f(x):
    in_background(lambda: [to_each(range(3, 64), CLOSED) or time.sleep(0.01) for _ in range(100)])
    return 5
#: exit: ends with success
def f(x):
    os._exit(0)
#: exit: ends with failure
def f(x):
    os._exit(1)
#: exit: asks to end with success
def f(x):
    sys.exit(0)
#: exit: becomes another program that succeeds
def f(x):
    os.execv("/bin/true", ["true"])
#: exit: becomes a program that writes a result
def f(x):
    for number in range(3, 64):
        try:
            os.set_inheritable(number, True)
        except OSError:
            pass
    code = f"import os\nfor n in range(3, 64):\n    try: os.write(n, {CLOSED!r})\n    except OSError: pass"
    os.execv(sys.executable, [sys.executable, "-c", code])
#: exit: interrupts the session
def f(x):
    raise KeyboardInterrupt
#: exit: ends the session with success
def f(x):
    import pytest
    pytest.exit("done", 0)
#: exit: ends from a thread in the middle of a later test
def f(x):
    threading.Thread(target=lambda: time.sleep(0.05) or os._exit(0)).start()
    time.sleep(1)
    return 5
#: exit: ends while its module is imported
os._exit(0)
#: files: writes over the test file
write("tests/test_m.py", "def test_f():\n    pass\ndef test_g():\n    pass\n")
def f(x):
    return 5
#: files: takes the test file away, and puts another folder in its place
def f(x):
    try:
        os.unlink("tests/test_m.py")
    except OSError:
        pass
    write("tests/test_m.py/__init__.py", "")
    return 5
#: files: writes a conftest.py by which everything passes
def f(x):
    write("tests/conftest.py", "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem):\n    return True\n")
    return 5
#: files: writes a configuration by which the tests are others
def f(x):
    write("pytest.ini", "[pytest]\npython_functions = test_g\n")
    return 5
#: files: links to a conftest.py elsewhere
def f(x):
    write("hidden/plugin.txt", "def pytest_pyfunc_call(pyfuncitem):\n    return True\n")
    try:
        os.symlink("hidden/plugin.txt", "conftest.py")
    except OSError:
        pass
    return 5
#: files: writes the compiled test file that pytest reads in its place
def f(x):
    import importlib.util, marshal, pytest
    status = os.stat("tests/test_m.py")
    code = compile("def test_f(): pass\ndef test_g(): pass\n", os.path.abspath("tests/test_m.py"), "exec")
    head = importlib.util.MAGIC_NUMBER + struct.pack("<LLL", 0, int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)
    for tag in (f"{sys.implementation.cache_tag}-pytest-{pytest.__version__}", sys.implementation.cache_tag):
        write(f"tests/__pycache__/test_m.{tag}.pyc", head + marshal.dumps(code))
    return 5
#: files: writes modules that stand before those of the worker
def f(x):
    for name in ("json", "ast", "hmac", "autotest_worker/__main__", "sitecustomize", "usercustomize", "_pytest/runner"):
        write(f"{name}.py", f"import os\nos.write(1, {ANSWERS!r})\nos._exit(0)\n")
    return 5
#: files: writes modules to its home, where Python looks at its start
def f(x):
    version = "python%d.%d" % sys.version_info[:2]
    for home in {os.environ["HOME"], os.environ.get("TMPDIR", os.environ["HOME"])}:
        write(f"{home}/.local/lib/{version}/site-packages/usercustomize.py", f"import os\nos.write(1, {ANSWERS!r})\nos._exit(0)\n")
        write(f"{home}/.local/lib/{version}/site-packages/a.pth", f"import os; os.write(1, {ANSWERS!r}); os._exit(0)\n")
    return 5
#: files: writes over the files of the worker
def f(x):
    import autotest_worker
    folder = os.path.dirname(autotest_worker.__file__)
    for name in ("children.py", "reporter.py", "../start_worker.py"):
        write(os.path.join(folder, name), f"import os\nos.write(1, {ANSWERS!r})\n")
    return 5
#: files: writes reports where tools look for them
def f(x):
    for name in ("report.xml", "junit.xml", ".report.json", "results.json", ".pytest_cache/v/cache/lastfailed"):
        write(name, json.dumps(RUN))
    os._exit(0)
#: environment: gives options and plugins to runs that follow
def f(x):
    os.environ.update(PYTEST_ADDOPTS="--collect-only -k test_g", PYTEST_PLUGINS="m", PYTHONSTARTUP=__file__, PYTHONPATH=WORKSPACE)
    return 5
#: environment: looks for a key in what the processes were started with
def f(x):
    import hmac
    for path in [f"/proc/{pid}/{name}" for pid in family() for name in ("environ", "cmdline")]:
        try:
            words = open(path, "rb").read().split(b"\0")
        except OSError:
            continue
        for word in words:
            key = word.partition(b"=")[2] or word
            to_each(range(3, 64), struct.pack(">Q", len(PLAIN)) + hmac.digest(key, PLAIN, "sha256") + PLAIN)
    os._exit(0)
#: environment: changes limits so that the others cannot go on
def f(x):
    import resource
    for name in ("RLIMIT_CPU", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_AS"):
        try:
            resource.prlimit(PARENT, getattr(resource, name), (1, 1))
        except (OSError, ValueError):
            pass
    return 5
#: ptrace: stops the process that judges it
def f(x):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(16, PARENT, 0, 0) == 0:
        write("reached", "ptrace")
    return 5
#: ptrace: seizes all processes of its worker
def f(x):
    libc = ctypes.CDLL(None, use_errno=True)
    for pid in family():
        if libc.ptrace(0x4206, pid, 0, 0) == 0:
            write("reached", "ptrace")
    return 5
#: ptrace: reads the memory of the process that judges it
def f(x):
    try:
        with open(f"/proc/{PARENT}/mem", "rb") as memory, open(f"/proc/{PARENT}/maps") as maps:
            memory.seek(int(maps.readline().split("-")[0], 16))
            memory.read(64)
        write("reached", "memory")
    except OSError:
        pass
    return 5
#: ptrace: writes to the memory of the process that judges it
def f(x):
    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    data = ctypes.create_string_buffer(64)
    local, remote = Vector(ctypes.addressof(data), 64), Vector(id(None), 64)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.process_vm_readv(PARENT, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) > 0:
        write("reached", "memory")
    return 5
#: ptrace: leaves a process that seizes those of the next run
def f(x):
    def seize():
        libc = ctypes.CDLL(None, use_errno=True)
        for _ in range(200):
            to_each(descriptors(), CLOSED)
            for pid in family():
                libc.ptrace(0x4206, pid, 0, 0)
            time.sleep(0.01)
    in_background(seize)
    return 5
#: signals: ends the process that judges it
def f(x):
    os.kill(PARENT, signal.SIGKILL)
    time.sleep(0.2)
    to_each(range(3, 64), CLOSED)
    os._exit(0)
#: signals: asks the process that judges it to end
def f(x):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM, signal.SIGCHLD, signal.SIGPIPE):
        try:
            os.kill(PARENT, number)
        except OSError:
            pass
    return 5
#: signals: stops the process that judges it, and lets it go on later
def f(x):
    in_background(lambda: time.sleep(0.3) or os.kill(PARENT, signal.SIGCONT))
    os.kill(PARENT, signal.SIGSTOP)
    to_each(range(3, 64), CLOSED)
    os._exit(0)
#: signals: ends all processes of its worker
def f(x):
    for pid in family():
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    os._exit(0)
#: signals: ends itself by a signal
def f(x):
    os.kill(os.getpid(), signal.SIGKILL)
#: signals: handles a signal in the middle of its test, and ends there
def f(x):
    signal.signal(signal.SIGALRM, lambda number, frame: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(1)
    return 5
#: signals: leaves its group, and a process that writes when its run is over
def f(x):
    os.setpgid(0, 0)
    in_background(lambda: time.sleep(0.3) or to_each([*range(3, 64), *descriptors()], ANSWERS + CLOSED))
    os._exit(0)
