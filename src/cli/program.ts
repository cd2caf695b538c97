import { readFileSync } from 'node:fs'
import yargs, { type Argv } from 'yargs'
import { type ExitCode, exitCodeOf } from '../app/exit-code.js'
import { packageRoot } from '../platform/built-module.js'
import { sqliteInstaller } from '../platform/sqlite-driver.js'
import { createRedactor } from '../text/secrets.js'
import type { CommandContext } from './command-context.js'
import { type CompareFlags, compareFlags, withJoinedValues } from './compare/flags.js'
import { type DoctorFlags, doctorEpilogue, doctorFlags } from './doctor/flags.js'
import {
  type AuditFlags,
  auditFlags,
  demoFlags,
  type KbCheckFlags,
  kbCheckFlags,
  projectFlags,
  type RunFlags,
  runFlags,
} from './flags.js'
import { applyFlags, revertFlags, showFlags, storeFlags } from './store-flags.js'
import { type Terminal, withRedaction } from './terminal.js'
import { checkValues, usageError } from './usage-error.js'

type Command<Flags> = (flags: Flags, context: CommandContext) => Promise<ExitCode>

const helpWidth = 100
const runName = { type: 'string', describe: 'id of a run, the start of one, or last' } as const

/** Parses the command line, runs one command, and turns whatever ended it into an exit code and a reason. */
export async function runProgram(given: readonly string[], shown: Terminal): Promise<ExitCode> {
  const terminal = withRedaction(shown, createRedactor(process.env))
  const args = given[0] === 'compare' ? withJoinedValues(given) : given
  const verbose = args.includes('--verbose')
  const interrupt = new AbortController()
  const onInterrupt = (): void => {
    // The second Ctrl-C does not wait for the write under way.
    if (interrupt.signal.aborted) process.exit(130)
    interrupt.abort()
  }
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onInterrupt)
  let code: ExitCode = 0
  const run =
    <Flags>(load: () => Promise<Command<Flags>>) =>
    async (flags: Readonly<Record<string, unknown>>): Promise<void> => {
      checkValues(flags, args)
      // What is missing is just what doctor is to say.
      const installer = args[0] === 'doctor' ? undefined : sqliteInstaller()
      if (installer !== undefined) {
        const { installSqlite } = await import('./install-sqlite.js')
        code = await installSqlite(installer, interrupt.signal)
        if (code !== 0) return
      }
      const command = await load()
      const context = {
        terminal,
        cwd: process.cwd(),
        env: process.env,
        signal: interrupt.signal,
        now: () => new Date(),
      }
      code = await command(flags as Flags, context)
    }
  try {
    const parser = declareCommands(run, args).exitProcess(false)
    let help = ''
    await parser.parse([...args], (_error: Error | undefined, _argv: unknown, output: string) => {
      help = output
    })
    if (help !== '') terminal.out(help)
  } catch (error) {
    const { renderError } = await import('./render-error.js')
    terminal.err(renderError(error, { color: terminal.color, verbose }))
    code = exitCodeOf(error)
  } finally {
    process.off('SIGINT', onInterrupt)
    process.off('SIGTERM', onInterrupt)
  }
  return code
}

type Run = <Flags>(
  load: () => Promise<Command<Flags>>,
) => (flags: Readonly<Record<string, unknown>>) => Promise<void>

