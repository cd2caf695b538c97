import { readFileSync } from 'node:fs'
import yargs, { type Argv } from 'yargs'
import { exitCodeOf } from '../app/exit-code.js'
import { packageRoot } from '../platform/built-module.js'
import { sqliteInstaller } from '../platform/sqlite-driver.js'
import { createRedactor } from '../text/secrets.js'
import { agentExportFlags } from './agent-flags.js'
import type { Command, RunCommand } from './command-context.js'
import type { AgentExportFlags } from './commands/agent-export.js'
import type { InitFlags } from './commands/init.js'
import { type CompareFlags, compareFlags, withJoinedValues } from './compare/flags.js'
import { demoFlags } from './demo-flags.js'
import { type DoctorFlags, doctorEpilogue, doctorFlags } from './doctor/flags.js'
import { type AuditFlags, auditFlags, projectFlags, type RunFlags, runFlags } from './flags.js'
import { declareGuardCommands } from './guard-commands.js'
import { firstScreen } from './help/first-screen.js'
import { helpRequest } from './help/help-request.js'
import { groupHelp, runHelp } from './help/reflow-help.js'
import { initFlags } from './init-flags.js'
import { listenToInterrupts } from './interrupt.js'
import { type KbCheckFlags, kbCheckFlags } from './kb-check-flags.js'
import { declareRunsCommands, runName } from './runs-commands.js'
import { applyFlags, decisionsFlags, rejectFlags, revertFlags, whyFlags } from './store-flags.js'
import { declareTddCommands } from './tdd-commands.js'
import { type Terminal, withSafeOutput } from './terminal.js'
import { declareTestgenCommands } from './testgen-commands.js'
import { checkValues, usageError } from './usage-error.js'
import { withWaitingStatus } from './waiting-status.js'

/** What starting a program fails with when the system has no more of something. */
const exhausted: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])

/**
 * Ignores that a program could not be started, which a library reports twice: whoever started it has the failure
 * already. Any other error that nobody expects ends the program as without this handler.
 */
function ignoreFailedStart(error: NodeJS.ErrnoException): void {
  if (error.syscall?.startsWith('spawn') === true && exhausted.has(error.code)) return
  process.off('uncaughtException', ignoreFailedStart)
  setImmediate(() => {
    throw error
  })
}

/** Parses the command line, runs one command, and turns any error into an exit code and a reason. */
export async function runProgram(given: readonly string[], shown: Terminal): Promise<number> {
  const safe = withSafeOutput(shown, createRedactor(process.env))
  const { terminal, end: endWaiting } = withWaitingStatus(safe, given[0])
  const joined = given[0] === 'compare' ? withJoinedValues(given) : given
  const args = joined[0] === 'help' && joined.length > 1 ? [...joined.slice(1), '--help'] : joined
  const verbose = args.includes('--verbose')
  const interrupt = listenToInterrupts()
  process.on('uncaughtException', ignoreFailedStart)
  let code: number = 0
  const run =
    <Flags>(load: () => Promise<Command<Flags>>) =>
    async (flags: Readonly<Record<string, unknown>>): Promise<void> => {
      checkValues(flags, args)
      // `doctor` itself reports what is missing.
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
    const asked = helpRequest(joined)
    if (asked?.kind === 'first_screen') {
      terminal.out(firstScreen(terminal.width))
      return code
    }
    const parsed = asked === undefined || asked.kind === 'command' ? args : ['--help']
    const parser = declareCommands(run, args).exitProcess(false)
    let help = ''
    await parser.parse([...parsed], (_error: Error | undefined, _argv: unknown, output: string) => {
      help = output
    })
    if (help === '') return code
    if (asked?.kind === 'group') terminal.out(groupHelp(help, asked.group, terminal.width))
    else terminal.out(runHelp(help, terminal.width))
  } catch (thrown) {
    const error = interrupt.causeOf(thrown)
    const { renderError } = await import('./render-error.js')
    terminal.err(renderError(error, { color: terminal.color, verbose }))
    code = exitCodeOf(error)
  } finally {
    endWaiting()
    process.off('uncaughtException', ignoreFailedStart)
    interrupt.stopListening()
  }
  return code
}

