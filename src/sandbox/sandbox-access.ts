/** A folder that is seen in place of another; both absolute, and there. */
export interface PlacedFolder {
  readonly folder: string
  readonly at: string
  readonly readOnly?: boolean | undefined
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
}

/** A way to run a program so that it reaches nothing but its workspace. */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'landlock without network' | 'landlock' | 'sandbox-exec' | 'none'
  /** Whether processes in it are counted apart from the user's others. */
  readonly hasOwnUserNamespace: boolean
  /** Whether a folder can be seen in place of another one. */
  readonly placesFolders: boolean
  /** What is in force, in words. */
  readonly description: string
  /** Returns the command line that runs a command within it. */
  wrap(command: readonly string[], access: SandboxAccess): readonly string[]
  /** Returns environment variables by which the worker restricts itself. */
  environment(access: SandboxAccess): Readonly<Record<string, string>>
}