function declareCommands(run: Run, args: readonly string[]): Argv {
  const parser = yargs()
    .scriptName('autotest')
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'parse-positional-numbers': false,
    })
    .usage(
      '$0 [flags]\n\nRuns the benchmark, explains what fails, repairs what the agent knows, proves the repair, offers a commit.',
    )
    .command(
      '$0',
      false,
      (command) => command.options(runFlags),
      run<RunFlags>(async () => (await import('./commands/run.js')).runCommand),
    )
    .command(
      'demo',
      'a scratch copy of the sample project, drifted and repaired before your eyes',
      (command) => command.options(demoFlags),
      run<{ dir?: string }>(async () => (await import('./commands/demo.js')).demoCommand),
    )
    .command(
      'compare [case]',
      'why two queries count as equal or not: a case of the last run, two texts, or many pairs',
      (command) =>
        command
          .positional('case', { type: 'string', describe: 'a case of the last run, as it was answered' })
          .options(compareFlags)
          .epilogue(
            'Exit codes: 0 it passes · 1 it does not · 2 usage or configuration · 3 the database failed · 130 interrupted. With --jsonl a line tells its own verdict or error, and the code is 0 once all lines have their answers.',
          ),
      run<CompareFlags>(async () => (await import('./commands/compare.js')).compareCommand),
    )
    .command(
      'audit',
      'how good the benchmark is: what it would not notice, what contradicts, what nothing reads',
      (command) => command.options(auditFlags),
      run<AuditFlags>(async () => (await import('./commands/audit.js')).auditCommand),
    )
    .command(
      'doctor',
      'what is wrong with this machine and project before anything runs, and what mends it',
      (command) =>
        command
          .options(doctorFlags)
          .example('$0 doctor', 'every check; asks no model')
          .example(
            '$0 doctor --call',
            'also ask each model once: how long it takes, or why it does not answer',
          )
          .example('$0 doctor --json', 'for programs, as a gate in CI')
          .epilogue(doctorEpilogue),
      run<DoctorFlags>(async () => (await import('./commands/doctor.js')).doctorCommand),
    )
    .command('kb', 'the knowledge base: check', (command) =>
      command
        .command(
          'check',
          'what is wrong with the knowledge base before anything is asked: entries, words, queries, notes',
          (sub) => sub.options(kbCheckFlags),
          run<KbCheckFlags>(async () => (await import('./commands/kb-check.js')).kbCheckCommand),
        )
        .demandCommand(1),
    )
    .command('agent', 'the definitions of models: agent check', (command) =>
      command.command(
        ['check', '$0'],
        'what is wrong with the definitions in the agents folder, before anything runs',
        (check) => check.options(projectFlags),
        run<{ config?: string }>(async () => (await import('./commands/agent-check.js')).agentCheckCommand),
      ),
    )
    .command('runs', 'earlier runs: list, show, diff', (command) =>
      command
        .command(
          ['list', '$0'],
          'the latest runs',
          withStore,
          run(async () => (await import('./commands/runs.js')).listCommand),
        )
        .command(
          'show <run>',
          'one run in full',
          (sub) => sub.positional('run', runName).options(showFlags),
          run(async () => (await import('./commands/runs.js')).showCommand),
        )
        .command(
          'diff <a> <b>',
          'which cases changed verdict between two runs',
          (sub) => withStore(sub.positional('a', runName).positional('b', runName)),
          run(async () => (await import('./commands/runs.js')).diffCommand),
        ),
    )
    .command(
      'why <case>',
      'the story of a case: what became of it in each run, what changed, which repairs were about it',
      (command) => withStore(command.positional('case', { type: 'string', describe: 'id of a case' })),
      run(async () => (await import('./commands/why.js')).whyCommand),
    )
    .command(
      'apply <plan>',
      'write the repairs of a dry run (its id, or its plan.json)',
      (command) =>
        command
          .positional('plan', { type: 'string', describe: 'id of the dry run, or its plan.json' })
          .options(applyFlags),
      run(async () => (await import('./commands/apply.js')).applyCommand),
    )
    .command(
      'revert <run>',
      'restore the exact bytes from before the repairs of a run, or from before one of them',
      (command) => command.positional('run', runName).options(revertFlags),
      run(async () => (await import('./commands/revert.js')).revertCommand),
    )
    .example('$0', 'run, repair, ask whether to commit')
    .example('$0 --tags dau --max-retries 3', 'only cases tagged dau')
    .example('$0 --dry-run', 'verified repair plans, nothing written')
    .example('$0 --no-repair -o out.xml', 'measure only, with a JUnit report for CI')
    .example('$0 --last-failed', 'only what did not pass last time')
    .example('$0 runs diff r-51c0 last', 'what changed since')
    .epilogue(
      'Exit codes: 0 all passed or repaired and settled · 1 failed, flaky, unproven or repairs pending · 2 usage or configuration · 3 infrastructure · 4 budget · 5 no case matched · 130 interrupted',
    )
    .version(version())
    .help()
    .strict()
    .wrap(Math.min(helpWidth, process.stdout.columns ?? helpWidth))
  return parser.fail((message, error) => {
    // A flag without its value comes as an error of the parser, everything else it minds as a message.
    if (error !== undefined && error.name !== 'YError') throw error
    throw usageError(error?.message ?? message, args)
  })
}

function withStore(command: Argv): Argv {
  return command.options(storeFlags)
}

function version(): string {
  const text = readFileSync(`${packageRoot}package.json`, 'utf8')
  const found = /"version":\s*"([^"]+)"/.exec(text)?.[1]
  return found ?? 'unknown'
}
