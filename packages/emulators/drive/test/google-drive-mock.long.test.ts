import { expect, it, onTestFinished } from 'vitest'
import { driveEmulator } from '../src/index.ts'
import { runSuite } from './google-drive-mock.ts'
import { differences, passingTests, slowFiles } from './suite-differences.ts'

/** `LONG=full` takes about two minutes. */
const isFull = process.env['LONG'] === 'full'
const excluded = isFull ? [] : slowFiles.map(({ file }) => file)

it('passes the tests of google-drive-mock, except where the vendor explains the difference', { timeout: 600_000 }, async () => {
  const emulator = driveEmulator({ seed: 'empty', accessToken: 'valid-token' })
  onTestFinished(() => emulator.close())
  const { url } = await emulator.listen()
  const tests = await runSuite(new URL(url).port, excluded)
  const failed = tests.filter(({ status }) => status === 'failed').map(({ name }) => name)
  const expected = differences.flatMap((difference) => difference.tests).filter((name) => !excluded.some((file) => name.startsWith(file)))
  expect(failed.sort()).toEqual(expected.sort())
  const passingInSlow = isFull ? 0 : slowFiles.reduce((sum, { passing }) => sum + passing, 0)
  expect(tests.filter(({ status }) => status === 'passed')).toHaveLength(passingTests - passingInSlow)
})
