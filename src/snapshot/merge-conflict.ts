/** The line, from 1, where git left both sides of a merge in a file; undefined where it did not. */
export function findMergeConflict(text: string): number | undefined {
  const lines = text.split('\n')
  const at = lines.findIndex((line) => /^<{7} /.test(line))
  return at >= 0 && lines.some((line) => /^>{7} /.test(line)) ? at + 1 : undefined
}

export const mergeConflict = {
  message: 'a merge conflict was left in the file',
  hint: 'Keep one side and remove the lines with <<<<<<<, ======= and >>>>>>>.',
}
