import { expect, test } from 'vitest'
import { execution, pipeline } from './pipeline.ts'

const tool = 'EventPipelineApi_SendBatchRequests'
const strict = { enable_strict_mode: 'True' }

const good = (index: number) => ({ type: 'track', userId: `user-${index}`, event: 'Order Completed', properties: { total: index } })
const unnamed = (index: number) => ({ type: 'track', userId: `user-${index}` })
const misnamed = (index: number) => ({ type: 'track', user_id: `user-${index}`, event_name: 'Order Completed', timestamp: 1_769_860_800 })
const mixed = (index: number) => ({ ...[good, unnamed, misnamed][index % 3]?.(index) })

const batchOf = (count: number, item: (index: number) => object) => ({ batch: Array.from({ length: count }, (_, index) => item(index)) })

/** The text of a result or an error, and its structured content as text. */
async function bytesOf(count: number, item: (index: number) => object, options: object = {}) {
  await using server = await pipeline()
  const result = await server.result(tool, execution(batchOf(count, item), { ...options }))
  const [block] = result.content
  const text = block?.type === 'text' ? block.text : ''
  return { text, structured: JSON.stringify(result.structuredContent ?? {}), isError: result.isError === true }
}

test.for([500, 2_000])('the result of %d good events lists 20 ids, counts the rest and is short', async (count) => {
  const { text, structured } = await bytesOf(count, good)
  expect(Math.max(Buffer.byteLength(text), Buffer.byteLength(structured))).toBeLessThanOrEqual(2_400)
  expect(JSON.parse(text)).toMatchObject({ message_count: count, added: [{ at: `batch[0-${count - 1}]` }], findings: [] })
  expect(text).toBe(structured)
})

test.for([
  ['unnamed', unnamed],
  ['misnamed', misnamed],
  ['mixed', mixed],
] as const)('each fault in 500 and 2,000 %s events is reported once, in both modes', async ([, item]) => {
  for (const count of [500, 2_000]) {
    for (const options of [{}, strict]) {
      const { text, structured } = await bytesOf(count, item, options)
      expect(Math.max(Buffer.byteLength(text), Buffer.byteLength(structured))).toBeLessThanOrEqual(24_000)
      const isSent = !text.includes('"error"')
      expect(text.match(/user_id","problem"/g) ?? []).toHaveLength(item !== unnamed && isSent ? 1 : 0)
      expect(text.match(/is required/g)?.length ?? 0).toBeLessThanOrEqual(3)
    }
  }
})

test('says which items of a batch are bad, and how to send the others', async () => {
  await using server = await pipeline()
  const batch = [good(0), unnamed(1), good(2), misnamed(3), unnamed(4)]
  const error = await server.fails(tool, execution({ batch }, strict))
  expect(error).toMatchObject({
    code: 'invalid_input',
    http_status: 400,
    errors: ['batch[1,3-4]: event is required', expect.stringContaining('batch[3]'), expect.stringContaining('batch[3]')],
  })
  expect(error.message).toContain('Missing: batch[1,3-4].event (non-empty string).')
  expect(error.message).toContain('batch[1,4] left out.')
  expect(error.next).toBeUndefined()
  await server.call(tool, { mode: 'execute', ...strict, request_body: error.suggestions?.[0]?.value })
  const accepted = server.emulator.store.events().filter(({ outcome }) => outcome === 'accepted')
  expect(accepted.map(({ user_id: user }) => user)).toEqual(['user-0', 'user-2', 'user-3'])
})

test('says in words how to send the rest of a large batch', async () => {
  await using server = await pipeline()
  const error = await server.fails(
    tool,
    execution(
      batchOf(500, (index) => (index === 7 ? unnamed(7) : good(index))),
      strict,
    ),
  )
  expect(error.next).toBeUndefined()
  expect(error.message).toContain('Leave out batch[7], and send the other 499.')
})

test('sends a batch that would be processed in part in permissive mode, and reports what cannot be corrected', async () => {
  await using server = await pipeline()
  const result = await server.call(tool, execution({ batch: [good(0), unnamed(1)] }))
  expect(result).toMatchObject({ outcome: 'partly_dropped', dropped: 'batch[1]', http_status: 200 })
  expect(JSON.stringify(result['findings'])).toContain('batch[1].event')
  expect(server.emulator.store.events().map(({ outcome }) => outcome)).toEqual(['accepted', 'dropped'])
})

test('in permissive mode, sends nothing of a batch whose items can all be corrected, unless the correction is too long to show', async () => {
  await using server = await pipeline()
  const error = await server.fails(tool, execution({ batch: [good(0), misnamed(1)] }))
  expect(server.emulator.store.requests()).toEqual([])
  await server.call(tool, { mode: 'execute', request_body: error.next?.change?.['request_body'] })
  expect(server.emulator.store.events().map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted'])
  const long = batchOf(500, (index) => (index === 7 ? misnamed(7) : good(index)))
  expect(await server.call(tool, execution(long))).toMatchObject({ outcome: 'partly_dropped', dropped: 'batch[7]' })
})

test('a call with a printed messageId sends nothing again, with or without the other added fields', async () => {
  await using server = await pipeline()
  const batch = [good(0), good(1)]
  const { message_ids: ids } = await server.call(tool, execution({ batch }))
  const repeated = batch.map((item, index) => ({ ...item, messageId: Array.isArray(ids) ? String(ids[index]) : '' }))
  const result = await server.call(tool, execution({ batch: repeated }))
  expect(JSON.stringify(result['notices'])).toContain('was not sent again')
  expect(result['message_ids']).toEqual(ids)
  expect(server.emulator.store.requests().length).toBe(1)
})
