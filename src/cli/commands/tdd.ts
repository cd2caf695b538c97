import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { waitsForPerson } from '../../app/exit-code.js'
import { answerGate, nextCommand } from '../../app/gates/answer-gate.js'
import { databasePath } from '../../app/project/project.js'
import { overridesOf } from '../../app/project/project-request.js'
import { recoverBeforeReading } from '../../app/project/with-project-lock.js'
import { writeProjectFiles } from '../../app/project/write-project-files.js'
import { projectRoles } from '../../app/roles/project-roles.js'
import { fileIssue } from '../../app/tdd/file-issue.js'
import { openTaskAgents, type Player } from '../../app/tdd/open-agents.js'
import { openTask } from '../../app/tdd/open-task.js'
import { finishTask, runTask, type TaskProgress } from '../../app/tdd/run-task.js'
import type { TaskContext } from '../../app/tdd/task-context.js'
import { handFolder } from '../../app/tdd/task-gate.js'
import { openPythonProject } from '../../app/testgen/open-python-project.js'
import type { Config } from '../../config/config.js'
import { sourceExtensions } from '../../edit/allowed-path.js'
import { AutotestError } from '../../errors.js'
import { gateLines } from '../../report/console/gates.js'
import { plural } from '../../report/format-text.js'
import { roleNamed } from '../../roles/role.js'
import { diffFiles } from '../../snapshot/diff.js'
import type { GateRecord } from '../../store/gate-rows.js'
import { openStore } from '../../store/store.js'
import type { CommandContext } from '../command-context.js'
import { promptChoice } from '../run/prompt-choice.js'
import type { TddFlags } from '../tdd-flags.js'

const defaultSeconds = 60

/** Works on a task until it is built, given up, or waits for a person. */
export async function tddCommand(flags: TddFlags, context: CommandContext): Promise<number> {
  const { terminal, cwd, env, signal, now } = context
  const { seconds = defaultSeconds } = flags
  if (!(seconds > 0 && seconds <= 3600))
    throw new AutotestError('usage', `--seconds must be more than 0 and at most 3600, not ${seconds}`)
  const { config, roles, snapshot } = await projectRoles(
    cwd,
    flags.config,
    overridesOf({
      cwd,
      maxLlmCalls: flags['max-llm-calls'],
      maxTokens: flags['max-tokens'],
      maxCost: flags['max-cost'],
    }),
  )
  const root = await realpath(config.root)
  await recoverBeforeReading(root, (text) => terminal.err(`note     ${text}`))
  const store = await openStore(databasePath({ cwd, db: flags.db }, config), { now })
  try {
    const testWriter = roleNamed('test-writer', roles)
    const python = flags.python ?? config.tests.python
    const opened = await openTask({
      ...{ file: flags.task, cwd, root, testWriter, store, now, python },
      restart: flags.restart === true,
    })
    store.holdRun(opened.id)
    const project = await openPythonProject({ root, python, unsandboxed: false, env })
    const work: TaskContext = {
      ...{ id: opened.id, project, store, now, signal },
      roles: { testWriter, coder: roleNamed('coder', roles), debugger: roleNamed('debugger', roles) },
      fileIssue:
        flags['file-issues'] === true ? (issue) => fileIssue(issue, { root, env, signal }) : undefined,
      agents: await openTaskAgents({
        ...{
          taskId: opened.id,
          config,
          snapshot,
          roles,
          files: project.files,
          seconds,
          store,
          env,
          now,
          signal,
        },
        players: playersOf(flags, config),
        record: flags.record === undefined ? undefined : resolve(cwd, flags.record),
        replay: flags.replay === undefined ? undefined : resolve(cwd, flags.replay),
        onNote: (text) => terminal.err(`note     ${text}`),
        onProgress: (text) => terminal.status(text),
      }),
      onSay: (text) => terminal.out(text),
    }
    terminal.out(
      `tdd      ${flags.task} · ${opened.id}${opened.resumed ? ', where it stood' : ''} · Python ${project.python.version} · ${project.sandbox.description}`,
    )
    return await workOn(work, flags, context)
  } finally {
    store.close()
  }
}

/** Returns who plays each role: models where the configuration names one for it, as long as the flags say nothing. */
function playersOf(flags: TddFlags, { llm }: Config): Record<'testWriter' | 'coder' | 'debugger', Player> {
  const named = (role: 'test_writer' | 'coder' | 'debugger'): Player =>
    flags.agents ?? (llm.named.includes(role) ? 'llm' : 'rules')
  return {
    testWriter: flags['test-writer'] ?? named('test_writer'),
    coder: flags.coder ?? named('coder'),
    debugger: flags.debugger ?? named('debugger'),
  }
}

async function workOn(work: TaskContext, flags: TddFlags, context: CommandContext): Promise<number> {
  const { terminal } = context
  for (;;) {
    const progress = await runTask(work)
    switch (progress.kind) {
      case 'gate':
        if (!(await asked(progress.gate, work, context))) return waitsForPerson
        break
      case 'by_hand': {
        terminal.out(
          `by hand  change the files in ${handFolder(work)}, then go on; unchanged, the coder tries again`,
        )
        const command = `autotest tdd ${flags.task}`
        if (!terminal.interactive) {
          terminal.out(`next     ${command}`)
          return waitsForPerson
        }
        const key = await promptChoice('Changed?', { g: 'go on', q: 'stop here' }, terminal, context.signal)
        if (key !== 'g') return waitsForPerson
        break
      }
      case 'ready':
        return await finish(progress, work, flags, context)
      case 'ended':
        if (progress.status === 'done') {
          terminal.out('done     it is built already; --restart begins anew')
          return 0
        }
        terminal.err(`error    ${progress.problem ?? progress.status}`)
        return 1
    }
  }
}

/** Asks a person at the terminal; false where nobody answers. */
async function asked(
  gate: GateRecord,
  work: TaskContext,
  { terminal, signal, now }: CommandContext,
): Promise<boolean> {
  for (const line of gateLines(gate, now())) terminal.out(line)
  if (!terminal.interactive) {
    terminal.out(`then     ${nextCommand(work.store, gate)}`)
    return false
  }
  const choices = Object.fromEntries(gate.options.map(({ choice, text }) => [choice.toLowerCase(), text]))
  const key = await promptChoice('Which?', choices, terminal, signal)
  if (key === undefined) return false
  answerGate(work.store, gate.id, key, now())
  return true
}

async function finish(
  { changes, state }: Extract<TaskProgress, { kind: 'ready' }>,
  work: TaskContext,
  flags: TddFlags,
  { terminal, now }: CommandContext,
): Promise<number> {
  for (const { patch } of diffFiles(changes)) terminal.out(patch.trimEnd())
  const names = changes.map(({ path }) => path).join(', ')
  if (flags['dry-run'] === true) {
    terminal.out(`ready    ${plural(changes.length, 'file')}: ${names}; nothing was written (--dry-run)`)
    return 0
  }
  const { project, id } = work
  await writeProjectFiles(changes, { root: project.root, run: id, extensions: sourceExtensions, now })
  finishTask(state, work)
  terminal.out(`wrote    ${plural(changes.length, 'file')}: ${names}`)
  for (const issue of state.knownIssues) terminal.out(`known issue: ${issue} is skipped (reports/${id})`)
  return 0
}
