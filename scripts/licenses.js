// The licences of the packages that are in the bundle, which each of them asks to go with its code.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One text, package by package, from the files that the bundle was made of. */
export function licensesOf(files) {
  const parts = foldersOf(files).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const texts = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/iu.test(file))
    if (texts.length === 0) throw new Error(`${folder} has no licence file: what it asks for cannot be kept`)
    const body = texts.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n')
    return { name, text: `${name} ${version} (${license})\n\n${body}\n` }
  })
  const sorted = parts.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ text }) => text)
  const line = `\n${'-'.repeat(80)}\n\n`
  return ['The programs in this folder hold code of these packages.\n', ...sorted].join(line)
}

/** Returns `name@version` of each package that the files are of, sorted. */
export function packagesOf(files) {
  const names = foldersOf(files).map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return `${name}@${version}`
  })
  return [...new Set(names)].sort()
}

function foldersOf(files) {
  return [...new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(file) ?? []))]
}
