import { ManualClock } from '@mcp-toolkits/core/testing'
import { type Caller, type ExpiringRecords, member } from '@mcp-toolkits/core/base'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { expect, it } from 'vitest'
import type { CallKind } from '../../../server/src/mcp/calls/call-limiter.ts'
import { withCaller } from '../../../server/src/mcp/calls/current-request.ts'
import { jsonLog } from '../../../server/src/mcp/log.ts'
import { mcpServerFactory } from '../../../server/src/mcp/mcp.ts'
import { openToolbox, type Toolbox } from '../../../server/src/mcp/calls/toolbox.ts'
import { connectTasks } from '../../../testing/src/tasks.ts'
import { createAudit } from '../audit-log.ts'
import { openPeopleToolbox } from './people-toolbox.ts'
import { diaryGrant, DiaryHouse, diaryServer } from '../../test/accounts/diary.ts'
import { openOffice } from '../../test/accounts/office.ts'

const trace = '0af7651916cd43dd8448eb211c80319c'
const traceparent = `00-${trace}-b7ad6b7169203331-01`

/** An office where Anna writes an entry but gets no response from the house. */
async function writing(callKinds: Readonly<Record<string, CallKind>> = {}) {
  const house = new DiaryHouse()
  const { promise: answered, resolve } = Promise.withResolvers<undefined>()
  const { promise: written, resolve: write } = Promise.withResolvers<undefined>()
  house.onWritten = () => {
    write(undefined)
    return answered
  }
  const clock = new ManualClock()
  const definition = diaryServer(house, { extensions: [{ longCalls: ['AddEntry'], callKinds }] })
  const lines: string[] = []
  const audit = createAudit({ write: (line) => lines.push(line), clock, replica: 'one', log: jsonLog('silent', () => undefined) })
  const office = await openOffice(definition, { clock, audit })
  const [anna, ben] = ['anna', 'ben'].map((name) => office.caller(name))
  if (!anna || !ben) throw new Error('Nobody is here.')
  for (const person of [anna, ben]) await office.grant(person, diaryGrant(house.admit(person.subject)))
  const clientOf = (person: Caller, toolbox: Toolbox = office.toolbox) => {
    const handler = createMcpHandler(mcpServerFactory(definition, toolbox))
    return connectTasks((request) => withCaller(person, () => handler.fetch(request)), { headers: { traceparent } })
  }
  const beginning = (await clientOf(anna)).begin('Diary_AddEntry', { text: 'Rain.' })
  await written
  await clock.advance(2_000)
  const entries = () => [...(house.diaries.get('anna')?.values() ?? [])]
  const answer = () => {
    resolve(undefined)
  }
  return {
    ...office,
    house,
    definition,
    clock,
    anna,
    ben,
    clientOf,
    id: await beginning,
    answer,
    entries,
    audit,
    audited: () => lines.map((line): unknown => JSON.parse(line)),
  }
}

it('nobody but their person can find, answer or cancel a task', async () => {
  const { clientOf, anna, ben, id, answer, entries } = await writing()
  const own = (await clientOf(anna)).task(id)
  const foreign = (await clientOf(ben)).task(id)
  const unknown = { code: -32602 }
  await expect(foreign.snapshot()).rejects.toMatchObject(unknown)
  await expect(foreign.cancel()).rejects.toMatchObject(unknown)
  await expect(foreign.update({ 'choice-1': { action: 'accept' } })).rejects.toMatchObject(unknown)
  expect(await own.snapshot()).toMatchObject({ status: 'working' })
  answer()
  await expect.poll(async () => (await own.snapshot()).status).toBe('completed')
  await expect(foreign.snapshot()).rejects.toMatchObject(unknown)
  expect(entries()).toEqual(['Rain.'])
})

it('the next process goes on with the task of a person, as this person', async () => {
  const { clientOf, anna, ben, id, answer, entries, toolbox, definition, state, dataDirectory, links, clock } = await writing()
  await toolbox.close()
  answer()
  const settings = { embedded: false, readOnly: false, toolNames: 'safe', environment: {}, dataDirectory } as const
  const next = openPeopleToolbox(definition, settings, { state, links, clock, log: jsonLog('silent', () => undefined) })
  await next.resume()
  const own = (await clientOf(anna, next)).task(id)
  await expect.poll(async () => (await own.snapshot()).status).toBe('completed')
  expect(await own.result()).toMatchObject({ result: { structuredContent: { person: 'anna' } } })
  await expect((await clientOf(ben, next)).task(id).snapshot()).rejects.toMatchObject({ code: -32602 })
  expect(entries()).toEqual(['Rain.'])
  await next.close()
})

it('a person has as many tasks of a kind as calls, and a call beyond them stays one', async () => {
  const { clientOf, anna, ben, answer, clock, entries, house } = await writing({ AddEntry: 'large' })
  const [client, foreign] = [await clientOf(anna), await clientOf(ben)]
  const second = client.begin('Diary_AddEntry', { text: 'Sun.' })
  await expect.poll(() => entries().length).toBe(2)
  await clock.advance(2_000)
  await second
  const third = client.session.callTool('Diary_AddEntry', { text: 'Wind.' })
  const own = foreign.begin('Diary_AddEntry', { text: 'Snow.' })
  await expect.poll(() => [entries().length, house.diaries.get('ben')?.size]).toEqual([3, 1])
  await clock.advance(2_000)
  await own
  answer()
  expect((await third).kind).toBe('immediate')
})

