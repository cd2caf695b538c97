import { expect, test } from 'vitest'
import { withoutTest } from '../../src/testgen/without-test.js'

const functions = `from shop import total


def test_a():
    assert total([1]) == 1


def test_b():
    for items in [[1]]:

        assert total(items) == 1


def test_c():
    assert total([]) == 0
`

test('a function in the middle goes, with the empty lines within it', () => {
  expect(withoutTest(functions, 'test_b')).toBe(`from shop import total


def test_a():
    assert total([1]) == 1


def test_c():
    assert total([]) == 0
`)
})

test('the last function goes', () => {
  expect(withoutTest(functions, 'test_c').endsWith('assert total(items) == 1\n')).toBe(true)
})

test('a name that is not there changes nothing', () => {
  expect(withoutTest(functions, 'test')).toBe(functions)
})

const methods = `from shop import total


class TestTotal:
    def test_a(self):
        assert total([1]) == 1

    def test_b(self):
        assert total([2]) == 2


def test_c():
    assert total([]) == 0
`

test('a method goes, the others of its class stay', () => {
  expect(withoutTest(methods, 'test_a')).toBe(methods.replace(/ {4}def test_a[\s\S]*?\n\n/, ''))
  expect(withoutTest(methods, 'test_b')).toBe(methods.replace(/\n\n {4}def test_b[\s\S]*?== 2/, ''))
})

test('a class goes with its only method', () => {
  const alone = withoutTest(methods, 'test_a')
  expect(withoutTest(alone, 'test_b')).toBe(`from shop import total


def test_c():
    assert total([]) == 0
`)
})

test('a head of several lines goes as a whole, and what decorates it', () => {
  const text = `from m import f


def test_a():
    assert f(1)


@freeze_time("2024-03-01 10:00:00")
def test_b_with_a_long_name(
    tmp_path,
):
    assert f(2)


def test_c(
    caplog,
):
    assert f(3)
`
  const rest = withoutTest(text, 'test_b_with_a_long_name')
  expect(rest).toBe(`from m import f


def test_a():
    assert f(1)


def test_c(
    caplog,
):
    assert f(3)
`)
  expect(withoutTest(rest, 'test_c')).toBe('from m import f\n\n\ndef test_a():\n    assert f(1)\n')
})
