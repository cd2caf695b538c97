import { type ChildProcess, fork } from 'node:child_process'
import { builtModulePath } from '../../platform/built-module.js'

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
