import { endpoints } from '../../packages/emulators/drive/src/api/endpoints.ts'
import { driveMethods } from '../../packages/emulators/drive/src/session/methods.ts'
import { driveRules } from '../../packages/emulators/drive/src/rules/index.ts'
import { extendedApi } from '../../packages/emulators/drive/src/api/extended-api.ts'
import { differences, passingTests } from '../../packages/emulators/drive/test/suite-differences.ts'
import { namesLine, rulesCount, rulesLists } from './tables.ts'

/** The generated parts of `docs/emulators/drive.md`. */
export function driveSections(): Record<string, string> {
  const rules = { ...driveRules, ...extendedApi.rules }
  return {
    coverage: coverageList(),
    suite: suiteList(),
    count: rulesCount(rules),
    rules: rulesLists(rules),
  }
}

function suiteList(): string {
  const lines = differences.map(({ tests, why, page }) => `- ${tests.length} fail: ${why} ([page](${page}))`)
  const all = differences.reduce((sum, { tests }) => sum + tests.length, passingTests)
  return `${passingTests} of ${all} tests pass, among them all that need version 3 alone.\n\n${lines.join('\n')}`
}

/** The methods by resource: those of all emulators, those of the package alone, and the absent ones. */
function coverageList(): string {
  const ofServers = new Set(endpoints.map(({ name }) => name))
  const ofPackage = new Set(extendedApi.endpoints.map(({ name }) => name))
  const resources = Map.groupBy(driveMethods.keys(), (name) => name.split('.')[0] ?? '')
  const lines = [...resources].sort().map(([resource, methods]) => {
    const verbs = (belongs: (name: string) => boolean) => methods.filter(belongs).map((name) => name.slice(resource.length + 1))
    return namesLine(resource, [
      ['', verbs((name) => ofServers.has(name))],
      ['package alone ', verbs((name) => ofPackage.has(name))],
      ['not emulated ', verbs((name) => !ofServers.has(name) && !ofPackage.has(name))],
    ])
  })
  return `${ofServers.size + ofPackage.size} of ${driveMethods.size} methods are emulated.\n\n${lines.join('\n')}`
}
