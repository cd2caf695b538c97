/** The Python with which a project's tests are run. */
export interface PythonInstallation {
  /** The interpreter itself, never a shim in front of it. */
  readonly executable: string
  /** `3.11.7`. */
  readonly version: string
  /** The version of pytest; undefined if it is not installed. */
  readonly pytest: string | undefined
  /** Why this one was chosen: `tests.python`, `VIRTUAL_ENV`, `.venv`, `PATH`. */
  readonly source: string
  /** Interpreters of the project that were not started before it, and why. */
  readonly passedOver: readonly string[]
  /** Folders that the interpreter reads its own files and its packages from, absolute. */
  readonly folders: readonly string[]
}
