// Asks the rule of the program whether a commit's message gives a reason for its change, in a project of one metric: the file's.
import { basename, extname } from 'node:path'
import { stemsOf } from '../../build/modules/domains/sql/repair/validate/intent/changed-words.js'
import { statesReason } from '../../build/modules/domains/sql/repair/validate/intent/stated-reason.js'

export function explains(commit, { path, before, after }) {
  const code = [before, after].map((text) => text.replaceAll(/--.*$|\/\*[\s\S]*?\*\//gmu, ' '))
  const names = [path, basename(path, extname(path))]
  return statesReason(commit, { stems: new Set([...code, ...names].flatMap(stemsOf)) })
}
