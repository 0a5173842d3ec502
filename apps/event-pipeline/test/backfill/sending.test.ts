import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { member } from '@mcp-toolkits/core/base'
import { isFull } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { elapse } from '../pipeline.ts'
import { acceptedBy, backfillServer, cancel, csvOf, get, list, mapping, send } from './rows.ts'

test('sends each row of a CSV file as a call, and waits for a short file', async () => {
  await using server = await backfillServer()
  const result = await server.call(send, { text: csvOf(3), call: 'track', mapping })
  expect(result).toMatchObject({ outcome: 'delivered', rows: { read: 3, accepted: 3, refused: 0, waiting: 0 }, notices: [] })
  const [event] = server.emulator.store.events()
  expect(JSON.parse(event?.body ?? '')).toMatchObject({
    ...{ type: 'track', userId: 'u-0', event: 'Paid', timestamp: '2026-01-31T12:00:00Z', properties: { total: 0.5 } },
  })
  expect(server.emulator.store.requests().map(({ path, strict }) => [path, strict])).toEqual([['/v1/batch', true]])
})

test('refuses rows with a part that would be ignored, and says where it belongs', async () => {
  await using server = await backfillServer()
  const click = { type: 'track', event: 'Clicked', timestamp: '2026-01-31T12:00:00Z' }
  const rows = [
    { ...click, userId: 'u-1', properties: { total: 1 }, channel: 'server', projectId: 'p1' },
    { ...click, userId: 'u-2', attributes: { total: 1 } },
  ]
  const result = await server.call(send, { text: rows.map((row) => JSON.stringify(row)).join('\n') })
  expect(result).toMatchObject({ outcome: 'partly_refused', rows: { accepted: 1, refused: 1 } })
  expect(JSON.stringify(result['refused'])).toContain('move it to properties.')
  expect(acceptedBy(server)).toEqual(['u-1'])
})

test('refuses bad rows with their numbers and reasons, and sends the others', async () => {
  await using server = await backfillServer()
  const text = [
    'user,what,when,amount',
    'u-1,Paid,2026-01-31,1',
    ',Paid,2026-01-31,1',
    'undefined,Paid,2026-01-31,1',
    'u-4,Paid,soon,x',
    'u-5,Paid',
    'u-6,"Paid,2026-01-31,1',
  ].join('\n')
  const result = await server.call(send, { text: `${text}"`, call: 'track', mapping })
  expect(result).toMatchObject({ outcome: 'partly_refused', rows: { accepted: 1, refused: 5 } })
  const refused = JSON.stringify(result['refused'])
  for (const reason of ['"rows":"3"', 'stands for no value', 'which is not a valid time', 'which is not a valid number', 'has 2 cells'])
    expect(refused).toContain(reason)
  expect(acceptedBy(server)).toEqual(['u-1'])
})

test('shows five rows as calls, counts the mistakes and sends nothing', async () => {
  await using server = await backfillServer()
  const text = `${csvOf(7)}\n,Paid,2026-01-31T12:00:00Z,1`
  const result = await server.call(send, { text, call: 'track', mapping, dry_run: true })
  expect(result).toMatchObject({ outcome: 'checked', rows: { read: 8, accepted: 0, refused: 1, waiting: 7 } })
  expect(result['sample']).toHaveLength(5)
  expect(result['sample']).toMatchObject([{ row: 2, call: { type: 'track', userId: 'u-0' } }, {}, {}, {}, {}])
  expect(server.emulator.store.requests()).toEqual([])
  expect(await server.call(list, {})).toMatchObject({ backfills: [] })
})

test('proposes a mapping for columns that are not fields, and the nearest column for one that the file lacks', async () => {
  await using server = await backfillServer()
  const text = 'user_id,event_name,time,amount\nu-1,Paid,2026-01-31T12:00:00Z,1'
  const error = await server.fails(send, { text, call: 'track' })
  const proposed = { userId: 'user_id', event: 'event_name', timestamp: 'time', 'properties.amount': 'amount' }
  expect(error).toMatchObject({ code: 'invalid_input', next: { change: { mapping: proposed } } })
  expect(await server.call(send, { text, call: 'track', mapping: proposed })).toMatchObject({ outcome: 'delivered' })
  const wrong = await server.fails(send, { text, call: 'track', mapping: { ...proposed, event: 'event_nam' } })
  expect(wrong).toMatchObject({ code: 'invalid_input', suggestions: [{ value: 'event_name', parameter: 'mapping' }] })
})

