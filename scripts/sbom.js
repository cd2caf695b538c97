// Writes dist/sbom.cdx.json (CycloneDX): what `npm sbom` knows of the packages whose code is in dist/, and of those that are installed with
// it. node scripts/sbom.js, after npm run build
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const packages = JSON.parse(readFileSync('build/bundled-packages.json', 'utf8'))
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'))
const whole = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format=cyclonedx'], { encoding: 'utf8', maxBuffer: 64e6 }),
)
const idOf = (component) => `${component.name}@${component.version}`
const bundled = new Set(packages)
/** What npm installs with the package, found from its dependencies. */
const { dependencies: direct } = JSON.parse(readFileSync('package.json', 'utf8'))
const dependsOn = new Map(whole.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
const installed = new Set()
const follow = (ref) => {
  if (installed.has(ref)) return
  installed.add(ref)
  for (const each of dependsOn.get(ref) ?? []) follow(each)
}
for (const component of whole.components)
  if (direct[component.name] === component.version) follow(component['bom-ref'])
const components = whole.components.filter(
  (component) => bundled.has(idOf(component)) || installed.has(component['bom-ref']),
)
const listed = new Set(components.map(idOf))
const missing = packages.filter((each) => !listed.has(each))
if (missing.length > 0) throw new Error(`npm sbom does not know ${missing.join(', ')}, which dist/ holds`)
const own = whole.metadata.component['bom-ref']
const references = new Set([own, ...components.map((component) => component['bom-ref'])])
writeFileSync(
  'dist/sbom.cdx.json',
  `${JSON.stringify(
    {
      ...whole,
      metadata: { ...whole.metadata, component: { ...whole.metadata.component, name, version } },
      components,
      dependencies: whole.dependencies
        .filter(({ ref }) => references.has(ref))
        .map(({ ref, dependsOn = [] }) => ({
          ref,
          dependsOn: dependsOn.filter((each) => references.has(each)),
        })),
    },
    null,
    1,
  )}\n`,
)
console.log(`dist/sbom.cdx.json: ${components.length} packages, ${packages.length} of them in dist/`)
