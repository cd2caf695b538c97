import { serveOnStandardStreams } from '../serve-streams.js'

/** Answers requests of an editor until its input ends. */
export async function serveCommand(): Promise<number> {
  await serveOnStandardStreams()
  return 0
}
