/** Variables that an interpreter, or its shim, needs to find its files and to choose an encoding. */
const kept =
  /^(?:PATH|HOME|USER|LANG|LC_\w+|TMPDIR|TZ|VIRTUAL_ENV|(?:LD|DYLD)_LIBRARY_PATH|SYSTEMROOT|PYTHON\w+|(?:PYENV|ASDF|MISE|CONDA)_\w+)$/i

/** Returns the environment for an interpreter that only describes itself: it may come with the project, so it gets no keys. */
export function interpreterEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && kept.test(name) ? [[name, value] as const] : [],
  )
  return { ...Object.fromEntries(variables), PYTHONDONTWRITEBYTECODE: '1' }
}