test('sends NDJSON rows that are calls of several types, without a mapping', async () => {
  await using server = await backfillServer()
  const rows = [
    { type: 'identify', userId: 'u-1', traits: { plan: 'pro' } },
    { type: 'track', userId: 'u-1', event: 'Paid' },
    { type: 'trak', userId: 'u-1' },
  ]
  const result = await server.call(send, { text: rows.map((row) => JSON.stringify(row)).join('\n') })
  expect(result).toMatchObject({ outcome: 'partly_refused', rows: { accepted: 2, refused: 1 }, refused: [{ rows: '3' }] })
  expect(JSON.stringify(result['notices'])).toContain('2 rows without a timestamp')
})

test('neither a repeat of the call nor a corrected file sends anything twice', async () => {
  await using server = await backfillServer()
  const text = `${csvOf(2)}\n,Paid,2026-01-31T12:00:00Z,1`
  const first = await server.call(send, { text, call: 'track', mapping })
  const again = await server.call(send, { text, call: 'track', mapping })
  expect(again).toMatchObject({ backfill: first['backfill'], rows: { accepted: 2 } })
  expect(JSON.stringify(again['notices'])).toContain('nothing is sent twice')
  expect(server.emulator.store.requests()).toHaveLength(1)
  await server.call(send, { text: text.replace('\n,Paid', '\nu-9,Paid'), call: 'track', mapping })
  expect(acceptedBy(server)).toEqual(['u-0', 'u-1', 'u-9'])
})

test('equal rows of one file are separate events', async () => {
  await using server = await backfillServer()
  const text = 'userId,event,timestamp\nu-1,Paid,2026-01-31T12:00:00Z\nu-1,Paid,2026-01-31T12:00:00Z'
  expect(await server.call(send, { text, call: 'track' })).toMatchObject({ rows: { accepted: 2 } })
  expect(acceptedBy(server)).toEqual(['u-1', 'u-1'])
})

test('tells thousands of rows apart, even equal ones', async () => {
  await using server = await backfillServer()
  const count = isFull ? 5_000 : 1_000
  const [header = '', first = '', ...others] = csvOf(count).split('\n')
  const text = [header, ...Array<string>(300).fill(first), ...others].join('\n')
  expect(await server.call(send, { text, call: 'track', mapping })).toMatchObject({ outcome: 'delivered', rows: { accepted: count + 299 } })
  const ids = server.emulator.store.events().map(({ body }) => /"messageId":"([^"]*)"/.exec(body)?.[1])
  expect(new Set(ids).size).toBe(count + 299)
})

test('sends only the named rows', async () => {
  await using server = await backfillServer()
  expect(await server.call(send, { text: csvOf(6), call: 'track', mapping, rows: '2, 4-5' })).toMatchObject({
    rows: { read: 3, accepted: 3 },
  })
  expect(acceptedBy(server)).toEqual(['u-0', 'u-2', 'u-3'])
})

test('returns the state while the vendor is down, and continues on its own', async () => {
  await using server = await backfillServer()
  server.emulator.faults.add({ times: 20, action: { kind: 'status', status: 503 } })
  const answer = await elapse(server.clock, server.call(send, { text: csvOf(2), call: 'track', mapping }))
  expect(answer).toMatchObject({ outcome: 'queued', rows: { accepted: 0, waiting: 2 }, last_error: 'Customer.io answered HTTP 503.' })
  await server.clock.advance(3_600_000)
  const look = async () => {
    await elapse(server.clock, Promise.resolve(), 60_000)
    return server.call(get, { backfill: answer['backfill'] })
  }
  await expect.poll(look).toMatchObject({ outcome: 'delivered', rows: { accepted: 2, waiting: 0 } })
  expect(acceptedBy(server)).toEqual(['u-0', 'u-1'])
})

