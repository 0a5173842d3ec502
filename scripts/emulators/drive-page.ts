import { endpoints } from '../../packages/emulators/drive/src/api/endpoints.ts'
import { driveMethods } from '../../packages/emulators/drive/src/api/methods.ts'
import { driveRules } from '../../packages/emulators/drive/src/api/documented-rules.ts'
import { extendedApi } from '../../packages/emulators/drive/src/api/extended-api.ts'
import { commonCalls } from '../../packages/emulators/drive/test/common-calls.ts'
import { differences, passingTests } from '../../packages/emulators/drive/test/suite-differences.ts'
import { markdownTable } from '../../packages/server/src/mcp/listing/tool-reference.ts'
import { names, rulesCount, rulesTables } from './tables.ts'

/** The generated parts of `docs/emulators/drive.md`. */
export function driveSections(): Record<string, string> {
  const rules = { ...driveRules, ...extendedApi.rules }
  return {
    coverage: coverageTable(),
    calls: names(commonCalls),
    suite: suiteTable(),
    count: rulesCount(rules),
    rules: rulesTables(rules),
  }
}

function suiteTable(): string {
  const rows = differences.map(({ tests, why, page }) => [String(tests.length), why, `[page](${page})`])
  const all = differences.reduce((sum, { tests }) => sum + tests.length, passingTests)
  return `${passingTests} of ${all} tests pass, among them all that need version 3 alone.\n\n${markdownTable(['Tests that fail', 'Why', 'Page of the vendor'], rows)}`
}

/** The methods by resource: those of all emulators, those of the package alone, and the absent ones. */
function coverageTable(): string {
  const ofServers = new Set(endpoints.map(({ name }) => name))
  const ofPackage = new Set(extendedApi.endpoints.map(({ name }) => name))
  const resources = Map.groupBy(driveMethods.keys(), (name) => name.split('.')[0] ?? '')
  const rows = [...resources].sort().map(([resource, methods]) => {
    const verbs = (belongs: (name: string) => boolean) => names(methods.filter(belongs).map((name) => name.slice(resource.length + 1)))
    return [
      resource,
      verbs((name) => ofServers.has(name)),
      verbs((name) => ofPackage.has(name)),
      verbs((name) => !ofServers.has(name) && !ofPackage.has(name)),
    ]
  })
  const count = `${ofServers.size + ofPackage.size} of ${driveMethods.size} methods are emulated.`
  return `${count}\n\n${markdownTable(['Resource', 'Emulated', 'Only in the package', 'Not emulated'], rows)}`
}
