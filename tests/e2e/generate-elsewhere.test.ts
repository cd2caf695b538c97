import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { needsPython } from '../needs.js'
import { findPythonHere } from '../testgen/python-here.js'
import { autotest, removeFolders, scratchFolder } from './sample.js'

afterAll(removeFolders)

const here = findPythonHere()
const python = here === undefined ? [] : ['--python', here.python.executable]

/** Writes tests of all functions of a module, and returns what is said of each and the test file. */
async function generated(files: Readonly<Record<string, string>>) {
  const dir = scratchFolder()
  for (const [path, text] of Object.entries({ 'pyproject.toml': '', ...files })) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  const run = await autotest(dir, ['generate', 'm.py', '--seconds', '0.5', ...python])
  return { ...run, text: readFileSync(join(dir, 'tests/test_m.py'), 'utf8') }
}

const pure = 'def pure(n: int) -> int:\n    return n * 3\n'

/** Functions that pass where they are written, and by what they would fail elsewhere. */
const leaks = [
  ['home', 'n + len(os.path.expanduser("~"))', 'environment variables'],
  ['year', 'n + datetime.date.today().year', 'the clock'],
  ['moment', 'n + datetime.datetime.now().year', 'the clock'],
  ['seconds', 'n + int(time.time() // 10**7)', 'the clock'],
  ['zone', 'n + datetime.datetime.fromtimestamp(0).hour', 'the time zone|environment variables'],
  ['host', 'n + len(socket.gethostname())', 'the name of the host'],
  ['processors', 'n + (os.cpu_count() or 0)', 'the name of the host or the number of its processors'],
  ['depth', 'n + len(os.getcwd())', 'where the project is'],
  ['hashes', 'n + hash("a") % 1000', 'where the project is, or the order of a set'],
  ['few', 'n * 2 + int(list({"a", "b"})[0] == "a")', 'the order of a set'],
] as const

/** Functions that would fail elsewhere if their tests did not arrange what they find. */
const arranged = [
  ['argv', 'len(sys.argv) + n', 'monkeypatch.setattr("sys.argv", ["prog"'],
  ['variables', 'n if "COLUMNS" not in os.environ else -n - 1', 'monkeypatch.setenv("COLUMNS", "'],
  ['here', 'n + os.path.exists("m.py")', 'monkeypatch.chdir(tmp_path)'],
] as const

describe('a test is not written that would fail', needsPython, () => {
  it('elsewhere, at another time or for somebody else, and the reason is said', async () => {
    const imports = 'import datetime\nimport os\nimport socket\nimport sys\nimport time\n'
    const functions = [...leaks, ...arranged].map(
      ([name, value]) => `def ${name}(n: int) -> int:\n    return ${value}\n`,
    )
    const { out, code, text } = await generated({ 'm.py': [imports, ...functions, pure].join('\n\n') })
    for (const [name, , reason] of leaks) {
      const line = out.split('\n').find((each) => each.includes(`m.py::${name}: `))
      expect(line, out).toMatch(new RegExp(`no tests: it depends on (${reason})`))
      expect(text).not.toMatch(new RegExp(`\\b${name}\\(`))
    }
    for (const [name, , line] of arranged) {
      expect(out).toMatch(new RegExp(`m\\.py::${name}: \\d+ tests?, `))
      expect(text).toContain(line)
    }
    // The cost: a function that asks for none of it keeps its tests.
    expect(out).toMatch(/m\.py::pure: \d+ tests/)
    expect(code).toBe(1)
  }, 240_000)

  it('where there is a network, or more rights than in a sandbox', async () => {
    const { out, text } = await generated({
      'm.py': `import os
import socket


def answers(n: int) -> bool:
    try:
        socket.create_connection(("example.com", 80 + n % 2), timeout=1).close()
        return True
    except OSError:
        return False


def stops(n: int) -> None:
    os.kill(1, 0 if n else 1)


def asks(n: int) -> int:
    socket.create_connection(("127.0.0.1", 9), timeout=1)
    return n


${pure}`,
    })
    expect(out).toMatch(/m\.py::answers: no tests: it depends on what the network answers/)
    expect(out).toMatch(/m\.py::asks: no tests: it asks the system for what a sandbox does not have: /)
    expect(out).toMatch(/m\.py::pure: \d+ tests/)
    expect(text).not.toContain('PermissionError')
    expect(text).not.toMatch(/answers\(|asks\(/)
  }, 120_000)

  it('for an input that depends on it, while the others are', async () => {
    const { out, text, code } = await generated({
      'm.py':
        'import datetime\n\n\ndef age(year: int, now: bool = False) -> int:\n    if now:\n        return datetime.date.today().year - year\n    return 2000 - year\n',
    })
    expect(out).toMatch(/m\.py::age: \d+ tests?, /)
    expect(out).toMatch(/left out {2}test_age_\w+: it depends on the clock: assert /)
    expect(text).toMatch(/age\(-?\d+(, False)?\) == /)
    expect(text).not.toContain('True')
    expect(code).toBe(0)
  }, 120_000)

  it('although packages know the classes of time by identity, as pydantic does', async () => {
    const { out, code } = await generated({
      'schema.py': `import datetime

KNOWN = {datetime.datetime: "moment", datetime.date: "day", int: "number"}


def field(annotation):
    if annotation not in KNOWN:
        raise TypeError(f"no schema for {annotation}")
    return KNOWN[annotation]
`,
      'm.py': `from datetime import date, datetime

from schema import field

FIELDS = {name: field(kind) for name, kind in {"at": datetime, "on": date, "count": int}.items()}


def kind_of(name: str) -> str:
    return FIELDS.get(name, "unknown")


def later(at: datetime) -> bool:
    return at > datetime.now()
`,
    })
    expect(out).toMatch(/m\.py::kind_of: \d+ tests?, /)
    expect(code, out).toBe(0)
  }, 120_000)
})