/** Returns the parser of command lines; what a command does is passed to `run`. */
export function declareCommands(run: RunCommand, args: readonly string[]): Argv {
  const parser = yargs()
    .scriptName('autotest')
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'parse-positional-numbers': false,
    })
    .usage(
      '$0 [flags]\n\nRuns the benchmark, explains failures, repairs the knowledge base, verifies each repair, offers a commit.',
    )
    .command(
      '$0',
      false,
      (command) => command.options(runFlags),
      run<RunFlags>(async () => (await import('./commands/run.js')).runCommand),
    )
    .command(
      'init',
      'write a configuration and a first benchmark for what a folder has, and run once',
      (command) => command.options(initFlags),
      run<InitFlags>(async () => (await import('./commands/init.js')).initCommand),
    )
    .command(
      'demo',
      'run and repair a scratch copy of the sample project',
      (command) => command.options(demoFlags),
      run<{ dir?: string; domain?: 'sql' | 'tests' }>(
        async () => (await import('./commands/demo.js')).demoCommand,
      ),
    )
    .command(
      'compare [case]',
      'compare two queries and explain the verdict: a case of the last run, two queries, or many pairs',
      (command) =>
        command
          .positional('case', { type: 'string', describe: 'id of a case of the last run' })
          .options(compareFlags)
          .epilogue(
            'Exit codes: 0 it passes · 1 it does not · 2 usage or configuration · 3 the database failed · 130 interrupted. With --jsonl each output line has its own verdict or error, and the exit code is 0 once every line has one.',
          ),
      run<CompareFlags>(async () => (await import('./commands/compare.js')).compareCommand),
    )
    .command(
      'audit',
      'check the quality of the benchmark: undetected mutants, contradictions, unused knowledge',
      (command) => command.options(auditFlags),
      run<AuditFlags>(async () => (await import('./commands/audit.js')).auditCommand),
    )
    .command(
      'doctor',
      'check this machine and project before a run, and show how to fix problems',
      (command) =>
        command
          .options(doctorFlags)
          .example('$0 doctor', 'every check; calls no model')
          .example('$0 doctor --call', 'also call each model once: response time, or why it does not answer')
          .example('$0 doctor --json', 'JSON output, for CI')
          .epilogue(doctorEpilogue),
      run<DoctorFlags>(async () => (await import('./commands/doctor.js')).doctorCommand),
    )
    .command(
      'check [files..]',
      'check knowledge without a benchmark: every query, pair and link, against the database or a catalogue',
      (command) =>
        command
          .positional('files', {
            type: 'string',
            array: true,
            describe: 'files and folders; absent: the knowledge that the configuration names',
          })
          .options(kbCheckFlags)
          .epilogue(
            'Writes only the file of --save-catalogue. Exit codes: 0 no error · 1 errors · 2 usage or configuration · 3 the database failed',
          ),
      run<KbCheckFlags>(async () => (await import('./commands/kb-check.js')).kbCheckCommand),
    )
    .command('kb', 'knowledge base: check', (command) =>
      command
        .command(
          'check [files..]',
          'check the knowledge base: entries, aliases, queries, notes; the same as `autotest check`',
          (sub) =>
            sub
              .positional('files', {
                type: 'string',
                array: true,
                describe: 'files and folders; absent: all',
              })
              .options(kbCheckFlags),
          run<KbCheckFlags>(async () => (await import('./commands/kb-check.js')).kbCheckCommand),
        )
        .demandCommand(1),
    )
    .command('agent', 'model definitions: check, export', (command) =>
      command
        .command(
          ['check', '$0'],
          'check the model definitions in the agents folder',
          (check) => check.options(projectFlags),
          run<{ config?: string }>(async () => (await import('./commands/agent-check.js')).agentCheckCommand),
        )
        .command(
          'export',
          'write roles with their hook, rules and guidelines as coding agents read them; what a person wrote stays',
          (command) => command.options(agentExportFlags),
          run<AgentExportFlags>(async () => (await import('./commands/agent-export.js')).agentExportCommand),
        ),
    )
    .command(
      'why <case>',
      'history of a case: its outcome in each run, what changed, its repairs',
      (command) =>
        command
          .options(whyFlags)
          .positional('case', { type: 'string', demandOption: true, describe: 'id of a case' }),
      run<{ case: string; trace?: boolean }>(async () => (await import('./commands/why.js')).whyCommand),
    )
    .command(
      'apply <plan>',
      'write the repairs of a dry run, or one that a run holds',
      (command) =>
        command
          .positional('plan', {
            type: 'string',
            describe: 'id of the run, or the plan.json file of a dry run',
          })
          .options(applyFlags),
      run(async () => (await import('./commands/apply.js')).applyCommand),
    )
    .command(
      'revert <run>',
      'restore the exact bytes from before all repairs of a run, or from before one repair',
      (command) => command.positional('run', runName).options(revertFlags),
      run(async () => (await import('./commands/revert.js')).revertCommand),
    )
    .command(
      'reject <run>',
      'record that repairs of a run are not wanted: later runs do not propose them again',
      (command) => command.positional('run', runName).options(rejectFlags),
      run(async () => (await import('./commands/reject.js')).rejectCommand),
    )
    .command('decisions', 'rejected repairs: list, forget', (command) =>
      command
        .command(
          ['list', '$0'],
          'the repairs that people rejected, and why',
          (sub) => sub.options(decisionsFlags),
          run(async () => (await import('./commands/decisions.js')).listDecisionsCommand),
        )
        .command(
          'forget <id>',
          'take one back: the next run may propose it again',
          (sub) =>
            sub.positional('id', { type: 'string', describe: 'id of the decision' }).options(decisionsFlags),
          run(async () => (await import('./commands/decisions.js')).forgetDecisionCommand),
        ),
    )
    .example('$0', 'run, repair, ask whether to commit')
    .example('$0 --tags dau --max-retries 3', 'only cases tagged dau')
    .example('$0 --dry-run', 'verified repair plans, nothing written')
    .example('$0 --no-repair -o out.xml', 'measure only, with a JUnit report for CI')
    .example('$0 --last-failed', 'only cases that did not pass in the last run')
    .example('$0 runs diff r-51c0 last', 'what changed between two runs')
    .epilogue(
      'Exit codes: 0 all passed or repaired and settled · 1 failed, flaky, unproven or repairs pending · 2 usage or configuration · 3 infrastructure · 4 budget · 5 no case matched · 130 interrupted',
    )
    .version(version())
    .help()
    .alias({ help: 'h', version: 'V' })
    .strict()
    .wrap(null)
  declareTestgenCommands(parser, run)
  declareGuardCommands(parser, run)
  declareRunsCommands(parser, run)
  declareTddCommands(parser, run)
  return parser.fail((message, error) => {
    // A flag without its value is reported as an error of the parser, every other problem as a message.
    if (error !== undefined && error.name !== 'YError') throw error
    throw usageError(error?.message ?? message, args)
  })
}

function version(): string {
  const text = readFileSync(`${packageRoot}package.json`, 'utf8')
  const found = /"version":\s*"([^"]+)"/.exec(text)?.[1]
  return found ?? 'unknown'
}
