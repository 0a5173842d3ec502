import { describe, expect, it } from 'vitest'
import { arrayElements } from '../src/request.ts'
import { covers } from './covers.ts'
import { bad, connected, ok } from './send.ts'

const good = { type: 'track', userId: 'u1', event: 'x' }

describe('batch', () => {
  it.each([
    [{}, 'batch must be an array of at least one call'],
    [{ batch: [] }, 'batch must be an array of at least one call'],
    [{ batch: good }, 'batch must be an array of at least one call'],
    [{ batch: [good, 5] }, 'batch[1]: the item must be an object, got a number'],
    [{ batch: [{ ...good, type: undefined }] }, 'batch[0]: type must be one of identify, track, page, screen, group, alias'],
    [{ batch: [{ ...good, type: 'Track' }] }, 'batch[0]: type must be one of identify, track, page, screen, group, alias'],
    [{ batch: [{ ...good, type: 'batch' }] }, 'batch[0]: type must be one of identify, track, page, screen, group, alias'],
    [{ batch: [good, { ...good, userId: '' }] }, 'batch[1]: userId or anonymousId or groupId is required'],
  ])('refuses %j in strict mode: %s', covers('batch/array', 'batch/type'), async (body, error) => {
    expect(await connected().strictly('batch', body)).toEqual(bad(error))
  })

  it(
    'processes the good items in permissive mode, and none in strict mode',
    covers('permissive/bad-item', 'strict/bad-item', 'batch/order'),
    async () => {
      const { send, strictly, store } = connected()
      const batch = [
        { ...good, messageId: 'm1' },
        { ...good, timestamp: 1 },
        { ...good, messageId: 'm2' },
      ]
      expect((await strictly('batch', { batch })).status).toBe(400)
      expect(await send('batch', { batch })).toEqual(ok)
      expect(store.events().map(({ position, outcome, reason }) => [position, outcome, reason])).toEqual([
        [0, 'refused', 'another item of the batch is not valid'],
        [1, 'refused', expect.stringContaining('timestamp')],
        [2, 'refused', 'another item of the batch is not valid'],
        [0, 'accepted', null],
        [1, 'dropped', expect.stringContaining('timestamp')],
        [2, 'accepted', null],
      ])
    },
  )

  it('takes as many calls as fit into 500 KB', covers('batch/count'), async () => {
    const { strictly, store } = connected()
    const batch = Array.from({ length: 5_000 }, (_, index) => ({ ...good, messageId: `m${index}` }))
    expect(await strictly('batch', { batch })).toEqual(ok)
    expect(store.events().filter(({ outcome }) => outcome === 'accepted')).toHaveLength(5_000)
  })

  it('processes a repeated messageId once', covers('messages/duplicate'), async () => {
    const { send, store } = connected()
    const item = { ...good, messageId: 'm1' }
    await send('batch', { batch: [item, item] })
    expect(store.events().map(({ outcome, duplicate_of }) => [outcome, duplicate_of])).toEqual([
      ['accepted', null],
      ['duplicate', 1],
    ])
  })

  it('applies its context to items without one, and its integrations to none', covers('batch/context', 'batch/integrations'), async () => {
    const { send, store } = connected()
    const own = { ip: '1.1.1.1' }
    await send('batch', { batch: [good, { ...good, context: own }], context: { ip: '2.2.2.2' }, integrations: { All: false } })
    const notes = 'integrations beside the batch has no effect'
    expect(store.events()).toMatchObject([
      { outcome: 'accepted', context: '{"ip":"2.2.2.2"}', notes, body: JSON.stringify(good) },
      { outcome: 'accepted', context: '{"ip":"1.1.1.1"}', notes },
    ])
  })

  it('drops the items that would use a bad context', covers('batch/bad-context'), async () => {
    const { send, store } = connected()
    await send('batch', { batch: [good, { ...good, context: {} }], context: 'x' })
    expect(store.events()).toMatchObject([{ outcome: 'dropped', reason: 'context must be an object, got text' }, { outcome: 'accepted' }])
  })

  it('accepts an item of 32 KB, measured as it was written', covers('permissive/too-large'), async () => {
    const { send, store } = connected()
    const spaces = ' '.repeat(32 * 1024)
    const item = JSON.stringify(good)
    await send('batch', `{"batch":[${item}, ${item.replace('{', `{${spaces}`)} ,${spaces}${item}]}`)
    const bytes = item.length + spaces.length
    expect(store.events().map((event) => [event.outcome, event.bytes, event.reason])).toEqual([
      ['accepted', item.length, null],
      ['dropped', bytes, `the call is ${bytes} bytes long; the limit is 32768`],
      ['accepted', item.length, null],
    ])
  })

  it.each([
    [0, 'accepted'],
    [1, 'dropped'],
  ])('with 500 KB and %i bytes is %s', covers('permissive/too-large', 'limits/kilobyte'), async (more, outcome) => {
    const { send, store } = connected()
    const item = { ...good, properties: { filler: 'x'.repeat(30_000) } }
    const body = JSON.stringify({ batch: Array(17).fill(item) })
    const limit = 500 * 1024
    await send('batch', body + ' '.repeat(limit + more - body.length))
    expect(new Set(store.events().map((event) => event.outcome))).toEqual(new Set([outcome]))
    expect(store.events()).toHaveLength(more === 0 ? 17 : 1)
  })

  it('may be longer if the limits allow it', covers('limits/option'), async () => {
    const { send, store } = connected({ limits: { call: 64 * 1024, batch: 1024 * 1024 } })
    const item = (bytes: number) => ({ ...good, properties: { filler: 'x'.repeat(bytes) } })
    await send('batch', { batch: [...Array<object>(15).fill(item(60_000)), item(70_000)] })
    expect(store.events().map(({ outcome }) => outcome)).toEqual([...Array<string>(15).fill('accepted'), 'dropped'])
    await send('batch', { batch: Array(20).fill(item(60_000)) })
    expect(store.events().at(-1)?.reason).toMatch(/^the batch is \d+ bytes long; the limit is 1048576$/)
  })

  it('is stored as one row when its events cannot be separated', async () => {
    const { send, store } = connected()
    await send('batch', '{"batch":[')
    expect(store.events()).toMatchObject([
      { type: 'batch', position: null, outcome: 'dropped', reason: 'the body is not JSON', body: '{"batch":[' },
    ])
  })
})

describe('arrayElements', () => {
  it.each([
    ['{"batch":[]}', []],
    ['{"batch":[1.0, "a,]}\\"" ,{"b":[1,{"c":2}]},[[]],null,true]}', ['1.0', '"a,]}\\""', '{"b":[1,{"c":2}]}', '[[]]', 'null', 'true']],
    ['{"a":{"batch":[1]},"c":[["batch"],2],"batch" : [ {"batch":[3]} ],"d":4}', ['{"batch":[3]}']],
    ['{"batch":[1],"b\\u0061tch":[2]}', ['2']],
    ['{"a":"batch","batch":[12345678901234567890]}', ['12345678901234567890']],
  ])('finds the elements of %s', (json, expected) => {
    expect(JSON.parse(json)).toHaveProperty('batch')
    expect(arrayElements(json, 'batch')).toEqual(expected)
  })

  it('finds long elements', () => {
    const long = JSON.stringify('"\\'.repeat(1_000_000))
    expect(arrayElements(`{"batch":[${long},${long}]}`, 'batch')).toEqual([long, long])
  })
})
