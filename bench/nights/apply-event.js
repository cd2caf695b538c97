/** Applies the renames, new files and edits of an event. Throws where a text to replace is not there exactly once. */
export function applyEvent(files, { id, rename = {}, create = {}, edits = [] }) {
  for (const [from, to] of Object.entries(rename)) files.rename(from, to)
  for (const [path, text] of Object.entries(create)) files.write(path, text)
  for (const { file, search, replace } of edits) {
    const text = files.read(file)
    if (text?.split(search).length !== 2) throw new Error(`${id}: not exactly once in ${file}: ${search}`)
    files.write(
      file,
      text.replace(search, () => replace),
    )
  }
}

export function pathsOf({ edits = [] }) {
  return [...new Set(edits.map(({ file }) => file))]
}
