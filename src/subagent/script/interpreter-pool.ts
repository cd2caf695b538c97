import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { AutotestError } from '../../errors.js'
import { builtModulePath, packageRoot } from '../../platform/built-module.js'
import { interpreterPackage } from './script-messages.js'

/** A process with the interpreter of tool scripts. */
export type InterpreterProcess = ChildProcess

/** Waiting interpreters: to start one takes longer than a script does. */
const idle: ChildProcess[] = []
const mostIdle = 4

/** Returns an interpreter that nobody else uses. */
export function takeInterpreter(): InterpreterProcess {
  const waiting = idle.pop()
  if (waiting !== undefined) {
    waiting.removeAllListeners('exit')
    waiting.ref()
    waiting.channel?.ref()
    return waiting
  }
  return fork(builtModulePath('subagent/interpreter-process.js'), [], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    // A session of its own: the user's terminal is out of its reach.
    detached: true,
    env: {},
    execArgv: ['--max-old-space-size=128'],
  })
}

/** Takes an interpreter back; one that cannot be used again is ended. Idle ones do not keep this program running. */
export function returnInterpreter(child: InterpreterProcess, isUsable: boolean): void {
  child.removeAllListeners()
  child.on('error', () => undefined)
  if (!isUsable || !child.connected || idle.length >= mostIdle) {
    child.kill('SIGKILL')
    return
  }
  child.once('exit', () => idle.splice(idle.indexOf(child), idle.includes(child) ? 1 : 0))
  child.unref()
  child.channel?.unref()
  idle.push(child)
}

/** Returns why no tool script can be run; undefined if the interpreter is installed, which who only tests SQL need not have. */
export function interpreterProblem(): AutotestError | undefined {
  try {
    createRequire(`${packageRoot}package.json`).resolve('@pydantic/monty')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')
      return new AutotestError('installation_incomplete', 'tool scripts need an interpreter', {
        hint: `Install it: npm install ${interpreterPackage}`,
      })
  }
  return undefined
}