test('cancels a backfill, and its remaining rows are not sent', async () => {
  await using server = await backfillServer()
  server.emulator.faults.add({ times: 20, action: { kind: 'status', status: 503 } })
  await elapse(server.clock, server.call(send, { text: csvOf(2), call: 'track', mapping }))
  expect(await server.call(cancel, {})).toMatchObject({ outcome: 'cancelled', changed: true })
  expect(await server.call(cancel, {})).toMatchObject({ changed: false })
  expect(await server.call(list, {})).toMatchObject({ backfills: [{ outcome: 'cancelled' }] })
  expect(acceptedBy(server)).toEqual([])
})

test('says what is wrong with unreadable rows', async () => {
  await using server = await backfillServer()
  const { fails } = server
  const cases = [
    [{ text: ' ', call: 'track' }, 'either source_url or text'],
    [{ text: 'userId,event', call: 'track' }, 'has no rows'],
    [{ text: '[{"type":"track"}]' }, 'a single JSON array'],
    [{ text: 'userId,userId\n1,2', call: 'track' }, 'Two columns'],
    [{ call: 'track' }, 'either source_url or text'],
    [{ source_url: 'file:input', call: 'track' }, 'URL'],
    [{ text: csvOf(3), call: 'track', mapping, rows: '2,3--4' }, '"3--4", which is neither a row'],
    [{ text: csvOf(3), call: 'track', mapping, rows: '4-2' }, '"4-2", which is neither a row'],
    [{ text: csvOf(3), call: 'track', mapping, rows: '900' }, 'none of the rows 900: its last row is 4'],
  ] as const
  for (const [args, message] of cases) expect((await fails(send, args)).message).toContain(message)
})

test('keeps a column whose first cell is empty, and a field that only later rows contain', async () => {
  await using server = await backfillServer()
  const texts = [
    'userId,timestamp,traits.plan\nu-1,,\nu-2,2026-01-31T12:00:00Z,pro',
    '{"userId":"u-3"}\n{"userId":"u-4","timestamp":"2026-01-31T12:00:00Z","traits":{"plan":"pro"}}',
  ]
  for (const text of texts) await server.call(send, { text, call: 'identify' })
  const bodies = server.emulator.store.events().map(({ body }): unknown => JSON.parse(body))
  expect(bodies.filter((body) => member(member(body, 'traits'), 'plan') === 'pro')).toMatchObject([
    { userId: 'u-2', timestamp: '2026-01-31T12:00:00Z' },
    { userId: 'u-4', timestamp: '2026-01-31T12:00:00Z' },
  ])
})

test('numbers the rows around one that is not valid CSV, and sends nothing from a file whose quote never closes', async () => {
  await using server = await backfillServer()
  const bad = csvOf(5).replace('u-2,', 'c"x"y"z,')
  const result = await server.call(send, { text: bad, call: 'track', mapping })
  expect(result).toMatchObject({ rows: { read: 5, accepted: 4, refused: 1 }, refused: [{ rows: '4' }] })
  expect(acceptedBy(server)).toEqual(['u-0', 'u-1', 'u-3', 'u-4'])
  const error = await server.fails(send, { text: csvOf(5).replace('u-2,', '"u-2,'), call: 'track', mapping })
  expect(error.code).toBe('invalid_input')
  expect(error.message).toMatch(/Quote Not Closed.*Nothing was sent\.$/)
  expect(acceptedBy(server)).toHaveLength(4)
})

test('gives equal rows sent one by one different ids, and also the same people in a different call', async () => {
  await using server = await backfillServer()
  const row = 'u-1,Paid,2026-01-31T12:00:00Z,1'
  const text = `user,what,when,amount\n${row}\n${row}`
  for (const rows of ['2', '3']) await server.call(send, { text, call: 'track', mapping, rows })
  const people = 'userId\nu-1\nu-2'
  for (const [call, more] of [
    ['identify', {}],
    ['group', { mapping: { userId: 'userId', groupId: '=g' } }],
  ] as const)
    await server.call(send, { text: people, call, ...more })
  expect(server.emulator.store.events().map(({ outcome }) => outcome)).toEqual(Array<string>(6).fill('accepted'))
})

