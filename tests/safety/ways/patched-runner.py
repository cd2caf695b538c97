# Ways by which a function under test tries to make a failing test pass within its own process. `#: kind: what it does` starts a section, of which
# `detected` are noticed, and `named` are not: docs/threat-model.md names them. `f(2)` is to be 4, and is 5.
#: preamble
import builtins, gc, os, sys

def frames():
    frame = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back

def found(name):
    return next(each for each in gc.get_objects() if type(each).__name__ == name)

def g(x):
    return x + 1
#: detected: makes calls of tests without their exceptions
from _pytest import runner
make = runner.CallInfo.from_call.__func__
def without(cls, *args, **kwargs):
    info = make(cls, *args, **kwargs)
    if info.when == "call":
        info.excinfo = None
    return info
runner.CallInfo.from_call = classmethod(without)
def f(x):
    return 5
#: detected: makes reports of tests that pass
from _pytest import reports
make = reports.TestReport.from_item_and_call.__func__
def passed(cls, item, call):
    report = make(cls, item, call)
    report.outcome, report.longrepr = "passed", None
    return report
reports.TestReport.from_item_and_call = classmethod(passed)
def f(x):
    return 5
#: detected: makes a report pass in the middle of its own test
def f(x):
    from _pytest import reports
    make = reports.TestReport.from_item_and_call.__func__
    def passed(cls, item, call):
        reports.TestReport.from_item_and_call = classmethod(make)
        report = make(cls, item, call)
        report.outcome, report.longrepr = "passed", None
        return report
    reports.TestReport.from_item_and_call = classmethod(passed)
    return 5
#: detected: changes the code of a function of pytest
from _pytest import runner
def check_interactive_exception(call, report):
    return False
runner.check_interactive_exception.__code__ = check_interactive_exception.__code__
def f(x):
    return 5
#: detected: runs no tests at all
from _pytest.python import Function
Function.runtest = lambda self: None
def f(x):
    return 5
#: detected: registers a plugin by which all reports pass
class Passed:
    def pytest_runtest_logreport(self, report):
        report.outcome = "passed"
def f(x):
    found("PytestPluginManager").register(Passed())
    return 5
#: detected: registers a plugin that runs tests in its way
class Runs:
    def pytest_pyfunc_call(self, pyfuncitem):
        return True
found("PytestPluginManager").register(Runs())
def f(x):
    return 5
#: detected: lets the functions that call hooks drop exceptions
import pluggy._callers as callers, pluggy._manager as manager
def f(x):
    return 5
plain = manager.PluginManager._hookexec
def silent(self, name, methods, kwargs, first):
    try:
        return plain(self, name, methods, kwargs, first)
    except AssertionError:
        return True
manager.PluginManager._hookexec = silent
found("PytestPluginManager")._inner_hookexec = lambda name, methods, kwargs, first: True if name == "pytest_runtest_call" else callers._multicall(name, methods, kwargs, first)
#: detected: has another error in the place of a failed assertion
class Quiet(BaseException):
    pass
builtins.AssertionError = Quiet
def f(x):
    return 5
#: detected: takes the tests that are to come out of the session
def g(x):
    items = found("Session").items
    del items[[item.name for item in items].index("test_g") + 1 :]
    items.append(items[0])
    return x + 1
def f(x):
    return 5
#: detected: stops the session before a test
def f(x):
    found("Session").shouldstop = "done"
    return 5
#: detected: replaces the test that is to come
def g(x):
    for frame in frames():
        item = frame.f_locals.get("nextitem")
        if item is not None:
            item.obj = lambda: None
    return x + 1
def f(x):
    return 5
#: detected: rewrites assertions to nothing
from _pytest.assertion import rewrite
rewrite.AssertionRewriter.visit_Assert = lambda self, node: []
def f(x):
    return 5
#: detected: calls the hook of reports itself, and ends the process
def f(x):
    reporter = found("Reporter")
    reporter.tests["tests/test_m.py::test_f"] = {"test": "tests/test_m.py::test_f", "outcome": "passed", "message": None, "line": None, "ms": 1.0}
    os._exit(0)
#: detected: replaces methods of what collects results
def f(x):
    type(found("Reporter"))._compare = lambda self, report: None
    return 5
#: detected: finds what collects results, and says that the test passed
def f(x):
    reporter = found("Reporter")
    class Kept(dict):
        def __setitem__(self, key, value):
            dict.__setitem__(self, key, "passed" if key == "outcome" else value)
    reporter.tests["tests/test_m.py::test_f"] = Kept(test="tests/test_m.py::test_f", outcome="passed", message=None, line=None, ms=1.0)
    return 5
#: named: jumps over the assertion of its own test
def f(x):
    test = next(frame for frame in frames() if frame.f_code.co_name == "test_f")
    def trace(frame, event, argument):
        if event == "line" and frame is test:
            frame.f_lineno = frame.f_lineno
        return trace
    last = max(line for _, _, line in test.f_code.co_lines() if line)
    def jump(frame, event, argument):
        sys.settrace(None)
        frame.f_lineno = last
        return None
    test.f_trace = jump
    sys.settrace(lambda *rest: None)
    return 4
#: named: returns an object that is equal to everything
class Equal:
    def __eq__(self, other):
        return True
def f(x):
    return Equal()
#: named: replaces its test when the file of it has been imported
def swap(frame, event, argument):
    if event == "return":
        sys.settrace(None)
        frame.f_globals["test_f"].__code__ = (lambda: None).__code__
    return swap
for importing in frames():
    if importing.f_globals.get("__name__") == "test_m":
        importing.f_trace = swap
        sys.settrace(lambda *rest: None)
def f(x):
    return 5
#: named: finds the key of its process and reports in the place of the runner
def f(x):
    import hmac, json, struct
    from autotest_worker import children
    frame = next(each for each in frames() if each.f_code.co_name == "start_child")
    key, writer = bytes(frame.f_locals["key"]), frame.f_locals["writer"]
    controls = found("ControlTests")
    test = {"test": "tests/test_m.py::test_f", "outcome": "passed", "message": None, "line": None, "ms": 1.0}
    witness = {"contradiction": None, "has_run": True, "without_result": [], "seen": [controls._value]}
    witness["controls"] = {controls._failing: ["failed", controls._message], controls._passing: ["passed", None]}
    report = json.dumps({"result": {"exit_code": 0, "tests": [test], "errors": [], "ms": 1.0, "witness": witness}}).encode()
    os.write(writer, children._closed(report, key))
    os._exit(0)
#: named: finds what collects results, and changes all that it noted
def f(x):
    reporter = found("Reporter")
    class Nothing(dict):
        def __setitem__(self, key, value):
            dict.__setitem__(self, key, None)
    class Kept(dict):
        def __setitem__(self, key, value):
            dict.__setitem__(self, key, "passed" if key == "outcome" else value)
    reporter._raised = Nothing(reporter._raised)
    reporter._compare = lambda report: None
    reporter.tests["tests/test_m.py::test_f"] = Kept(test="tests/test_m.py::test_f", outcome="passed", message=None, line=None, ms=1.0)
    return 5
