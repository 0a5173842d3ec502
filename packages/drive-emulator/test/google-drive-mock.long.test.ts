import { expect, it, onTestFinished } from 'vitest'
import { driveEmulator } from '../src/index.ts'
import { wholeApi } from '../src/whole.ts'
import { runSuite } from './google-drive-mock.ts'
import { differences, passingTests } from './suite-differences.ts'

it('passes the tests of google-drive-mock, except where the vendor explains the difference', { timeout: 600_000 }, async () => {
  const emulator = driveEmulator({ seed: 'empty', accessToken: 'valid-token', api: wholeApi })
  onTestFinished(() => emulator.close())
  const { url } = await emulator.listen()
  const tests = await runSuite(new URL(url).port)
  const failed = tests.filter(({ status }) => status === 'failed').map(({ name }) => name)
  const reasonOf = (name: string) => differences.find(({ names }) => names.test(name))
  expect(failed.filter((name) => reasonOf(name) === undefined)).toEqual([])
  const counts = differences.map((difference) => failed.filter((name) => reasonOf(name) === difference).length)
  expect(counts).toEqual(differences.map((difference) => difference.tests))
  expect(tests.filter(({ status }) => status === 'passed')).toHaveLength(passingTests)
})