it('a task is left alone while its person has another account', async () => {
  const { clientOf, anna, id, answer, entries, toolbox, definition, state, dataDirectory, links, clock, grant } = await writing()
  await toolbox.close()
  answer()
  const settings = { embedded: false, readOnly: false, toolNames: 'safe', environment: {}, dataDirectory } as const
  const next = openPeopleToolbox(definition, settings, { state, links, clock, log: jsonLog('silent', () => undefined) })
  const former = diaryGrant('token-of-anna')
  await grant(anna, former.replace('The same for all', 'Another'))
  await (await next.tasks?.load())?.resume()
  await grant(anna, former)
  expect(await (await clientOf(anna, next)).task(id).snapshot()).toMatchObject({ status: 'working' })
  await expect.poll(async () => (await (await clientOf(anna, next)).task(id).snapshot()).status).toBe('completed')
  expect(entries()).toEqual(['Rain.'])
  await next.close()
})

it('a task with the account of the deployment is stored with its person, whose task the next process goes on with', async () => {
  const { clientOf, anna, ben, answer, definition: people, state, dataDirectory, clock, house } = await writing()
  const definition = { ...people, upstream: () => ({ kind: 'vendor', url: 'https://diary.example' }) as const }
  const environment = { DIARY_TOKEN: house.admit('company') }
  const settings = { embedded: false, readOnly: false, toolNames: 'safe', environment, dataDirectory, servesPeople: true } as const
  const options = { records: state.records, fetch: house.fetch, clock, log: jsonLog('silent', () => undefined) }
  const first = openToolbox(definition, settings, options)
  const beginning = (await clientOf(anna, first)).begin('Diary_AddEntry', { text: 'Sun.' })
  await expect.poll(() => house.diaries.get('company')?.size).toBe(1)
  await clock.advance(2_000)
  const id = await beginning
  await first.close()
  answer()
  const next = openToolbox(definition, settings, options)
  await next.resume()
  const own = (await clientOf(anna, next)).task(id)
  await expect.poll(async () => (await state.records.list({ owner: 'tasks', kind: 'pending task' })).length).toBe(0)
  expect(await own.result()).toMatchObject({ result: { structuredContent: { person: 'company' } } })
  await expect((await clientOf(ben, next)).task(id).snapshot()).rejects.toMatchObject({ code: -32602 })
  await state.people.forget(anna.owner)
  await expect(own.snapshot()).rejects.toMatchObject({ code: -32602 })
  await next.close()
})

it('the audit has the call that becomes a task, and how the task ends', async () => {
  const { clientOf, anna, id, answer, audited, clock } = await writing()
  const own = (await clientOf(anna)).task(id)
  await clock.advance(8_000)
  answer()
  await expect.poll(async () => (await own.snapshot()).status).toBe('completed')
  await expect.poll(() => audited().length).toBe(2)
  const call = { subject: 'anna', tool: 'AddEntry', effect: 'create', trace }
  expect(audited()).toMatchObject([
    { ...call, outcome: 'task', ms: 2_000 },
    { ...call, outcome: 'ok', task: id, ms: 8_000, targets: [expect.any(String)] },
  ])
})

it('the audit has a task that its person cancels, once', async () => {
  const { clientOf, anna, id, audited, answer } = await writing()
  const own = (await clientOf(anna)).task(id)
  await own.cancel()
  await expect.poll(async () => (await own.snapshot()).status).toBe('cancelled')
  answer()
  expect(audited()).toMatchObject([{ outcome: 'task' }, { outcome: 'cancelled', task: id }])
})

it('the audit has the end of a task whose process dies before it is stored', async () => {
  const { clientOf, anna, definition: people, state, dataDirectory, clock, house, audit, audited } = await writing()
  const definition = { ...people, upstream: () => ({ kind: 'vendor', url: 'https://diary.example' }) as const }
  const environment = { DIARY_TOKEN: house.admit('company') }
  const settings = { embedded: false, readOnly: false, toolNames: 'safe', environment, dataDirectory, servesPeople: true } as const
  const options = { fetch: house.fetch, clock, audit, log: jsonLog('silent', () => undefined) }
  const dying: ExpiringRecords = {
    ...state.records,
    set: (key, value, ms) =>
      value.includes('"status":"completed"') ? Promise.reject(new Error('It is dead.')) : state.records.set(key, value, ms),
  }
  const { promise: answered, resolve: answer } = Promise.withResolvers<undefined>()
  house.onWritten = () => answered
  const first = openToolbox(definition, settings, { ...options, records: dying })
  const beginning = (await clientOf(anna, first)).begin('Diary_AddEntry', { text: 'Sun.' })
  await expect.poll(() => house.diaries.get('company')?.size).toBe(1)
  await clock.advance(2_000)
  const task = await beginning
  answer(undefined)
  const ends = () => audited().filter((line) => member(line, 'task') === task)
  await expect.poll(ends).toMatchObject([{ outcome: 'ok' }])
  await first.close()
  const next = openToolbox(definition, settings, { ...options, records: state.records })
  await next.resume()
  await expect.poll(ends).toMatchObject([{ outcome: 'ok' }, { outcome: 'replayed', trace }])
  expect(house.diaries.get('company')?.size).toBe(1)
  await next.close()
})
