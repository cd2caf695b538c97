import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scratchFolder } from './sample.js'

export const sourcePath = 'src/shop/calc.py'
export const testPath = 'tests/unit/shop/test_discount.py'
export const wrongSource = `def discount(price, percent):
    """The price less some percent."""
    if percent > 100:
        return price
    return price + price * percent / 100


def bigger(a, b):
    return a if a > b else b
`
export const rightSource = wrongSource.replace('price + price *', 'price - price *')

export const taskText = `task: Discounts of whole percents
design: A function of price and percent.
acceptance_criteria:
  - discount(100, 10) == 90
  - discount(200, 50) == 100
  - nobody pays a negative price
interfaces:
  - "${sourcePath}: def discount(price, percent)"
target_test_path: ${testPath}
`

/** A project with a function that is wrong, a test that passes, and a task. */
export function tddProject(files: Readonly<Record<string, string>> = {}): string {
  const root = scratchFolder()
  execFileSync('git', ['init', '-q', root])
  const all = {
    'src/shop/__init__.py': '',
    [sourcePath]: wrongSource,
    'tests/unit/test_bigger.py':
      'from shop.calc import bigger\n\n\ndef test_bigger():\n    assert bigger(1, 2) == 2\n',
    'tasks/discount.yaml': taskText,
    '.gitignore': 'reports/\n',
    ...files,
  }
  for (const [path, text] of Object.entries(all)) writeIn(root, path, text)
  return root
}

export function writeIn(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

export function readIn(root: string, path: string): string | undefined {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined
}

/** The files of a project by path, without its reports and state. */
export function filesIn(root: string, folder = '.'): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(join(root, folder))) {
    if (['.git', '.autotest', 'reports'].includes(name)) continue
    const path = join(folder, name)
    if (statSync(join(root, path)).isDirectory()) Object.assign(found, filesIn(root, path))
    else found[path] = readFileSync(join(root, path), 'utf8')
  }
  return found
}