test('stops a file whose every row the vendor refuses, and counts each row once when it continues', async () => {
  await using server = await backfillServer()
  server.emulator.faults.add({
    times: 1_000,
    action: { kind: 'status', status: 400, body: { meta: { errors: ['no such event'] } } },
  })
  const file = { text: csvOf(150), call: 'track', mapping }
  const { message } = await server.fails(send, file)
  expect(message).toMatch(/^100 rows were refused and none accepted.*Rows 2-101: Customer\.io says: "no such event"/)
  const stopped = await server.call(get, {})
  expect(stopped).toMatchObject({ outcome: 'stopped', rows: { accepted: 0, refused: 100, waiting: 50 } })
  expect(JSON.stringify(stopped['notices'])).not.toContain('continues where it stopped')
  server.emulator.faults.clear()
  const rows = { accepted: 150, refused: 0, waiting: 0 }
  expect(await server.call(send, file)).toMatchObject({ outcome: 'delivered', rows })
})

test('a stopped file keeps its reason and its counts if the repeat that would resume it is cancelled', async () => {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'backfill-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  await using server = await backfillServer({ dataDirectory })
  const refusing = { kind: 'status', status: 400, body: { meta: { errors: ['no such event'] } } } as const
  server.emulator.faults.add({ times: 1_000, action: refusing })
  const file = { text: csvOf(150), call: 'track', mapping }
  await server.fails(send, file)
  const stopped = await server.call(get, {})
  using database = new DatabaseSync(path.join(dataDirectory, 'event-pipeline', 'backfills.db'))
  // Another process cancels the repeat just after the file was resumed.
  database.exec(`create trigger cancelling after update of state on backfills when old.state = 'stopped' begin
    update backfills set state = 'cancelled' where state = 'reading'; end`)
  const repeat = { name: send, arguments: file, _meta: { 'mcp-toolkits/idempotency-key': 'another' } }
  expect(await server.client.callTool(repeat)).toMatchObject({ structuredContent: { outcome: 'cancelled' } })
  database.exec('drop trigger cancelling')
  expect(await server.call(get, { backfill: stopped['backfill'] })).toMatchObject({
    ...{ outcome: 'stopped', rows: { accepted: 0, refused: 100, waiting: 50 }, last_error: stopped['last_error'] },
  })
  server.emulator.faults.clear()
  const rows = { accepted: 150, refused: 0, waiting: 0 }
  expect(await server.call(send, file)).toMatchObject({ outcome: 'delivered', rows })
})

test('refuses numbers that would be rounded, and keeps an object together with its members', async () => {
  await using server = await backfillServer()
  const text = [
    'user,code,size,more',
    'u-1,1,2,"{""a"":1}"',
    'u-2,12345678901234567890,2,',
    'u-3,1,1e999,',
    'u-4,1,2,"{""a"":12345678901234567890}"',
  ].join('\n')
  const columns = { 'traits.code': 'code:number', 'traits.size': 'size:number', traits: 'more:json', userId: 'user' }
  const result = await server.call(send, { text, call: 'identify', mapping: columns })
  expect(result).toMatchObject({ rows: { accepted: 1, refused: 3 } })
  expect(JSON.stringify(result['refused']).match(/would be rounded: map it as text/g)).toHaveLength(3)
  expect(JSON.parse(server.emulator.store.events()[0]?.body ?? '')).toMatchObject({ userId: 'u-1', traits: { a: 1, code: 1, size: 2 } })
  const huge = '{"type":"identify","userId":"u-5","traits":{"size":1e999}}'
  expect((await server.fails(send, { text: huge })).message).toContain('would be rounded')
})

