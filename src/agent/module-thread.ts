import type { Worker } from 'node:worker_threads'
import type { OwnerMessage } from './module-worker.js'
import type { TextTail } from './text-tail.js'

/** The worker thread that runs the user's module. */
export interface ModuleThread {
  readonly worker: Worker
  readonly stdout: TextTail
  readonly stderr: TextTail
  /** Deadline for loading the module. */
  readonly loading: NodeJS.Timeout
  ready: boolean
}

/** Sets whether a thread, with its output, keeps the process alive. */
export function keepProcessAlive({ worker, loading, stdout, stderr }: ModuleThread, holds: boolean): void {
  if (!holds) {
    worker.unref()
    loading.unref()
    return
  }
  worker.ref()
  loading.ref()
  // Reading a thread's output keeps the process alive, so it starts only now.
  if (worker.stdout.listenerCount('data') > 0) return
  worker.stdout.on('data', (chunk: Buffer) => stdout.add(chunk))
  worker.stderr.on('data', (chunk: Buffer) => stderr.add(chunk))
}

export function sendToWorker({ worker }: ModuleThread, message: OwnerMessage): void {
  worker.postMessage(message)
}

/** Returns the end of the module's output: its errors, else its standard output. */
export function printedOutput({ stdout, stderr }: ModuleThread): string | undefined {
  return stderr.text() || stdout.text() || undefined
}

/** Returns the message and the four innermost frames. */
export function firstLines(stack: string): string | undefined {
  const lines = stack.split('\n').slice(0, 5).join('\n')
  return lines === '' ? undefined : lines
}
