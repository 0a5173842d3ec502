import { isObject, member } from '@mcp-toolkits/core/base'
import { describe, expect, test } from 'vitest'
import { openBench, vendors, type Bench } from './bench.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import type { Arguments, Vendor } from '../../packages/testing/src/vendors/vendor.ts'

/** Values that callers write for a parameter they leave unset. */
const blanks = ['', ' ', '\n', '\u00A0', '\u200B', null, ['']]

const shares = 7

/** Maximum length, in characters, of text that is a name, a date or a reference. */
const maxShortText = 10_000

interface Tool {
  readonly optional: readonly string[]
  readonly required: readonly string[]
  /** The optional parameters that take long text. */
  readonly long: readonly string[]
}

async function parametersOf({ session }: Bench, { server }: Vendor, tool: string): Promise<Tool> {
  const { tools } = await session.client.listTools()
  const schema = tools.find(({ name }) => name === `${server.prefix}_${tool}`)?.inputSchema
  const properties = isObject(schema?.properties) ? schema.properties : {}
  const names = Object.keys(properties)
  const required = names.filter((name) => schema?.required?.includes(name))
  const optional = names.filter((name) => !required.includes(name))
  return { required, optional, long: optional.filter((name) => Number(member(properties[name], 'maxLength')) > maxShortText) }
}

/** Waits until a file of events has been sent, which happens in the background. */
async function backfillEnd(bench: Bench, { backfill, outcome }: Readonly<Record<string, unknown>>): Promise<void> {
  if (backfill === undefined || !['reading', 'queued'].includes(String(outcome))) return
  await backfillEnd(bench, (await bench.call('GetBackfill', { backfill })).result)
}

/** The effect of a call at the vendor, or its refusal. */
async function outcomeOf(vendor: Vendor, tool: string, args: Arguments) {
  await using bench = await openBench(vendor)
  const { error, result } = await bench.call(tool, args)
  await backfillEnd(bench, result)
  return { code: error?.code, state: await bench.opened.state() }
}

describe.for(vendors)('$server.name', (vendor) => {
  const writing = vendor.tools.filter(({ effect }) => effect !== 'read').map((tool, index) => ({ ...tool, index }))
  test.for(writing)(
    'a blank or a null for an optional parameter of $name writes nothing',
    { timeout: 300_000 },
    async ({ name, effect, index }) => {
      await using bench = await openBench(vendor)
      const before = await bench.opened.state()
      const { optional, long } = await parametersOf(bench, vendor, name)
      const valid = bench.opened.calls[name] ?? {}
      const all = blanks.map((blank) => Object.fromEntries(optional.map((parameter) => [parameter, blank])))
      const one: Arguments[] = optional.map((parameter) => ({ [parameter]: '' }))
      const outcomes = new Map<string, ReturnType<typeof outcomeOf>>()
      const outcome = (args: Arguments) => {
        const key = JSON.stringify(args)
        const known = outcomes.get(key) ?? outcomeOf(vendor, name, args)
        outcomes.set(key, known)
        return known
      }
      for (const written of [...shareOf(all, shares, index), ...shareOf(one, shares, index)]) {
        const absent = Object.fromEntries(Object.entries(valid).filter(([parameter]) => !Object.hasOwn(written, parameter)))
        const found = await outcome({ ...valid, ...written })
        // If a change has a blank for long text alone, that may be meant to empty the text, so it is refused.
        const mayEmpty = effect === 'update' && one.includes(written) && long.some((parameter) => Object.hasOwn(written, parameter))
        const isRefused = mayEmpty && found.code === 'invalid_input'
        expect(found, JSON.stringify(written)).toEqual(isRefused ? { code: 'invalid_input', state: before } : await outcome(absent))
      }
    },
  )

  test.for(shareOf(writing, 3, 0))('a blank for a parameter that $name needs is refused', async ({ name }) => {
    await using bench = await openBench(vendor)
    const { required } = await parametersOf(bench, vendor, name)
    const valid = bench.opened.calls[name] ?? {}
    const before = await bench.opened.state()
    for (const parameter of required)
      for (const blank of ['', ' ', '\u200B', null]) {
        const { error } = await bench.call(name, { ...valid, [parameter]: blank })
        expect(error, `${parameter} ${JSON.stringify(blank)}`).toMatchObject({ code: 'invalid_input' })
        expect(String(member(error, 'message'))).toContain(`"${parameter}"`)
      }
    expect(await bench.opened.state()).toEqual(before)
  })
})
