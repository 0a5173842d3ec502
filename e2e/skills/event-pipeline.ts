import { member } from '@mcp-toolkits/core/base'
import { expect } from 'vitest'
import { type Agent, field, rows } from '../agent.ts'
import { column, type Scripts } from './script.ts'

const strict = { mode: 'execute', enable_strict_validation: 'True' }

const schemaOf = async ({ call }: Agent, tool: string) => {
  const { openapi } = await call(tool, { mode: 'get_request_schema' })
  expect(openapi).toBeTypeOf('object')
}

export const eventPipelineScripts: Scripts = {
  async 'record-event'(agent, accepted) {
    await schemaOf(agent, 'TrackUserEvent')
    const event = { userId: 'ada', event: 'Order Completed', properties: { total: 42, currency: 'EUR' } }
    const misspelt = JSON.stringify({ ...event, userId: undefined, user_id: 'ada' })
    expect(await agent.refused('TrackUserEvent', { ...strict, request_body: misspelt })).toContain('userId')
    const answer = await agent.call('TrackUserEvent', { ...strict, request_body: JSON.stringify(event) })
    expect(answer).toMatchObject({ outcome: 'delivered', findings: [] })
    expect(accepted()).toMatchObject([event])
  },

  async 'identify-people'({ call, refused }, accepted) {
    const list = ['lena', 'callum', ''].map((userId, index) => ({ userId, traits: { plan: 'team', seats: index + 1 } }))
    const [first, ...rest] = list
    await call('IdentifyPersonAndAssignTraits', { ...strict, request_body: JSON.stringify(first) })
    const batchOf = (people: readonly object[]) => ({
      mode: 'execute',
      enable_strict_mode: 'True',
      request_body: JSON.stringify({ batch: people.map((person) => ({ type: 'identify', ...person })) }),
    })
    expect(await refused('SendBatchRequests', batchOf(rest))).toContain('batch[1]')
    await call('SendBatchRequests', batchOf(rest.slice(0, 1)))
    expect(accepted()).toMatchObject(list.slice(0, 2))
  },

  async 'check-refused-event'(agent, accepted) {
    await schemaOf(agent, 'TrackUserEvent')
    await schemaOf(agent, 'SendBatchRequests')
    const sent = { messageId: 'order-17', timestamp: '2026-01-31T12:00:00Z', userId: 'ada', properties: { total: 42 } }
    const message = await agent.refused('TrackUserEvent', { ...strict, request_body: JSON.stringify(sent) })
    expect(message).toContain('event')
    expect(accepted()).toEqual([])
    const corrected = { ...sent, event: 'Order Completed' }
    await agent.call('TrackUserEvent', { ...strict, request_body: JSON.stringify(corrected) })
    expect(accepted()).toMatchObject([corrected])
  },

  async 'group-people'(agent, accepted) {
    const [groupId, traits] = ['team_alpenpass', { name: 'Alpenpass Guides', plan: 'team' }]
    const lena = { userId: 'lena', traits: { email: 'lena@alpenpass.example' } }
    await agent.call('IdentifyPersonAndAssignTraits', { ...strict, request_body: JSON.stringify(lena) })
    await schemaOf(agent, 'AddToGroup')
    const calls = [
      { groupId, userId: 'lena', traits },
      { groupId, userId: 'jonas' },
    ]
    for (const body of calls)
      await agent.call('AddToGroup', { mode: 'execute', enable_strict_validation: '1', request_body: JSON.stringify(body) })
    expect(accepted()).toMatchObject([lena, ...calls])
  },

  async 'merge-profiles'(agent, accepted) {
    await schemaOf(agent, 'AliasUserIdentity')
    const pair = { previousId: 'guest-17', userId: 'ada' }
    await agent.call('AliasUserIdentity', { ...strict, request_body: JSON.stringify(pair) })
    const traits = { userId: 'ada', traits: { plan: 'team' } }
    await agent.call('IdentifyPersonAndAssignTraits', { ...strict, request_body: JSON.stringify(traits) })
    expect(accepted()).toMatchObject([pair, traits])
  },

  async 'import-events'({ call, refused }, accepted) {
    const text = 'customer,at,amount\nada,2026-01-31T12:00:00Z,42\n,2026-01-31T12:00:00Z,7\nlena,2026-02-01T09:00:00Z,12.5'
    expect((await call('ListBackfills', {}))['backfills']).toEqual([])
    const mapping = { userId: 'customer', event: '=Order Completed', timestamp: 'at', 'properties.total': 'amount:number' }
    const file = { text, call: 'track', mapping }
    expect(await call('SendEventsFromFile', { ...file, dry_run: true })).toMatchObject({ outcome: 'checked', rows: { refused: 1 } })
    expect(accepted()).toEqual([])
    const { backfill } = await call('SendEventsFromFile', file)
    const result = await call('GetBackfill', { backfill })
    expect(result).toMatchObject({ outcome: 'partly_refused', rows: { read: 3, accepted: 2, refused: 1, waiting: 0 } })
    await call('SendEventsFromFile', {
      text: text.replace('\n,', '\nida,'),
      call: 'track',
      mapping,
      rows: column(result['refused'], 'rows').join(),
    })
    expect(await refused('CancelBackfill', { backfill: 'none' })).toContain('backfill')
    const people = accepted().map((body) => [field(body, 'userId'), member(member(body, 'properties'), 'total')])
    expect(people).toEqual([
      ['ada', 42],
      ['lena', 12.5],
      ['ida', 7],
    ])
  },

  async 'test-tracking-plan'(agent, accepted) {
    await schemaOf(agent, 'SendBatchRequests')
    const valid = { type: 'track', userId: 'example', event: 'Map Shared', properties: { pack: 'Stubai', megabytes: 212 } }
    const plan = [valid, { ...valid, event: 'Map Synced', timestamp: 'yesterday' }]
    const check = async (examples: readonly object[]) => {
      const text = examples.map((example) => JSON.stringify(example)).join('\n')
      return agent.call('SendEventsFromFile', { text, format: 'ndjson', dry_run: true })
    }
    const shown = await check(plan)
    expect(shown).toMatchObject({ outcome: 'checked', rows: { read: 2, accepted: 0, refused: 1 } })
    expect(column(shown['refused'], 'rows')).toEqual(['2'])
    const without = await check([
      { ...valid, event: undefined },
      { ...valid, properties: {} },
    ])
    expect(column(without['refused'], 'rows')).toEqual(['1'])
    expect(rows(without['sample'])).not.toEqual([])
    expect(accepted()).toEqual([])
  },
}
