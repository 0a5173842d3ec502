import { isObject, member } from '@mcp-toolkits/core/base'
import { describe, expect, test } from 'vitest'
import { expectCounts } from './counts.ts'
import { openBench, vendors, type Bench } from './bench.ts'
import { hostileValuesFor } from './hostile-values.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import type { Arguments, Vendor } from '../../packages/testing/src/vendors/vendor.ts'

/** The codes on which a caller can act. */
const typedCodes = [
  'invalid_input',
  'not_found',
  'ambiguous',
  'forbidden',
  'unauthenticated',
  'conflict',
  'rate_limited',
  'too_large',
  'unavailable',
]

/** Maximum length of an error, in characters: it quotes only as much of the caller's text as helps. Results may be longer. */
const maxErrorLength = 20_000
const maxResultLength = 9 * 1024 * 1024

/** Makes one call with hostile arguments, and returns what is wrong with the answer. */
async function problemOf(bench: Bench, tool: string, args: Arguments): Promise<string | undefined> {
  const answer = await bench.call(tool, args).catch(String)
  // A message that contains too much is refused before it becomes a call.
  if (typeof answer === 'string')
    return /"code":-32\d\d\d/.test(answer) && answer.length < maxErrorLength ? undefined : answer.slice(0, 300)
  const { error, text } = answer
  if (!error) return text.length > maxResultLength ? `a result of ${text.length} characters` : undefined
  if (!typedCodes.includes(error.code)) return `${error.code}: ${error.message.slice(0, 200)}`
  return text.length > maxErrorLength ? `an error of ${text.length} characters` : undefined
}

async function parametersOf(bench: Bench, { server }: Vendor, tool: string): Promise<[string, object][]> {
  const { tools } = await bench.session.client.listTools()
  const listed = tools.find(({ name }) => name === `${server.prefix}_${tool}`)
  const properties = member(listed?.inputSchema, 'properties')
  return isObject(properties) ? Object.entries(properties).flatMap(([name, schema]) => (isObject(schema) ? [[name, schema]] : [])) : []
}

const hostileNames = ['__proto__', 'constructor', 'toString', 'x'.repeat(100_000), '\u202e\u0000']

const counts = { tools: 0, parameters: 0, values: 0 }

describe.for(vendors)('$server.name', (vendor) => {
  test.for(vendor.tools)(
    '$name answers every hostile value with a typed error or a right result',
    { timeout: 300_000 },
    async ({ name }) => {
      await using bench = await openBench(vendor, { tool: name })
      counts.tools += 1
      const valid = bench.opened.calls[name] ?? {}
      const problems: string[] = []
      for (const [index, [parameter, schema]] of (await parametersOf(bench, vendor, name)).entries()) {
        counts.parameters += 1
        for (const hostile of shareOf(hostileValuesFor(schema, index), 9, counts.parameters)) {
          counts.values += 1
          const problem = await problemOf(bench, name, { ...valid, [parameter]: hostile.value })
          if (problem !== undefined) problems.push(`${parameter} = ${hostile.name}: ${problem}`)
        }
      }
      for (const extra of shareOf(hostileNames, 5, counts.tools)) {
        const named: unknown = JSON.parse(`{${JSON.stringify(extra)}: 1}`)
        const problem = await problemOf(bench, name, isObject(named) ? named : {})
        if (problem !== undefined) problems.push(`an argument called ${extra.slice(0, 20)}: ${problem}`)
      }
      expect(problems).toEqual([])
      expect(Reflect.has({}, 'polluted')).toBe(false)
    },
  )

  test('40,000 unknown arguments are refused with a short error', async () => {
    await using bench = await openBench(vendor)
    const names = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`argument_${index}`, 1]))
    const [tool = ''] = Object.keys(bench.opened.calls)
    expect(await problemOf(bench, tool, names)).toBeUndefined()
  })
})

test('counts the hostile values', async () => {
  await expectCounts('hostile', counts)
})
