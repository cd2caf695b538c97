import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { z } from 'zod'
import type { ImportCandidate } from '../../roles/import-candidates.js'
import type { FindShadowed } from '../../roles/shadowed-name.js'
import { lastLine } from '../../text/last-line.js'
import { parseJson } from '../../text/parse-json.js'
import { findPython } from '../project/find-python.js'
import { interpreterEnvironment } from '../project/interpreter-environment.js'

/**
 * Says what names resolve to without the project. Nothing of the project runs: its folders are taken off the path before anything is imported, and what an
 * editable installation adds is only asked where it would look.
 */
const resolveScript = `
import sys
import os
root = os.path.realpath(sys.argv[1])
prefix = os.path.realpath(sys.prefix)
def is_own(path):
    path = os.path.realpath(path or ".")
    inside = path == root or path.startswith(root + os.sep)
    return inside and not (prefix.startswith(root + os.sep) and path.startswith(prefix + os.sep))
sys.path[:] = [each for each in sys.path if each and not is_own(each)]
import contextlib, importlib.machinery, importlib.util, io, json
candidates = json.loads(sys.argv[2])
standard = set(getattr(sys, "stdlib_module_names", ())) | set(sys.builtin_module_names)

def spec_of(name):
    try:
        return importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None

def is_namespace(spec):
    return spec.origin is None and spec.loader is None or type(spec.loader).__name__ in ("NamespaceLoader", "_NamespaceLoader")

def place(spec):
    return spec.origin or next(iter(spec.submodule_search_locations or ()), "an installed package")

def found_at(parts, is_package):
    """What the name, or a package on its way, is without the project."""
    spec = spec_of(parts[0])
    if spec is None and parts[0] in standard:
        return "the standard library" if len(parts) == 1 else None
    makes = len(parts) == 1
    for at in range(len(parts)):
        if spec is None:
            return None
        makes = at == len(parts) - 1
        if not is_namespace(spec):
            if spec.origin and is_own(spec.origin):
                return None
            # Folders without __init__.py lose to what is installed, a module or package wins.
            return place(spec) if makes else None
        where = [each for each in spec.submodule_search_locations or () if not is_own(each)]
        if not where:
            return None
        if makes:
            return place(spec) if at == len(parts) - 1 else None
        spec = importlib.machinery.PathFinder.find_spec(".".join(parts[: at + 2]), where)
    return None

class Asked:
    """Names that tools ask for although they are not there: whoever adds them runs within the tool."""
    names = set()
    def find_spec(self, name, path=None, target=None):
        self.names.add(name)
        return None

def names_asked_in_vain():
    finders = (importlib.machinery.BuiltinImporter, importlib.machinery.FrozenImporter, importlib.machinery.PathFinder)
    sys.meta_path[:] = [*finders, Asked()]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    os.environ.pop("PYTEST_ADDOPTS", None)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for tool in ("pickle", "copy", "unittest.mock", "doctest", "pdb", "asyncio", "coverage", "setuptools.build_meta", "build"):
            try:
                __import__(tool)
            except BaseException:
                pass
        try:
            import pytest
            pytest.main(["--collect-only", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", sys.argv[3], sys.argv[3]])
        except BaseException:
            pass
    return Asked.names

result = None
for at, candidate in enumerate(candidates):
    was = found_at(candidate["name"], candidate["isPackage"])
    if was is not None:
        result = {"at": at, "was": was}
        break
else:
    unknown = [at for at, candidate in enumerate(candidates) if spec_of(candidate["name"][0]) is None]
    asked = names_asked_in_vain() if unknown else ()
    for at in unknown:
        if candidates[at]["name"][0] in asked:
            result = {"at": at, "was": None}
            break
sys.stdout.write("\\n" + json.dumps(result))
sys.stdout.flush()
os._exit(0)
`

const resolved = z.object({ at: z.int(), was: z.string().nullable() }).nullable()
const timeoutMs = 30_000

export interface ShadowedNamesOptions {
  /** Interpreter as configured; undefined: it is searched for. */
  readonly python: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Returns what asks the project's interpreter which names a file would take over. Throws `python_missing` where there is none to ask. */
export function shadowedNames({ python, env }: ShadowedNamesOptions): FindShadowed {
  return async (root, candidates) => {
    const { executable } = await findPython({ root, configured: python, env })
    const found = await ask(executable, root, candidates, env)
    const candidate = found === null ? undefined : candidates[found.at]
    return candidate === undefined ? undefined : { candidate, was: found?.was ?? undefined }
  }
}

function ask(
  executable: string,
  root: string,
  candidates: readonly ImportCandidate[],
  env: ShadowedNamesOptions['env'],
): Promise<z.output<typeof resolved>> {
  // A folder that Python does not search, and in which there is nothing to collect.
  const args = ['-c', resolveScript, root, JSON.stringify(candidates), '/var/empty']
  const options = {
    cwd: tmpdir(),
    env: { ...interpreterEnvironment(env), PYTHONSAFEPATH: '1' },
    timeout: timeoutMs,
    maxBuffer: 1_000_000,
  }
  return new Promise((resolve, reject) => {
    execFile(executable, args, options, (error, stdout, stderr) => {
      const answer = resolved.safeParse(parseJson(stdout.slice(stdout.lastIndexOf('\n'))))
      if (error === null && answer.success) resolve(answer.data)
      else
        reject(
          new Error(
            `${executable} does not say what it imports: ${lastLine(stderr) || error?.message || ''}`,
          ),
        )
    })
  })
}
