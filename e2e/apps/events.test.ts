import { connect, type ConnectSettings } from '@mcp-toolkits/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventPipeline } from '../../servers.ts'
import { chromiumPath } from '../chromium-path.ts'
import { profiles } from './profiles.ts'
import { hostClient, inspectEverywhere, picture, type Scene, showApp } from './stage.ts'

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
    await picture(stage, 'events correcting')
    await app.getByRole('button', { name: 'Send again' }).click()
    await app.getByText('The person corrected row 1 and sent it again.').waitFor()
    await app.getByRole('list', { name: 'Outbox' }).getByRole('button', { name: 'Drop' }).click()
    await app.getByText('it is dropped').waitFor()
    await expect.poll(() => app.getByText('in the outbox').count()).toBe(0)
    expect(await context()).toMatch(
      /^The person corrected row 1 and sent it again\. .*\nThe person chose for waiting entry \d+: it is dropped\./,
    )
    expect(calls.flatMap(({ tool, key }) => (key === undefined ? [] : [tool]))).toEqual(['SendBatchRequests', 'DropWaitingEvent'])
  })
})
