import { existsSync, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { openAgent } from '../../agent/open-agent.js'
import type { AgentConfig, Config } from '../../config/config.js'
import { isErrno } from '../../edit/is-errno.js'
import { messageOf } from '../../errors.js'
import { fetchWithoutTimeout } from '../../platform/fetch-without-timeout.js'
import { isExecutable } from '../../platform/is-executable.js'
import { oneLine } from '../../report/format-text.js'
import { createRedactor } from '../../text/secrets.js'
import { quoteShellArgument } from '../../text/shell-argument.js'
import { configurationCheck, type Finding, note, ok, problem } from './check.js'
import type { DoctorEnvironment } from './environment.js'

/** Checks that the agent can be started or reached; asks it no question. */
export const agentCheck = configurationCheck('agent', async (config, { env }, signal) => {
  const { agent } = config
  switch (agent.kind) {
    case 'template':
      return ok('template: no setup needed')
    case 'knowledge':
      return ok("knowledge: autotest's own, no setup needed")
    case 'module':
      await open(config, env)
      return ok(`module ${agent.path}`)
    case 'command':
      return programFinding(agent.run, config.root, env)
    case 'http':
      await open(config, env)
      return addressFinding(agent, signal)
    case 'subagent':
      return ok(`subagent, defined in ${config.agents}/${agent.definition}`)
    case 'llm':
      return ok(`llm, defined in ${config.agents}/${agent.definition}; its model is checked separately`)
  }
})

/** Opens the agent as a run does, which loads a module and looks for a token. Throws `agent_invalid`. */
async function open({ agent, root, kb, limits }: Config, env: DoctorEnvironment['env']): Promise<void> {
  const opened = await openAgent(agent, {
    root,
    kbFolder: kb,
    env,
    timeoutMs: limits.agentTimeoutMs,
    concurrency: 1,
    redact: createRedactor(env),
    storedValues: () => Promise.resolve(undefined),
    llm: () => Promise.reject(new Error('an agent that is a model is not opened here')),
  })
  await opened.close()
}

function programFinding(
  [program = '', ...args]: readonly string[],
  root: string,
  env: DoctorEnvironment['env'],
): Finding {
  const found = program.includes('/') ? [resolve(root, program)] : onPath(program, env)
  const file = found.find(isFile)
  const executable = found.find((path) => isFile(path) && isExecutable(path))
  if (executable !== undefined) return argumentFinding(executable, args, root)
  return file === undefined
    ? problem(
        `the program ${program} was not found${program.includes('/') ? '' : ' on PATH'}`,
        'Install it, or set agent.run in autotest.config.yaml to another program.',
      )
    : problem(`the program ${file} is not executable`, `chmod +x ${quoteShellArgument(file)}`)
}

function onPath(program: string, { PATH = '' }: DoctorEnvironment['env']): string[] {
  return PATH.split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
}

/** Reports whether a file exists; false in a folder of PATH that this user may not enter. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP')) return false
    throw error
  }
}

/**
 * Checks that the script given to an interpreter exists: interpreters are found more often than their
 * scripts.
 */
function argumentFinding(program: string, args: readonly string[], root: string): Finding {
  const missing = args.find(
    (arg) => /^[^-].*\.(?:[cm]?[jt]s|py|rb|sh|pl|php|jar)$/.test(arg) && !existsSync(resolve(root, arg)),
  )
  return missing === undefined
    ? ok(`command ${program}`)
    : problem(
        `${missing}, an argument of ${program}, does not exist`,
        'Correct agent.run in autotest.config.yaml; paths are relative to its folder.',
      )
}

async function addressFinding(
  { url }: Extract<AgentConfig, { kind: 'http' }>,
  signal: AbortSignal,
): Promise<Finding> {
  let status: number
  try {
    // Neither question nor token is sent: any response shows that the service is reachable.
    const response = await fetchWithoutTimeout(url, { method: 'HEAD', redirect: 'manual', signal })
    status = response.status
  } catch (error) {
    return problem(
      `${url} does not answer: ${oneLine(innermost(error))}`,
      'Start the service, or correct agent.url in autotest.config.yaml.',
    )
  }
  return status >= 500
    ? note(`${url} answers HTTP ${status}`, 'Check the log of the service.')
    : ok(`${url} answers (HTTP ${status} to HEAD)`)
}

function innermost(error: unknown): string {
  let at = error
  while (at instanceof Error && at.cause instanceof Error) at = at.cause
  // If several addresses refuse, the error has no message.
  const code = at instanceof Error && 'code' in at ? String(at.code) : ''
  return messageOf(at) || code
}