test('gives a row the same id whether it is sent alone or after a refused row that is equal but for a mistake', async () => {
  await using server = await backfillServer()
  const text = 'user,what,when,amount\nu-1,Paid,2026-01-31T12:00:00Z,x\nu-1,Paid,2026-01-31T12:00:00Z,'
  await server.call(send, { text, call: 'track', mapping })
  await server.call(send, { text, call: 'track', mapping, rows: '3' })
  expect(acceptedBy(server)).toEqual(['u-1'])
})

test('refuses a row whose messageId makes it larger than a call may be', async () => {
  await using server = await backfillServer()
  const row = (id: string) => JSON.stringify({ type: 'track', userId: 'u-1', event: 'Paid', messageId: id })
  const result = await server.call(send, { text: [row('m-1'), row('m'.repeat(33_000))].join('\n') })
  expect(result).toMatchObject({ rows: { accepted: 1, refused: 1 }, refused: [{ rows: '2', problem: 'takes more than 32 KB as a call.' }] })
})

test('gives a row the same id whatever the order of its members, even with an empty messageId', async () => {
  await using server = await backfillServer()
  const time = '2026-01-31T12:00:00Z'
  const rows = [
    { type: 'track', userId: 'u-1', event: 'Paid', timestamp: time, properties: { a: 1, b: 2 } },
    { properties: { b: 2, a: 1 }, timestamp: time, messageId: '', event: 'Paid', type: 'track', userId: 'u-1' },
  ]
  for (const row of rows) expect(await server.call(send, { text: JSON.stringify(row) })).toMatchObject({ outcome: 'delivered' })
  const twice = [1, 2].map((size) => JSON.stringify({ ...rows[1], properties: { size } })).join('\n')
  expect(await server.call(send, { text: twice })).toMatchObject({ rows: { accepted: 2 } })
  expect(acceptedBy(server)).toEqual(['u-1', 'u-1', 'u-1'])
})

test('accepts a mapped column that only later rows have, and refuses one that no row has', async () => {
  await using server = await backfillServer()
  const text = ['{"user":"u-1","what":"Paid"}', '{"user":"u-2","what":"Paid","more":{"total":1}}'].join('\n')
  const columns = { userId: 'user', event: 'what', 'properties.total': 'more.total' }
  expect(await server.call(send, { text, call: 'track', mapping: columns })).toMatchObject({ rows: { accepted: 2 } })
  const wrong = await server.fails(send, { text, call: 'track', mapping: { ...columns, 'properties.more': 'wat' } })
  expect(wrong).toMatchObject({ code: 'invalid_input', suggestions: [{ value: 'what' }] })
  expect(acceptedBy(server)).toHaveLength(2)
})

test('reads rows with a different line ending than the first, and sends nothing from a file whose first row is broken', async () => {
  await using server = await backfillServer()
  const rows = ['u-1,Paid', 'u-2,Paid', '']
  for (const text of [`event,userId\n${['Paid,u-1', 'Paid,u-2', ''].join('\r\n')}`, `userId,event\r\n${rows.join('\n')}`])
    await server.call(send, { text, call: 'track' })
  expect(acceptedBy(server)).toEqual(['u-1', 'u-2', 'u-1', 'u-2'])
  const broken = await server.fails(send, { text: `userId,size 5",event\n${rows.join('\n')}`, call: 'track', format: 'csv' })
  expect(broken.message).toBe('The first row, which names the columns, is not valid CSV. Nothing was sent.')
})

test('a clock set back by days keeps no file waiting', async () => {
  await using server = await backfillServer()
  server.emulator.faults.add({ action: { kind: 'status', status: 429, retry_after: 600 } })
  expect(await elapse(server.clock, server.call(send, { text: csvOf(1), call: 'track', mapping }))).toMatchObject({ outcome: 'queued' })
  server.clock.jump(-40 * 24 * 3_600_000)
  for (let looks = 0; acceptedBy(server).length < 1 && looks < 100; looks += 1) await elapse(server.clock, Promise.resolve(), 60_000)
  expect(acceptedBy(server)).toEqual(['u-0'])
})
