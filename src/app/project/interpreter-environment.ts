/** What says where an interpreter, or the shim in front of it, finds its files, and in what letters it prints. */
const kept =
  /^(?:PATH|HOME|USER|LANG|LC_\w+|TMPDIR|TZ|VIRTUAL_ENV|(?:LD|DYLD)_LIBRARY_PATH|SYSTEMROOT|PYTHON\w+|(?:PYENV|ASDF|MISE|CONDA)_\w+)$/i

/** Returns what an interpreter is told of the user's environment that is only asked about itself: it may be one that came with the project, and no key is for it. */
export function interpreterEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const told = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && kept.test(name) ? [[name, value] as const] : [],
  )
  return { ...Object.fromEntries(told), PYTHONDONTWRITEBYTECODE: '1' }
}
