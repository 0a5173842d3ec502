import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { reasons } from '../src/linear/errors.ts'
import { issueTracker } from '../src/server.ts'
import { workspace } from './workspace.ts'

/** The types of errors that Linear's SDK knows, with the outcome of each: who must act, and whether the same call may succeed later. */
const types: readonly (readonly [type: string, code: string, retryable: boolean])[] = [
  ['feature not accessible', 'forbidden', false],
  ['invalid input', 'invalid_input', false],
  ['ratelimited', 'rate_limited', true],
  ['network error', 'unavailable', true],
  ['authentication error', 'unauthenticated', false],
  ['forbidden', 'forbidden', false],
  ['bootstrap error', 'unavailable', true],
  ['unknown', 'unavailable', false],
  ['internal error', 'unavailable', true],
  ['other', 'unavailable', false],
  ['user error', 'invalid_input', false],
  ['graphql error', 'invalid_input', false],
  ['lock timeout', 'unavailable', true],
  ['usage limit exceeded', 'forbidden', false],
]

test.for(types)('the reason %j has an entry, and leads to the error %s', async ([type, code, retryable]) => {
  expect(reasons).toHaveProperty([type])
  for (const extensions of [{ type }, { code: type.toUpperCase().replaceAll(' ', '_') }]) {
    await using server = await workspace({ clock: new ManualClock() })
    const body = { data: null, errors: [{ message: 'Because', extensions }] }
    server.emulator.faults.add({ times: 50, action: { kind: 'status', status: 200, body } })
    expect(await server.fails('IssueTracker.ListTeams')).toMatchObject({ code, retryable })
    if (!retryable) expect(server.requests()).toBe(1)
  }
})

test('there is no hint for a reason without an entry', async () => {
  await using server = await workspace({ clock: new ManualClock() })
  const body = { data: null, errors: [{ message: 'Because', extensions: { type: 'brand new', code: 'BRAND_NEW' } }] }
  server.emulator.faults.add({ action: { kind: 'status', status: 200, body } })
  const error = await server.fails('IssueTracker.ListTeams')
  expect(error).toEqual({ code: 'invalid_input', message: 'Linear refused the request. Linear says: "Because".', retryable: false })
})

const Input = z.object({
  properties: z.record(z.string(), z.object({ type: z.string().optional(), enum: z.array(z.string()).optional() })),
  required: z.array(z.string()).default([]),
})

test.for(issueTracker.listedTools)('no error from $name about a reference points back to $name', async ({ name, inputSchema }) => {
  await using server = await workspace()
  const { properties, required } = Input.parse(inputSchema)
  const argumentFor = (parameter: string) => {
    const { type, enum: values } = properties[parameter] ?? {}
    return values?.[0] ?? (type === 'boolean' ? true : type === 'array' ? ['Zzqqxx'] : 'Zzqqxx')
  }
  const base = Object.fromEntries(required.map((parameter) => [parameter, argumentFor(parameter)]))
  const references = ['team', 'state', 'assignee', 'label', 'project', 'lead'].filter((each) => each in properties)
  for (const added of [undefined, ...references]) {
    const { isError, content } = await server.result(`IssueTracker.${name}`, {
      ...base,
      ...(added !== undefined && { [added]: argumentFor(added) }),
    })
    if (isError === true) expect(JSON.stringify(content)).not.toMatch(new RegExp(`IssueTracker_${name}\\b`))
  }
})
