/**
 * Returns the line, from 1, at which git left both sides of a merge in a file; undefined if there is none.
 */
export function findMergeConflict(text: string): number | undefined {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => /^<{7} /.test(line))
  return at >= 0 && lines.some((line) => /^>{7} /.test(line)) ? at + 1 : undefined
}

export const mergeConflict = {
  message: 'a merge conflict was left in the file',
  hint: 'Keep one side and remove the lines with <<<<<<<, ======= and >>>>>>>.',
}
