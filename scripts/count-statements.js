// Prints how many statements the TypeScript below a folder has, by room (its first folder) and in all: a measure of size that
// line breaks do not change. node scripts/count-statements.js [FOLDER], `src` where none is given.
//
// What counts: every node that the compiler calls a statement, at any depth, except blocks. So `if (a) { b() }` counts two and
// `() => a` none. Declarations count one each, without their members. Imports, exports, interfaces and types are in a column of
// their own, as they run nothing: smaller files have more of them.
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import ts from 'typescript'

const [folder = 'src'] = process.argv.slice(2)
const rooms = new Map()
for (const file of readdirSync(folder, { recursive: true }).sort()) {
  if (!file.endsWith('.ts')) continue
  const name = file.includes(sep) ? file.split(sep)[0] : '(loose files)'
  const room = rooms.get(name) ?? { files: 0, running: 0, others: 0 }
  rooms.set(name, room)
  room.files++
  count(ts.createSourceFile(file, readFileSync(join(folder, file), 'utf8'), ts.ScriptTarget.Latest), room)
}

const figures = ['files', 'statements', 'that run', 'imports, exports, types']
line('room', figures)
for (const [name, room] of rooms) line(name, row(room))
const sum = (key) => [...rooms.values()].reduce((all, room) => all + room[key], 0)
line('all', row({ files: sum('files'), running: sum('running'), others: sum('others') }))

function count(node, room) {
  if (runsNothing(node)) room.others++
  else if (ts.isStatement(node) && !ts.isBlock(node)) room.running++
  ts.forEachChild(node, (child) => count(child, room))
}

function runsNothing(node) {
  return (
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node)
  )
}

function row({ files, running, others }) {
  return [files, running + others, running, others]
}

function line(name, cells) {
  console.log(
    name.padEnd(14) + cells.map((cell, at) => String(cell).padStart(figures[at].length + 2)).join(''),
  )
}
