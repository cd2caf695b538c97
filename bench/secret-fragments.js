// What the mask of parts of secrets takes from ordinary text, and how long it takes: secrets as people have them, and the
// queries, questions and projects of ../shared, where it is present. node bench/secret-fragments.js, after npm run build.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fragmentMask } from '../build/modules/text/secret-fragments.js'

const secrets = {
  'a key of letters and digits': 'sk-live-9f8E7d6c5B4a3Q2wXyZp0LmN7vR4tK1jH6gF',
  'a key in hexadecimal': '3f9a1c7e5b2d8046e1f0a9c3b7d52648',
  'a uuid': '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  'a token of three parts': `${['{"alg":"HS256","typ":"JWT"}', '{"sub":"1234567890","name":"Ana"}'].map((part) => Buffer.from(part).toString('base64url')).join('.')}.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c`,
  'a phrase of words': 'correct-horse-battery-staple',
  'a name and a year': 'warehouse-production-2025',
  'a number': '4929123456789012',
}
const files = ['corpora', 'field', 'engines', 'hostile', 'python'].flatMap((name) => {
  const folder = fileURLToPath(new URL(`../../shared/${name}`, import.meta.url))
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => statSync(file).isFile() && /\.(?:jsonl?|ya?ml|sql|md|py|mjs|csv)$/.test(file))
})
if (files.length === 0) {
  console.log('skipped, ../shared is not there')
  process.exit()
}
const texts = files.map((file) => readFileSync(file, 'utf8'))
const size = texts.reduce((sum, text) => sum + text.length, 0)
console.log(`${files.length} files, ${(size / 1e6).toFixed(1)} million characters`)
for (const [kind, secret] of Object.entries(secrets)) {
  const mask = fragmentMask([secret])
  const started = performance.now()
  let places = 0
  const seen = new Set()
  for (const text of texts) {
    const shown = mask(text)
    if (shown === text) continue
    const parts = shown.split('***')
    places += parts.length - text.split('***').length
    for (const [at, part] of parts.slice(0, -1).entries())
      seen.add(`${part.slice(-12)}…${(parts[at + 1] ?? '').slice(0, 8)}`)
  }
  const seconds = (performance.now() - started) / 1000
  console.log(
    `${kind.padEnd(28)} ${places} places masked · ${(size / 1e6 / seconds).toFixed(1)} million characters a second`,
  )
  if (process.argv.includes('--verbose'))
    for (const place of [...seen].slice(0, 8)) console.log(`   ${JSON.stringify(place)}`)
}
