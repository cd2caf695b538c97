import { runToolScript, scriptLimits } from '../../../subagent/script/run-tool-script.js'
import { readToolScript } from '../../../subagent/script/script-format.js'
import { probeDifferences } from '../call-tool.js'
import type { SessionPool } from '../python-sessions.js'
import type { ToolCase } from '../tool-case.js'
import { createSimulatedHost, type SimulatedHost } from './simulated-host.js'

/** How many fields of the probes of a tool a version of its script gets wrong; 0: all probes pass. */
export interface ScriptFitness {
  /**
   * Returns the number of wrong fields; undefined as soon as it is more than `most`, or the script breaks the format.
   */
  wrongFields(text: string, most: number): Promise<number | undefined>
  /** Keys and words that the host answers with. */
  words(): ReadonlySet<string>
}

/** A script that fails has this many fields wrong: any result is nearer to the right one. */
const failed = 30
/** What goes on for so long does so for ever: a guard, far above what a right version takes on a slow machine. */
const limits = { ...scriptLimits, seconds: 2, wallMs: 60_000 }

/** Measures versions of one script on its probes, the failing ones first. */
export function createScriptFitness(
  probes: readonly ToolCase[],
  sessions: SessionPool,
  signal: AbortSignal,
): ScriptFitness {
  const hosts = new Map<ToolCase, SimulatedHost>(
    probes.map((each) => [each, createSimulatedHost(each.probe, sessions)]),
  )
  /** How often each probe told a version from a right one: those that tell most come first. */
  const told = new Map<ToolCase, number>()
  const inOrder = (): ToolCase[] => [...probes].sort((a, b) => (told.get(b) ?? 0) - (told.get(a) ?? 0))

  return {
    async wrongFields(text, most) {
      const script = await readToolScript(text)
      if (script.problems.some(({ severity }) => severity === 'error')) return undefined
      let wrong = 0
      for (const each of inOrder()) {
        const host = hosts.get(each)?.run()
        if (host === undefined) continue
        const { probe } = each
        const outcome = await runToolScript(script, probe.input, host.functions, signal, limits)
        signal.throwIfAborted()
        const files: Record<string, string | null> = {}
        for (const path of Object.keys(probe.written)) files[path] = await host.text(path)
        const isDone = outcome.kind === 'done'
        const called = {
          value: isDone ? outcome.value : undefined,
          problem: isDone ? undefined : outcome.message,
          files,
        }
        const found = probeDifferences(probe, called).length
        if (found === 0) continue
        told.set(each, (told.get(each) ?? 0) + 1)
        wrong += isDone || probe.fails !== undefined ? found : failed
        if (wrong > most) return undefined
      }
      return wrong
    },
    words: () => new Set([...hosts.values()].flatMap((host) => [...host.words()])),
  }
}
