import { expect, it } from 'vitest'
import { storeFailure } from '../../src/store/failure.js'

it('native code built for another version of Node is told as such, with the remedy', () => {
  const error = Object.assign(new Error('was compiled against NODE_MODULE_VERSION 115'), {
    code: 'ERR_DLOPEN_FAILED',
  })
  expect(storeFailure(error, 'reports/autotest.db')).toMatchObject({
    code: 'store_unavailable',
    message: `better-sqlite3 cannot be loaded by Node ${process.version}: it was built for another version or machine`,
    hint: expect.stringContaining('npm rebuild better-sqlite3'),
  })
})
