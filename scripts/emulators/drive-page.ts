import { allEndpoints } from '../../packages/emulators/drive/src/api/endpoints.ts'
import { driveMethods } from '../../packages/emulators/drive/src/session/methods.ts'
import { driveRules } from '../../packages/emulators/drive/src/rules/index.ts'
import { differences, passingTests } from '../../packages/emulators/drive/test/suite-differences.ts'
import { namesLine, rulesCount } from './tables.ts'

/** The generated parts of `docs/emulators/drive.md`. */
export async function driveSections(): Promise<Record<string, string>> {
  return {
    coverage: await coverageList(),
    suite: suiteList(),
    count: rulesCount(driveRules),
  }
}

function suiteList(): string {
  const lines = differences.map(({ tests, why, page }) => `- ${tests.length} fail: ${why} ([page](${page}))`)
  const all = differences.reduce((sum, { tests }) => sum + tests.length, passingTests)
  return `${passingTests} of ${all} tests pass, including all those that need only version 3.\n\n${lines.join('\n')}`
}

/** The emulated and the missing methods, by resource. */
async function coverageList(): Promise<string> {
  const emulated = new Set((await allEndpoints()).map(({ name }) => name))
  const resources = Map.groupBy(driveMethods.keys(), (name) => name.split('.')[0] ?? '')
  const lines = [...resources].sort().map(([resource, methods]) => {
    const verbs = (isEmulated: boolean) =>
      methods.filter((name) => emulated.has(name) === isEmulated).map((name) => name.slice(resource.length + 1))
    return namesLine(resource, [
      ['', verbs(true)],
      ['not emulated ', verbs(false)],
    ])
  })
  return `${emulated.size} of ${driveMethods.size} methods are emulated.\n\n${lines.join('\n')}`
}
