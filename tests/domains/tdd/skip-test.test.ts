import { describe, expect, it } from 'vitest'
import { skipTest } from '../../../src/domains/tdd/skip-test.js'

describe('a test is skipped with a reason', () => {
  it.each([
    [
      'with an import of pytest where there is none',
      '"""Tests."""\n\nfrom __future__ import annotations\n\nfrom a import b\n\n\ndef test_x():\n    assert b()\n',
      '"""Tests."""\n\nfrom __future__ import annotations\n\nimport pytest\nfrom a import b\n\n\n@pytest.mark.skip(reason="known issue g-1")\ndef test_x():\n    assert b()\n',
    ],
    [
      'in front of its other marks',
      'import pytest\n\n\n@pytest.mark.parametrize("x", [1])\ndef test_x(x):\n    assert x\n',
      'import pytest\n\n\n@pytest.mark.skip(reason="known issue g-1")\n@pytest.mark.parametrize("x", [1])\ndef test_x(x):\n    assert x\n',
    ],
    [
      'in a class',
      'import pytest\n\n\nclass TestA:\n    async def test_x(self):\n        assert 1\n',
      'import pytest\n\n\nclass TestA:\n    @pytest.mark.skip(reason="known issue g-1")\n    async def test_x(self):\n        assert 1\n',
    ],
    [
      'without any import',
      'def test_x():\n    assert 1\n',
      'import pytest\n\n\n@pytest.mark.skip(reason="known issue g-1")\ndef test_x():\n    assert 1\n',
    ],
  ])('%s', (_what, before, after) => {
    expect(skipTest(before, 'test_x[1]', 'known issue g-1')).toBe(after)
  })

  it('and no other one', () => {
    const text = 'def test_xy():\n    assert 1\n'
    expect(skipTest(text, 'test_x', 'r')).toBe(text)
  })
})
