// A year: commits, a run, what people do about it in the morning, and so on.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { applyEvent, pathsOf } from './apply-event.js'
import { judgeNight } from './judge.js'
import { projects } from './projects.js'
import { openFolder, openRepository, openTexts } from './repository.js'
import { runNight } from './run-night.js'

const nightCount = 30
/** Nights after which people repair a drift by hand. */
const patience = 2
const mistakes = new Set(['drift', 'wrong-benchmark'])

export async function replay({ name, events, root, program }) {
  mkdirSync(root, { recursive: true })
  const project = projects[name]
  await project.copy(root)
  const repository = openRepository(root)
  const folder = openFolder(root)
  repository.commit('Import the project', 'mira', 1, 0)
  // The first run builds the database.
  await runNight({ root, program, night: 1 })
  /** What people mean: the project with all that was on purpose and without mistakes. */
  const intended = openTexts()
  for (const path of repository.changedSince(emptyTree)) intended.write(path, folder.read(path))
  const purposes = []
  let open = []
  const nights = []
  for (let number = 1; number <= nightCount; number++) {
    const today = events.filter((event) => event.night === number)
    const isBusy = today.some((event) => event.kind === 'busy')
    for (const [index, event] of today.filter((one) => one.kind !== 'busy').entries()) {
      commitEvent(event, 1 + index)
      open = open.filter((one) => one.id !== event.closes)
      if (event.cases !== undefined) open.push({ ...event })
      if (event.kind.startsWith('purpose')) purposes.push(event)
    }
    const before = repository.head()
    const textsBefore = new Map(purposes.flatMap(pathsOf).map((path) => [path, folder.read(path)]))
    const held = isBusy ? { engine: project.engine, file: join(root, project.database) } : undefined
    const run = await runNight({ root, program, night: number, held })
    const changed = repository.changedSince(before)
    const undone = changed.filter((path) => isUndone(path, textsBefore.get(path), folder.read(path)))
    const drifted = new Set(open.filter((event) => event.kind === 'drift').flatMap(pathsOf))
    const otherWords = changed.filter(
      (path) => drifted.has(path) && plain(folder.read(path)) !== plain(intended.read(path)),
    )
    const night = judgeNight({ number, run, open, changed, undone, otherWords, isBusy })
    if (repository.isDirty()) night.remarks.push('what the run wrote is not committed')
    nights.push(night)
    open = open.filter((event) => !night.repaired.includes(event))
    morning(number, night, before)
  }
  return nights

  function commitEvent(event, hour) {
    if (!mistakes.has(event.kind)) applyEvent(intended, closing(event))
    try {
      applyEvent(folder, event)
    } catch (error) {
      // A repair in other words: people write what they mean.
      for (const path of pathsOf(event)) folder.write(path, intended.read(path))
      if (mistakes.has(event.kind)) throw error
    }
    repository.commit(event.message, event.author, event.night, hour)
  }

  /** What closes a wrong expected query changes nothing that people mean. */
  function closing(event) {
    const closed = events.find((one) => one.id === event.closes)
    return closed?.kind === 'wrong-benchmark' ? { id: event.id } : event
  }

  /** Wrong writes are put back, and drifts that have stayed are repaired by hand. */
  function morning(number, { wrong }, before) {
    for (const path of wrong) repository.restore(before, path)
    if (wrong.length > 0) repository.commit('Put back what the night has changed', 'mira', number, 24)
    const late = open.filter((event) => event.kind === 'drift' && number - event.night >= patience)
    for (const path of late.flatMap(pathsOf)) folder.write(path, intended.read(path))
    if (late.length > 0) repository.commit('Repair by hand', 'mira', number, 25)
    open = open.filter((event) => !late.includes(event))
  }

  /** A purpose that is in force had replaced a text, and it is back; or its own text is gone. */
  function isUndone(path, before, after) {
    return purposes
      .flatMap((event) => event.edits)
      .filter((edit) => edit.file === path && before !== undefined)
      .some(
        ({ search, replace }) =>
          (!before.includes(search) && after.includes(search) && !search.includes(replace)) ||
          (replace !== '' && before.includes(replace) && !after.includes(replace)),
      )
  }
}

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** A text without layout, and its lines in one order: a condition may come back in another place. */
function plain(text) {
  return (text ?? '')
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .sort()
    .join('\n')
}
