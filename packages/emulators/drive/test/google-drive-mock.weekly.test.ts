import { expect, it, onTestFinished } from 'vitest'
import { driveEmulator } from '../src/index.ts'
import { runSuite } from './google-drive-mock.ts'
import { differences, passingTests } from './suite-differences.ts'

it('passes the tests of google-drive-mock, except where the vendor explains the difference', { timeout: 600_000 }, async () => {
  const emulator = driveEmulator({ seed: 'empty', accessToken: 'valid-token' })
  onTestFinished(() => emulator.close())
  const { url } = await emulator.listen()
  const tests = await runSuite(new URL(url).port)
  const failed = tests.filter(({ status }) => status === 'failed').map(({ name }) => name)
  const expected = differences.flatMap((difference) => difference.tests)
  expect(failed.sort()).toEqual(expected.sort())
  expect(tests.filter(({ status }) => status === 'passed')).toHaveLength(passingTests)
})
