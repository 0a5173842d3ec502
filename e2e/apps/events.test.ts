import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type ConnectSettings } from '@mcp-toolkits/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventPipeline } from '../../servers.ts'
import { chromiumPath, picture } from '../chromium.ts'
import { profiles } from './profiles.ts'
import { hostClient, inspectEverywhere, type Scene, showApp } from './stage.ts'

const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'

const batch = [
  { type: 'track', userId: 'u-1', event: 'Signed Up' },
  { type: 'track', event: '<img src=https://attacker.example/ onerror=alert(1)>' },
  { type: 'identify', userId: 'u-2', traits: { email: 'not an address' } },
]
const execute = (rows: readonly object[]) => ({ mode: 'execute', request_body: JSON.stringify({ batch: rows }) })

async function pipeline(settings: ConnectSettings = {}) {
  const server = await eventPipeline.withDefinition(async (definition) => connect(definition, { embedded: true, ...settings }))
  onTestFinished(() => server[Symbol.asyncDispose]())
  const client = await hostClient(server.fetch)
  const show = (scene: Partial<Scene> = {}) =>
    showApp({ client, tool: 'EventPipelineApi_SendBatchRequests', args: execute(batch), ...scene })
  return { server, show }
}

/** A file of events at a URL that only this server may read. */
async function fileAtAddress(answer: (response: ServerResponse) => unknown) {
  const source = createServer((_, response) => answer(response))
  await once(source.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void source.close())
  const address = source.address()
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const settings = { toolsets: ['backfill'], environment: { EVENT_PIPELINE_ALLOW_PRIVATE_URLS: host } }
  return { file: { source_url: `http://${host}/events.csv`, call: 'track' }, settings }
}

describe.runIf(shouldRun)('the events', () => {
  test('show content in every host, within 240 pixels, and axe finds nothing serious', async () => {
    const { show } = await pipeline()
    for (const profile of profiles) await inspectEverywhere('events', profile, await show({ profile }))
  })

  test('are corrected and dropped, in the answer and in the outbox', async () => {
    const { server, show } = await pipeline()
    const strict = { ...execute([{ type: 'track', event: 'No one did it' }]), enable_strict_mode: 'true' }
    await server.fails('EventPipelineApi.SendBatchRequests', strict)
    const stage = await show()
    const { app, context, calls } = stage
    await app.getByText('1 in the outbox').waitFor()
    await app.getByRole('button', { name: 'Correct' }).press('Enter')
    await app.getByRole('textbox', { name: 'Row 1' }).fill('{"type":"track","userId":"u-3","event":"Signed Up"}')
    await picture(stage.page, 'events correcting')
    await app.getByRole('button', { name: 'Send again' }).click()
    await app.getByText('You corrected and sent row 1 again: delivered.').waitFor()
    await app.getByRole('list', { name: 'Outbox' }).getByRole('button', { name: 'Drop' }).click()
    await app.getByText('it is dropped').waitFor()
    await expect.poll(() => app.getByText('in the outbox').count()).toBe(0)
    expect(await context()).toMatch(
      /^The person corrected and sent row 1 again: delivered\. .*\nThe person decided about waiting entry \d+: it is dropped\./,
    )
    expect(calls.flatMap(({ tool, key }) => (key === undefined ? [] : [tool]))).toEqual(['SendBatchRequests', 'DropWaitingEvent'])
  })

  test('of a file are corrected where they were refused, or sent again from their place', async () => {
    const { server, show } = await pipeline({ toolsets: ['backfill'] })
    const tool = 'EventPipelineApi_SendEventsFromFile'
    const file = { call: 'track', text: 'userId,event\nu-1,Paid\n,Paid\n"u-2",Paid\n,"Signed\nUp"' }
    const stage = await show({ tool, args: file })
    const { app, calls, context } = stage
    // On a busy machine, the call is answered before the file is finished.
    const read = (row: string) =>
      expect
        .poll(async () => {
          const line = app.getByRole('list', { name: 'Findings' }).getByText(row, { exact: true })
          if ((await line.count()) === 0) await app.getByRole('button', { name: 'Refresh' }).click()
          return line.count()
        })
        .toBe(1)
    await read('rows 3,5')
    await app.getByRole('button', { name: 'Correct' }).press('Enter')
    const rows = app.getByRole('textbox', { name: 'rows 3,5' })
    expect(await rows.inputValue()).toBe(',Paid\n,"Signed\nUp"')
    await rows.fill('u-3,Paid\n,Left')
    await app.getByRole('button', { name: 'Send again' }).click()
    await app.getByText('You corrected and sent rows 3,5 again').waitFor()
    await read('rows 3')
    await picture(stage.page, 'events of a file')
    await app.getByRole('button', { name: 'Drop' }).click()
    await app.getByText('You dropped rows 3: not to be sent again.').waitFor()
    expect(await app.getByRole('button', { name: 'Correct' }).count()).toBe(0)
    expect(await context()).toMatch(/^The person corrected and sent rows 3,5 again: .*\nThe person dropped rows 3: /)
    expect(calls.filter(({ key }) => key !== undefined).map(({ args }) => args)).toEqual([
      { call: 'track', text: 'userId,event\nu-3,Paid\n,Left' },
    ])
    await expect
      .poll(async () => (await server.call('EventPipelineApi.ListBackfills'))['backfills'])
      .toMatchObject([{ rows: { accepted: 1, refused: 1 } }, { rows: { accepted: 2, refused: 2 } }])
  })

  test('of a file that the model looks at later are sent again from their place, and a row with two mistakes once', async () => {
    const { file, settings } = await fileAtAddress((response) => response.end('userId,event\nu-1,Paid\n,'))
    const { server, show } = await pipeline(settings)
    await server.call('EventPipelineApi.SendEventsFromFile', file)
    await expect
      .poll(async () => server.call('EventPipelineApi.GetBackfill', {}))
      .toMatchObject({ outcome: 'partly_refused', arguments: file })
    const { app, calls } = await show({ tool: 'EventPipelineApi_GetBackfill', args: {} })
    await app.getByRole('button', { name: 'Send again' }).click()
    await expect.poll(() => calls.flatMap(({ args, key }) => (key === undefined ? [] : [args]))).toEqual([{ ...file, rows: '3' }])
  })

  test('of a file that was not at its address are sent again once it is', async () => {
    let status = 404
    const { file, settings } = await fileAtAddress((response) => response.writeHead(status).end('userId,event\nu-1,Paid'))
    const { server, show } = await pipeline(settings)
    const { app, calls, context } = await show({ tool: 'EventPipelineApi_SendEventsFromFile', args: file })
    const sendAgain = app.getByRole('button', { name: 'Send again' })
    // On a busy machine, the call is answered before the file is finished.
    await expect
      .poll(async () => {
        if ((await sendAgain.count()) === 0) await app.getByRole('button', { name: 'Refresh' }).click()
        return sendAgain.count()
      })
      .toBe(1)
    await app.getByText('HTTP 404').waitFor()
    status = 200
    await sendAgain.click()
    await app.getByText('You corrected and sent the file again').waitFor()
    expect(await context()).toMatch(/^The person corrected and sent the file again: /)
    expect(calls.flatMap(({ args, key }) => (key === undefined ? [] : [args]))).toEqual([file])
    await expect.poll(async () => server.call('EventPipelineApi.GetBackfill', {})).toMatchObject({ rows: { accepted: 1, refused: 0 } })
    expect(await sendAgain.count()).toBe(0)
  })
})
