import { expect, it } from 'vitest'
import { importsModule, isTestFile, moduleNameOf, testPathOf } from '../../src/testgen/test-path.js'

const none = async (): Promise<boolean> => false
const all = async (): Promise<boolean> => true

it.each([
  ['no tests yet', ['src/pricing.py'], undefined, 'tests/test_pricing.py'],
  [
    'a folder of unit tests',
    ['tests/unit/test_a.py', 'tests/test_b.py'],
    undefined,
    'tests/unit/test_pricing.py',
  ],
  ['a folder test', ['test/test_a.py'], undefined, 'test/test_pricing.py'],
  ['a folder rora_tests', ['rora_tests/__init__.py'], undefined, 'rora_tests/test_pricing.py'],
  ['a folder of its own', ['tests/test_a.py'], 'checks/unit', 'checks/unit/test_pricing.py'],
  [
    'beside the source',
    ['tests/test_a.py', 'src/shop/pricing.py'],
    'beside-source',
    'src/shop/test_pricing.py',
  ],
  ['the name in use for another module', ['tests/test_pricing.py'], undefined, 'tests/test_shop_pricing.py'],
])('a new test file goes to: %s', async (_what, files, folder, expected) => {
  expect(await testPathOf('src/shop/pricing.py', files, folder, none)).toBe(expected)
})

it.each([
  [undefined, 'old/pricing_test.py'],
  ['old', 'old/pricing_test.py'],
  ['tests', 'tests/test_pricing.py'],
])(
  'a file that imports the module is extended, in the folder that is asked for: %s',
  async (folder, expected) => {
    expect(await testPathOf('src/shop/pricing.py', ['old/pricing_test.py'], folder, all)).toBe(expected)
  },
)

it('beside a module of the outermost folder is the outermost folder', async () => {
  expect(await testPathOf('pricing.py', ['pricing.py'], 'beside-source', none)).toBe('test_pricing.py')
  expect(await testPathOf('pricing.py', ['test_pricing.py'], 'beside-source', all)).toBe('test_pricing.py')
})

it('the tests of a package are those of its name', async () => {
  expect(await testPathOf('src/shop/__init__.py', [], undefined, none)).toBe('tests/test_shop.py')
})

it('a file in the place of the folder is said', async () => {
  await expect(testPathOf('a.py', ['tests'], undefined, none)).rejects.toMatchObject({ code: 'python_file' })
})

it.each([
  ['src/shop/pricing.py', ['src/shop/pricing.py'], 'shop.pricing'],
  ['src/shop/pricing.py', ['src/__init__.py'], 'src.shop.pricing'],
  ['shop/__init__.py', [], 'shop'],
])('the module of %s', (source, files, expected) => {
  expect(moduleNameOf(source, files)).toBe(expected)
})

it.each([
  ['src/test_a.py', true],
  ['src/a_test.py', true],
  ['src/a.py', false],
  ['src/test_a.txt', false],
])('%s is a file of tests: %s', (path, expected) => {
  expect(isTestFile(path)).toBe(expected)
})

it('a file of another name that imports the module is extended, after one of its name', async () => {
  const files = ['tests/test_all.py', 'tests/test_other.py', 'tests/shop.py']
  const imports = async (file: string): Promise<boolean> => file !== 'tests/test_other.py'
  expect(await testPathOf('src/shop/pricing.py', files, undefined, imports, 'any')).toBe('tests/test_all.py')
  // Who writes a whole file writes none of another module's tests away.
  expect(await testPathOf('src/shop/pricing.py', files, undefined, imports)).toBe('tests/test_pricing.py')
  expect(
    await testPathOf('src/shop/pricing.py', [...files, 'tests/test_pricing.py'], undefined, imports, 'any'),
  ).toBe('tests/test_pricing.py')
})

it.each([
  ['from shop.pricing import total', true],
  ['import shop.pricing', true],
  ['import shop.pricing as pricing', true],
  ['from shop import cart, pricing', true],
  ['from shop import pricing_of_others', false],
  ['import shop.pricing.rates', false],
  ['from shop.pricing.rates import total', false],
  ['# from shop.pricing import total', false],
])('%s imports shop.pricing: %s', (text, expected) => {
  expect(importsModule(text, 'shop.pricing')).toBe(expected)
})

it('a name of a file is no pattern', () => {
  expect(importsModule('from a(b import f', 'a(b')).toBe(true)
  expect(importsModule('import c++', 'c++')).toBe(true)
  expect(importsModule(`import ${'x'.repeat(45)}`, '(x+x+)+y')).toBe(false)
})
