/** Reads a line of the corpus as the program sees a commit: its body without trailers, of which only the keys are known. */
export function readMessage(line) {
  const { subject, body, trailers, path, before, after, label } = JSON.parse(line)
  const trailing = new Set(trailers)
  const lines = body.split('\n')
  while (lines.length > 0 && (trailing.has(lines.at(-1)) || lines.at(-1).trim() === '')) lines.pop()
  return {
    commit: { subject, body: lines.join('\n'), trailers: trailers.map((trailer) => trailer.split(':')[0]) },
    change: { path, before, after },
    label,
  }
}
