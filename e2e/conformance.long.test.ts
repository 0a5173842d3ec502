import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { program, runNode, temporaryDirectory } from './command.ts'
import { legacyRevision, revision } from '../packages/testing/src/processes/protocol.ts'
import { startBareNames } from './fixture/bare-names.ts'
import { startHttp } from './http-process.ts'
import { shareOf } from '../packages/testing/src/runs.ts'

const manifest = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'))
const suite = path.join(path.dirname(manifest), 'dist', 'index.js')
const report: string[] = []

interface Check {
  readonly id: string
  readonly status: string
}

interface Tested {
  readonly name: string
  readonly main: string
  /** File with the excused checks, relative to this file. */
  readonly baseline: string
  /** True if the suite calls its tools without their prefix. */
  readonly hasBareNames?: true
  /** Revision, scenario, and number of checks that pass. */
  readonly scenarios: readonly (readonly [string, string, number])[]
}

/** Number of checks that each scenario passes at each revision: all that apply to a server with tools. */
const servers: readonly Tested[] = [
  {
    name: 'event-pipeline',
    main: program,
    baseline: 'conformance-baseline.yaml',
    scenarios: [
      [legacyRevision, 'server-initialize', 2],
      [legacyRevision, 'ping', 2],
      [legacyRevision, 'tools-list', 3],
      [legacyRevision, 'dns-rebinding-protection', 2],
      [revision, 'server-stateless', 24],
      [revision, 'tools-list', 4],
      [revision, 'caching', 8],
      [revision, 'dns-rebinding-protection', 2],
      [revision, 'http-header-validation', 14],
      [revision, 'server-sse-multiple-streams', 1],
      [revision, 'input-required-result-unsupported-methods', 2],
      [revision, 'input-required-result-validate-input', 3],
    ],
  },
  {
    name: 'fixture',
    main: path.join(import.meta.dirname, 'fixture', 'main.ts'),
    baseline: 'fixture/conformance-baseline.yaml',
    scenarios: [
      [legacyRevision, 'tools-call-simple-text', 2],
      [legacyRevision, 'tools-call-error', 2],
      [legacyRevision, 'tools-call-with-progress', 2],
      [revision, 'tools-call-simple-text', 2],
      [revision, 'tools-call-error', 2],
      [revision, 'tools-call-with-progress', 2],
      [revision, 'server-stateless', 26],
    ],
  },
  {
    name: 'tasks-fixture',
    main: path.join(import.meta.dirname, 'fixture', 'tasks-main.ts'),
    baseline: 'fixture/tasks-baseline.yaml',
    hasBareNames: true,
    scenarios: [
      [revision, 'tasks-lifecycle', 8],
      [revision, 'tasks-capability-negotiation', 5],
      [revision, 'tasks-wire-fields', 4],
      [revision, 'tasks-request-state-removal', 3],
      [revision, 'tasks-mrtr-input', 3],
      [revision, 'tasks-request-headers', 4],
      [revision, 'tasks-dispatch-and-envelope', 9],
      [revision, 'tasks-required-task-error', 1],
      [revision, 'tasks-mrtr-composition', 2],
    ],
  },
]

afterAll(() => {
  process.stdout.write(`\n${report.join('\n')}\n\n`)
})

describe.for(servers)('$name', ({ name, main, baseline, hasBareNames, scenarios }) => {
  const baselineFile = path.join(import.meta.dirname, baseline)
  const stack = new AsyncDisposableStack()
  let url = ''
  beforeAll(async () => {
    const server = stack.use(await startHttp({ main, args: ['--log-level', 'error', ...(main === program ? ['--embedded'] : [])] }))
    url = hasBareNames ? stack.use(await startBareNames(server.url, 'test')).url : server.url
  })
  afterAll(() => stack.disposeAsync())

  // Each scenario starts a process of its own.
  const chosen = shareOf(scenarios, 4, 0)
  test.for(chosen)('conforms to %s: %s', async ([version, scenario, expected]) => {
    const { code, printed, checks } = await conformance(url, { version, scenario, baselineFile })
    expect(code, printed).toBe(0)
    const passed = checks.filter(({ status }) => status === 'SUCCESS')
    expect(passed.length, printed).toBe(expected)
    const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING').map(({ id }) => `${scenario}:${id}`)
    // The suite tolerates an entry even if its check did not run at all.
    const excused = (await entriesOf(baselineFile)).filter((entry) => entry.startsWith(`${scenario}:`))
    expect(failed.toSorted()).toEqual(excused.toSorted())
    report.push(`${name.padEnd(16)}${version}  ${scenario.padEnd(44)}${passed.length} passed, ${excused.length} excused`)
  })

  test('excuses only what is run', async () => {
    const run = scenarios.map(([, scenario]) => scenario)
    for (const entry of await entriesOf(baselineFile)) expect(run).toContain(entry.split(':')[0])
  })
})

interface Wanted {
  readonly version: string
  readonly scenario: string
  readonly baselineFile: string
}

/** Runs one scenario of the suite against a server. */
async function conformance(url: string, { version, scenario, baselineFile }: Wanted) {
  const results = await temporaryDirectory()
  const options = ['--scenario', scenario, '--spec-version', version, '--expected-failures', baselineFile, '-o', results]
  // Extensions do not belong to a revision.
  const { code, output, errors } = await runNode([suite, 'server', '--url', url, ...options, '--force'])
  return { code, printed: output + errors, checks: await checksIn(results) }
}

async function checksIn(directory: string): Promise<Check[]> {
  const files = (await readdir(directory, { recursive: true })).filter((file) => path.basename(file) === 'checks.json')
  const all = await Promise.all(files.map(async (file): Promise<unknown> => JSON.parse(await readFile(path.join(directory, file), 'utf8'))))
  return all.flat().filter(isCheck)
}

function isCheck(value: unknown): value is Check {
  return typeof value === 'object' && value !== null && 'id' in value && 'status' in value
}

async function entriesOf(baselineFile: string): Promise<string[]> {
  return [...(await readFile(baselineFile, 'utf8')).matchAll(/^ *- (\S+)$/gm)].map(([, entry]) => entry ?? '')
}
