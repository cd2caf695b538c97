/** A command as the first screen lists it. */
interface ListedCommand {
  readonly name: string
  /** One line, without the name. */
  readonly purpose: string
}

/** Commands about one subject, at most eight. */
export interface CommandGroup {
  /** What `autotest help` calls it. */
  readonly topic: string
  readonly title: string
  readonly commands: readonly ListedCommand[]
}

/** Every command, by subject, in the order in which a new user needs them. */
export const commandGroups: readonly CommandGroup[] = [
  {
    topic: 'evaluate',
    title: 'Evaluate',
    commands: [
      { name: 'init', purpose: 'configuration and first benchmark for a folder' },
      { name: 'demo', purpose: 'run and repair a scratch copy of the sample' },
      { name: 'doctor', purpose: 'check this machine and project before a run' },
      { name: 'compare', purpose: 'compare two queries and explain the verdict' },
      { name: 'audit', purpose: 'check the quality of the benchmark' },
    ],
  },
  {
    topic: 'repair',
    title: 'Repair',
    commands: [
      { name: 'apply', purpose: 'write repairs of a dry run, or a held one' },
      { name: 'revert', purpose: 'restore the exact bytes from before repairs' },
      { name: 'reject', purpose: 'record that a repair is not wanted' },
      { name: 'decisions', purpose: 'rejected repairs: list, forget' },
      { name: 'gates', purpose: 'decisions that wait for a person: list, answer' },
    ],
  },
  {
    topic: 'knowledge',
    title: 'Knowledge',
    commands: [
      { name: 'check', purpose: 'check knowledge of any format: queries, links' },
      { name: 'kb', purpose: 'check the knowledge base' },
      { name: 'agent', purpose: 'model definitions: check, export' },
    ],
  },
  {
    topic: 'python',
    title: 'Python',
    commands: [
      { name: 'generate', purpose: 'write unit tests for Python functions' },
      { name: 'mutants', purpose: 'changes that the tests of a function miss' },
      { name: 'registry', purpose: 'which tests belong to which function' },
      { name: 'tdd', purpose: 'build a task: tests first, then code' },
    ],
  },
  {
    topic: 'agents',
    title: 'Agents and editors',
    commands: [
      { name: 'mcp', purpose: 'serve the project to agents' },
      { name: 'serve', purpose: 'answer the requests of an editor' },
      { name: 'roles', purpose: 'what each role of agents may write' },
      { name: 'sandbox', purpose: 'run a command with the rights of a role' },
      { name: 'guard', purpose: 'answer whether a role may use a tool' },
    ],
  },
  {
    topic: 'history',
    title: 'History',
    commands: [
      { name: 'runs', purpose: 'earlier runs: list, show, diff, prune' },
      { name: 'why', purpose: 'history of a case' },
      { name: 'report', purpose: 'a page about a run' },
      { name: 'merge', purpose: 'make one run of the parts of --shard' },
    ],
  },
]
