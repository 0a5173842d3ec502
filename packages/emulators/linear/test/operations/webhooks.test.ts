import { createHmac, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { LinearClient } from '@linear/sdk'
import { LinearWebhookClient } from '@linear/sdk/webhooks'
import { numberAt, parseJson, stringAt, toObject } from '@mcp-toolkits/emulator'
import { dig, openReceiver } from '@mcp-toolkits/emulator/testing'
import { openStore, StoreError } from '@mcp-toolkits/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { deliveryTable } from '../../src/readers.ts'
import { migrations } from '../../src/entities.ts'
import { linearEmulator, type LinearEmulatorOptions } from '../../src/index.ts'
import { addDelivery, recordAttempt } from '../../src/webhooks/deliveries.ts'
import { like, someText } from '../emulator.ts'
import { covers } from '../emulator.ts'

/** A receiver that returns these statuses in turn, and then 200. */
async function receiverOf(...statuses: readonly (number | 'hang')[]) {
  const receiver = await openReceiver((index) => statuses[index] ?? 200)
  onTestFinished(() => receiver[Symbol.asyncDispose]())
  return receiver
}

/** A clock whose waits end when the test lets time pass. */
function openClock() {
  let time = Date.parse('2026-09-16T12:00:00Z')
  const asked: number[] = []
  let waits: { readonly until: number; readonly end: () => void }[] = []
  return {
    /** The length of each wait. */
    asked,
    now: () => time,
    sleep: (ms: number) =>
      new Promise<void>((end) => {
        asked.push(ms)
        waits.push({ until: time + ms, end })
      }),
    monotonic: () => time,
    pass(ms: number) {
      time += ms
      const over = waits.filter(({ until }) => until <= time)
      waits = waits.filter(({ until }) => until > time)
      for (const { end } of over) end()
    },
  }
}

async function open(options: LinearEmulatorOptions = {}) {
  const emulator = linearEmulator({ seed: 'edge-cases', ...options })
  onTestFinished(emulator.close)
  const { url } = await emulator.listen()
  const linear = new LinearClient({ apiKey: 'lin_api_emulator', apiUrl: `${url}/graphql` })
  const teamId = (await linear.teams({ filter: { key: { eq: 'ENG' } } })).nodes[0]?.id ?? ''
  const deliveries = async () => {
    const all = dig(await (await fetch(`${url}/__emulator/deliveries`)).json(), 'deliveries')
    return Array.isArray(all) ? all.map(toObject) : []
  }
  return { linear, teamId, deliveries, close: emulator.close }
}

describe('a webhook', () => {
  it(
    'delivers changes of issues, comments and projects, with a signature that the official client accepts',
    covers('webhooks/body', 'webhooks/signature', 'webhooks/of-team'),
    async () => {
      const { received, url } = await receiverOf()
      const { linear, teamId, deliveries } = await open()
      const made = await (
        await linear.createWebhook({ url, teamId, resourceTypes: ['Issue', 'Comment', 'Project'], secret: 'lin_wh_test' })
      ).webhook
      const issue = await (await linear.createIssue({ teamId, title: 'Hooked', priority: 1 })).issue
      await linear.updateIssue(issue?.id ?? '', { title: 'Hooked again' })
      await linear.createComment({ issueId: issue?.id ?? '', body: 'Seen' })
      await linear.createProject({ name: 'Zephyr', teamIds: [teamId] })
      await linear.deleteIssue(issue?.id ?? '')
      const design = (await linear.teams({ filter: { key: { eq: 'DES' } } })).nodes[0]?.id ?? ''
      await linear.createIssue({ teamId: design, title: 'Of another team' })
      await expect
        .poll(async () => (await deliveries()).map(({ event, status }) => [event, status]))
        .toEqual([
          ['Issue create', 'delivered'],
          ['Issue update', 'delivered'],
          ['Comment create', 'delivered'],
          ['Project create', 'delivered'],
          ['Issue remove', 'delivered'],
        ])
      const client = new LinearWebhookClient('lin_wh_test')
      for (const { raw, headers } of received) expect(client.verify(raw, stringAt(headers, 'linear-signature'))).toBe(true)
      const parsed = received.map(({ headers, body }) => ({ headers, body: toObject(parseJson(body)) }))
      const byType = (type: string, action: string) => parsed.find(({ body }) => body['type'] === type && body['action'] === action)
      const created = byType('Issue', 'create')
      expect(created?.headers).toMatchObject({
        'linear-event': 'Issue',
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Linear-Webhook',
      })
      expect(created?.headers['linear-delivery']).toMatch(/^[0-9a-f-]{36}$/)
      expect(created?.body).toMatchObject({
        data: {
          id: issue?.id,
          identifier: 'ENG-31',
          title: 'Hooked',
          priority: 1,
          priorityLabel: 'Urgent',
          team: { key: 'ENG' },
          state: { name: 'Backlog', type: 'backlog' },
          labelIds: [],
        },
        url: like('/issue/ENG-31/hooked'),
        actor: { name: 'Robin Vance', type: 'user' },
        webhookId: made?.id,
        organizationId: (await linear.organization).id,
      })
      expect(Math.abs(Date.now() - numberAt(created?.body ?? {}, 'webhookTimestamp'))).toBeLessThan(60_000)
      expect(byType('Issue', 'update')?.body).toMatchObject({
        data: { title: 'Hooked again' },
        updatedFrom: { title: 'Hooked', updatedAt: someText },
      })
      expect(byType('Comment', 'create')?.body).toMatchObject({
        data: { body: 'Seen', issue: { identifier: 'ENG-31' }, user: { name: 'Robin Vance' } },
      })
      expect(byType('Project', 'create')?.body).toMatchObject({
        data: { name: 'Zephyr', url: like('/project/zephyr-') },
      })
    },
  )

  it(
    'is retried after a minute, an hour and six hours, and then disabled',
    covers('webhooks/retries', 'webhooks/timeout', 'webhooks/disabled'),
    async () => {
      const { received, url } = await receiverOf(500, 'hang', 302, 404)
      const clock = openClock()
      const { linear, teamId, deliveries } = await open({ now: clock.now, clock })
      const made = await (await linear.createWebhook({ url, teamId, resourceTypes: ['Issue'], secret: 's' })).webhook
      await linear.createIssue({ teamId, title: 'Hooked' })
      const state = async () => (await deliveries()).map(({ attempts, status, httpStatus, dueAt }) => [attempts, status, httpStatus, dueAt])
      await expect.poll(state).toEqual([[1, 'pending', 500, '2026-09-16T12:01:00.000Z']])
      clock.pass(59_000)
      clock.pass(1_000)
      await expect.poll(() => received.length).toBe(2)
      clock.pass(5_000)
      await expect.poll(state).toEqual([[2, 'pending', null, '2026-09-16T13:01:05.000Z']])
      clock.pass(3_600_000)
      await expect.poll(state).toEqual([[3, 'pending', 302, '2026-09-16T19:01:05.000Z']])
      clock.pass(21_600_000)
      await expect.poll(state).toEqual([[4, 'failed', 404, null]])
      expect((await linear.webhook(made?.id ?? '')).enabled).toBe(false)
      await linear.createIssue({ teamId, title: 'Unseen' })
      expect([received.length, (await deliveries()).length]).toEqual([4, 1])
      expect(new Set(received.map(({ headers }) => headers['linear-delivery'])).size).toBe(1)
      for (const { raw, headers } of received) expect(headers['linear-signature']).toBe(createHmac('sha256', 's').update(raw).digest('hex'))
    },
  )

  it('is not sent again while it is being sent, or while its webhook is disabled', async () => {
    const { received, url } = await receiverOf(500)
    const clock = openClock()
    const { linear, teamId, deliveries } = await open({ now: clock.now, clock })
    const id = (await (await linear.createWebhook({ url, teamId, resourceTypes: ['Issue'] })).webhook)?.id ?? ''
    await linear.createIssue({ teamId, title: 'Hooked' })
    await expect.poll(() => clock.asked).toEqual([5_000, 1_000])
    await linear.updateWebhook(id, { enabled: false })
    clock.pass(60_000)
    expect(await deliveries()).toMatchObject([{ attempts: 1, status: 'pending' }])
    expect([clock.asked, received.length]).toEqual([[5_000, 1_000], 1])
    await linear.updateWebhook(id, { enabled: true })
    await expect.poll(async () => (await deliveries()).map(({ attempts, status }) => [attempts, status])).toEqual([[2, 'delivered']])
  })

  it('can be waited for again after a wait has failed', async () => {
    const { received, url } = await receiverOf(503)
    const clock = openClock()
    let failures = 1
    const sleep = (ms: number) => {
      if (ms !== 1_000 || failures === 0) return clock.sleep(ms)
      failures -= 1
      return Promise.reject(new StoreError('locked', 'linear.db', 'The database is locked.'))
    }
    const { linear, teamId } = await open({ now: clock.now, clock: { ...clock, sleep } })
    await linear.createWebhook({ url, teamId, resourceTypes: ['Issue'] })
    await linear.createIssue({ teamId, title: 'First' })
    await expect.poll(() => failures).toBe(0)
    await linear.createIssue({ teamId, title: 'Second' })
    await expect.poll(() => [received.length, clock.asked.includes(1_000)]).toEqual([2, true])
    clock.pass(60_000)
    await expect.poll(() => received.length).toBe(3)
  })

  it('is stored until a thousand later ones have ended', () => {
    const store = openStore({ file: ':memory:', migrations })
    onTestFinished(store.close)
    const rows = () => deliveryTable(store).list({ after: 0, limit: -1 }).map(toObject)
    const add = () => {
      addDelivery(store, { webhookId: 'one', event: { type: 'Issue', action: 'create' }, at: '2026-09-16T12:00:00.000Z' })
    }
    const attempt = { httpStatus: 200, error: null, isFinal: false }
    store.writeNow(() => {
      for (let count = 0; count < 1_003; count += 1) add()
      for (const row of rows().slice(1))
        recordAttempt(store, { id: stringAt(row, 'delivery'), webhookId: 'one', attempts: 0 }, { attempt, now: 0 })
    })
    const left = rows().map((row) => numberAt(row, 'id'))
    expect([left.length, left[0], left[1], left.at(-1)]).toEqual([1_001, 1, 4, 1_003])
  })

  it('resumes after a restart', covers('webhooks/restart'), async () => {
    const { received, url } = await receiverOf(503)
    const file = path.join(tmpdir(), `linear-${randomUUID()}.db`)
    onTestFinished(() => {
      for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    })
    const clock = openClock()
    const first = await open({ file, now: clock.now, clock })
    await first.linear.createWebhook({ url, teamId: first.teamId, resourceTypes: ['Issue'] })
    await first.linear.createIssue({ teamId: first.teamId, title: 'Hooked' })
    await expect.poll(async () => (await first.deliveries())[0]?.['httpStatus']).toBe(503)
    await first.close()
    clock.pass(60_000)
    const second = await open({ file, now: clock.now, clock })
    await expect.poll(async () => (await second.deliveries()).map(({ status, attempts }) => [status, attempts])).toEqual([['delivered', 2]])
    expect(received).toHaveLength(2)
  })

  it('goes to this machine only, unless its host is allowed', covers('webhooks/loopback-only'), async () => {
    const { linear, teamId, deliveries } = await open({ webhooksTo: ['allowed.invalid'] })
    for (const host of ['hooks.example', '127.0.0.1.example', 'allowed.invalid'])
      await linear.createWebhook({ url: `https://${host}/`, teamId, resourceTypes: ['Issue'] })
    await linear.createIssue({ teamId, title: 'Hooked' })
    const outcomes = async () => (await deliveries()).map(({ status, error }) => `${String(status)}: ${String(error)}`).sort()
    await expect
      .poll(outcomes)
      .toEqual([
        like(/^failed: .*start the emulator with --webhooks-to 127\.0\.0\.1\.example\.$/),
        like(/^failed: .*start the emulator with --webhooks-to hooks\.example\.$/),
        'pending: The receiver could not be reached.',
      ])
  })

  it('belongs to a team or to all public ones, and to admins', covers('webhooks/admins', 'webhooks/fields'), async () => {
    const { linear, teamId } = await open()
    const url = 'https://hooks.example/'
    const reasonOf = async (input: Parameters<typeof linear.createWebhook>[0]) =>
      linear.createWebhook(input).then(
        () => 'created',
        (error: unknown) => dig(error, 'errors.0.message') ?? String(error),
      )
    expect(await reasonOf({ url, resourceTypes: ['Issue'] })).toContain('teamId must be given, or allPublicTeams must be true.')
    expect(await reasonOf({ url: 'ftp://a.example', resourceTypes: ['Issue'], teamId })).toContain('url must be a URL address.')
    expect(await reasonOf({ url, resourceTypes: ['Isue'], teamId })).toContain('Isue is not.')
    expect(await reasonOf({ url, resourceTypes: [], teamId })).toContain('resourceTypes should not be empty.')
    const webhook = await (await linear.createWebhook({ url, resourceTypes: ['Issue'], allPublicTeams: true })).webhook
    expect(webhook?.secret).toMatch(/^lin_wh_[\w-]{32}$/)
    const { secret } = await linear.rotateSecretWebhook(webhook?.id ?? '')
    expect((await linear.webhook(webhook?.id ?? '')).secret).toBe(secret)
    const emulator = linearEmulator({ seed: 'edge-cases' })
    onTestFinished(emulator.close)
    const { accessToken } = await emulator.login('tomas.herrera@lodestar.example')
    const tomas = new LinearClient({ accessToken, apiUrl: `${(await emulator.listen()).url}/graphql` })
    await expect(tomas.createWebhook({ url, resourceTypes: ['Issue'], allPublicTeams: true })).rejects.toMatchObject({ type: 'Forbidden' })
  })
})
