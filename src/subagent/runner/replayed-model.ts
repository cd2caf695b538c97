import type { Trace } from './trace.js'
import type { TurnModel } from './turn-model.js'

/** Creates a model that says what was said in a trace, turn by turn, whatever the tools answer now. */
export function replayedModel({ turns }: Trace): TurnModel {
  return {
    async next({ turn }) {
      const said = turns[turn]
      return said ?? { text: '', calls: [] }
    },
  }
}
