// What may be on a disk after a power cut: everything that was synced, and any part of what was not, in any order.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Reads the calls that faulty-disk.c recorded, with paths relative to the root. */
export function readCalls(log, root) {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [what, path, rest = ''] = line.split('\t')
      const isWrite = what === 'write'
      return {
        what,
        path: relative(root, path),
        to: !isWrite && rest !== '' ? relative(root, rest) : undefined,
        bytes: isWrite ? Buffer.from(rest, 'hex') : undefined,
      }
    })
}

export function readTree(root, below = '') {
  return readdirSync(join(root, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name)
    return entry.isDirectory()
      ? [{ path, bytes: null }, ...readTree(root, path)]
      : [{ path, bytes: readFileSync(join(root, path)) }]
  })
}

/**
 * Returns trees that a power cut behind the first `count` calls may leave: nothing that was not synced, all of it, each alone,
 * all but each, and some subsets.
 */
export function* statesBehind(tree, calls, count, random, subsets = 12) {
  const done = withFiles(tree, calls.slice(0, count))
  const synced = new Set(done.filter((call, at) => isSynced(call, done.slice(at + 1))))
  const open = done.filter((call) => call.what !== 'sync' && !synced.has(call))
  const choices = [
    [],
    open,
    ...open.map((call) => [call]),
    ...open.map((call) => open.filter((each) => each !== call)),
    ...Array.from({ length: open.length > 2 ? subsets : 0 }, () => open.filter(() => random() < 0.5)),
  ]
  for (const chosen of choices)
    yield replay(
      tree,
      done.filter((call) => synced.has(call) || chosen.includes(call)),
    )
}

/** Gives each call the file that its path names at that time: a file keeps what it holds under another name. */
function withFiles(tree, calls) {
  const names = new Map(tree.map(({ path }) => [path, `old ${path}`]))
  return calls.map((call, at) => {
    if (call.what === 'create' && !names.has(call.path)) names.set(call.path, `new ${at}`)
    if (call.what === 'folder') names.set(call.path, `folder ${at}`)
    const file = names.get(call.path)
    if (call.what === 'rename') {
      names.set(call.to, file)
      names.delete(call.path)
    }
    if (call.what === 'remove') names.delete(call.path)
    return { ...call, file }
  })
}

function isSynced(call, later) {
  if (call.what === 'write') return later.some(({ what, file }) => what === 'sync' && file === call.file)
  const folder = dirname(call.to ?? call.path)
  return later.some(({ what, path }) => what === 'sync' && (path === '' ? '.' : path) === folder)
}

function replay(tree, calls) {
  const names = new Map(
    tree.map(({ path, bytes }) => [path, { file: `old ${path}`, isFolder: bytes === null }]),
  )
  const contents = new Map(tree.map(({ path, bytes }) => [`old ${path}`, bytes ?? Buffer.alloc(0)]))
  for (const { what, path, to, file, bytes } of calls) {
    if (what === 'create') names.set(path, { file, isFolder: false })
    else if (what === 'folder') names.set(path, { file, isFolder: true })
    else if (what === 'write')
      contents.set(file, Buffer.concat([contents.get(file) ?? Buffer.alloc(0), bytes]))
    else if (what === 'remove') names.delete(path)
    else if (what === 'rename') {
      names.delete(path)
      names.set(to, { file, isFolder: false })
    }
  }
  return { names, contents }
}

/** Writes a state below a root; what is in a folder whose entry was lost is lost with it. */
export function writeState(root, { names, contents }) {
  const folders = new Set(['.'])
  for (const [path, { file, isFolder }] of [...names].sort(
    ([a], [b]) => a.split('/').length - b.split('/').length,
  )) {
    if (!folders.has(dirname(path))) continue
    if (isFolder) {
      mkdirSync(join(root, path), { recursive: true })
      folders.add(path)
    } else writeFileSync(join(root, path), contents.get(file) ?? '')
  }
}
