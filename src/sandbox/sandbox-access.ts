/** A folder that is seen in place of another; both absolute, and there. */
export interface PlacedFolder {
  readonly folder: string
  readonly at: string
  readonly readOnly?: boolean | undefined
}

/** What a program and all that it starts may take of the machine. */
export interface SandboxLimits {
  /** Memory that a process writes to, in bytes. */
  readonly memoryBytes: number
  /** Size of a file that is written, in bytes. */
  readonly fileBytes: number
  /** Processes that are there at a time. */
  readonly processes: number
}

export const defaultLimits: SandboxLimits = {
  memoryBytes: 4 * 1024 ** 3,
  fileBytes: 256 * 1024 ** 2,
  processes: 512,
}

/** What a program in the sandbox may reach. */
export interface SandboxAccess {
  /** The folder that it starts in, and may read, absolute. */
  readonly workspace: string
  /** Folders in the workspace that it may write to, absolute, and which exist; absent: all of it. */
  readonly writable?: readonly string[] | undefined
  /** Folders that are seen, and written to, in place of others; only where the sandbox can: `placesFolders`. */
  readonly placed?: readonly PlacedFolder[] | undefined
  /** Where the program starts; absent: in the workspace. */
  readonly cwd?: string | undefined
  /** A folder for its temporary files, absolute, which exists. */
  readonly temporary: string
  /** Files and folders that it may read, absolute. */
  readonly readable: readonly string[]
  /** Absent: `defaultLimits`. */
  readonly limits?: SandboxLimits | undefined
}

/** The Python that starts what runs in a sandbox, and with which a sandbox is tried. */
export interface SandboxPython {
  /** Absolute path of the interpreter. */
  readonly executable: string
  /** Folders that it reads its own files from, absolute. */
  readonly folders: readonly string[]
}

/** A way to run a program so that it reaches nothing but its workspace. */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'namespaces' | 'landlock' | 'sandbox-exec' | 'none'
  /** Whether a folder can be seen in place of another one. */
  readonly placesFolders: boolean
  /** What is in force, in words; of a sandbox that was tried, what held. */
  readonly description: string
  /** What a program in it may do nevertheless, in words. */
  readonly open: readonly string[]
  /**
   * Returns the command line that runs a command within it: a session of its own, no descriptors but the standard three, its limits held, and nothing left
   * behind when it ends. Its program is an absolute path.
   */
  wrap(command: readonly string[], access: SandboxAccess): readonly string[]
  /** Returns environment variables that the command needs in it. */
  environment(access: SandboxAccess): Readonly<Record<string, string>>
}
