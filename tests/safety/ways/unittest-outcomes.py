# Ways by which code under test tries to have what became of its own test noted otherwise, where a test is one of unittest, or by what pytest holds for a test
# only. `#: kind: what it does` starts a section. `before()` is called by setUp, `after()` by tearDown and is to be 0, `f(2)` is to be 4.
#: preamble
import contextlib, gc, sys

def frames():
    frame = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back

def found(name):
    return next(each for each in gc.get_objects() if type(each).__name__ == name)

def test_case():
    return next(frame.f_locals["self"] for frame in frames() if hasattr(frame.f_locals.get("self"), "_outcome"))

def test_item():
    return next(frame.f_locals["item"] for frame in frames() if "item" in frame.f_locals)

def before():
    return 0

def after():
    return 0

def f(x):
    return 5
#: detected: says in the test that its failure is expected
def f(x):
    test_case()._outcome.expecting_failure = True
    return 5
#: detected: says it before the test
def before():
    outcome = test_case()._outcome
    class Expecting(type(outcome)):
        expecting_failure = property(lambda self: True, lambda self, value: None)
    outcome.__class__ = Expecting
#: detected: says it in tearDown
def f(x):
    return 4
def after():
    test_case()._outcome.expecting_failure = True
    return 1
#: detected: says it in a cleanup
def f(x):
    case = test_case()
    def clean():
        case._outcome.expecting_failure = True
        case.assertEqual(1, 2)
    case.addCleanup(clean)
    return 4
#: detected: has another result in the place of that of the test
def f(x):
    class Nothing:
        def __getattr__(self, name):
            return lambda *rest: None
    test_case()._outcome.result = Nothing()
    return 5
#: detected: lets the test's item take no failures
def f(x):
    test_case()._outcome.result.addFailure = lambda *rest: None
    return 5
#: detected: lets the test's item note no failures
def f(x):
    class Nothing(list):
        def append(self, each):
            pass
    test_case()._outcome.result._excinfo = Nothing()
    return 5
#: detected: takes away the noted failure when all is done
def f(x):
    case = test_case()
    item = case._outcome.result
    case.addCleanup(lambda: item._excinfo.clear())
    return 5
#: prevented: replaces what runs the parts of a test
def before():
    @contextlib.contextmanager
    def silent(case, *rest, **named):
        with contextlib.suppress(BaseException):
            yield
    test_case()._outcome.testPartExecutor = silent
#: detected: replaces how the test is called
def before():
    test_case()._callTestMethod = lambda method: None
#: detected: replaces the class that notes outcomes
import unittest.case
class Silent(unittest.case._Outcome):
    @contextlib.contextmanager
    def testPartExecutor(self, case, *rest, **named):
        with contextlib.suppress(BaseException):
            yield
unittest.case._Outcome = Silent
#: detected: replaces it for one test
import unittest.case
class Silent(unittest.case._Outcome):
    def __init__(self, *rest):
        super().__init__(*rest)
        unittest.case._Outcome = Silent.__mro__[1]
    @contextlib.contextmanager
    def testPartExecutor(self, case, *rest, **named):
        with contextlib.suppress(BaseException):
            yield
def g(x):
    unittest.case._Outcome = Silent
    return x + 1
#: detected: lets the item of the next test run nothing
def g(x):
    for frame in frames():
        item = frame.f_locals.get("nextitem")
        if item is not None:
            item.runtest = lambda item=item: vars(item).pop("runtest")
    return x + 1
#: detected: empties the hook that calls tests for one of them
def g(x):
    impls = found("Session").config.hook.pytest_pyfunc_call._hookimpls
    kept = list(impls)
    item = next(frame.f_locals["nextitem"] for frame in frames() if frame.f_locals.get("nextitem") is not None)
    hook = item.ihook.pytest_pyfunc_call
    class Once(list):
        def copy(self):
            hook._hookimpls = kept
            return []
    hook._hookimpls = Once()
    return x + 1
#: detected: lets the next hook swallow one exception
def g(x):
    manager = found("PytestPluginManager")
    plain = manager._inner_hookexec
    def once(name, methods, kwargs, first):
        if name != "pytest_pyfunc_call":
            return plain(name, methods, kwargs, first)
        manager._inner_hookexec = plain
        with contextlib.suppress(AssertionError):
            return plain(name, methods, kwargs, first)
        return True
    manager._inner_hookexec = once
    return x + 1
#: detected: has the report say that the test passed unexpectedly
def f(x):
    frame = next(frame for frame in frames() if frame.f_code.co_name == "call_and_report")
    def trace(frame, event, argument):
        report = frame.f_locals.get("rep", frame.f_locals.get("report"))
        if report is not None:
            report.outcome, report.wasxfail, report.longrepr = "passed", "", None
        return trace
    frame.f_trace = trace
    sys.settrace(lambda *rest: None)
    return 5
