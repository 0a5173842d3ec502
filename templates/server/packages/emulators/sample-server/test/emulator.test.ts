import { coverageOf, ruleProblems, textAt } from '@mcp-toolkits/emulator/testing'
import { expect, it, onTestFinished } from 'vitest'
import { sampleServerEmulator, sampleServerRules } from '../src/index.ts'

const covers = coverageOf<typeof sampleServerRules>()

/** Sends requests to a new emulator, and reads its answers. */
function opened(key = 'key') {
  const emulator = sampleServerEmulator({ key: 'key' })
  onTestFinished(() => emulator.close())
  return async (path: string, body?: unknown): Promise<[number, unknown]> => {
    const response = await emulator.fetch(`https://vendor.example/v1/${path}`, {
      headers: { authorization: `Basic ${btoa(`${key}:`)}` },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    return [response.status, await response.json()]
  }
}

it('covers every rule by a test', () => {
  expect(ruleProblems(sampleServerRules, new URL('.', import.meta.url))).toEqual([])
})

it('refuses another key', covers('account/key-required'), async () => {
  expect(await opened('other')('items/i1')).toEqual([401, { error: 'unauthorized' }])
})

it('creates an item, which can then be read', covers('items/create', 'items/get'), async () => {
  const send = opened()
  const [status, created] = await send('items', { name: 'New' })
  expect(status).toBe(201)
  const id = textAt(created, 'id')
  expect(await send(`items/${id}`)).toEqual([200, { id, name: 'New' }])
  expect(await send('items/none')).toEqual([404, { error: 'not found' }])
})

it('refuses an item without a name', covers('items/name-required'), async () => {
  expect(await opened()('items', {})).toEqual([400, { error: 'name is required' }])
})
