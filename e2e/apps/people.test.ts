// One outbox, two people: each is offered what they may do, and what they do stands in the audit once.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { isObject, parseJson } from '@mcp-toolkits/core/base'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../chromium-path.ts'
import { temporaryDirectory } from '../command.ts'
import { type HttpProcess, startHttp } from '../http-process.ts'
import { startTokenIssuer } from '../people/token-server.ts'
import { hostClient, showApp } from './stage.ts'

const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'
const publicUrl = 'https://tools.example'
const apiKey = 'key-of-the-outbox'

/** Sends the requests of a client to a server, as one who reaches it at its public address. */
const through = (server: HttpProcess, token: string) => async (request: Request) => {
  const given = Object.fromEntries(request.headers)
  const sent = { ...given, host: 'tools.example', authorization: `Bearer ${token}` }
  const { status = 500, headers, body } = await server.sendRequest({ method: request.method, headers: sent, body: await request.text() })
  return new Response(body === '' ? null : body, { status, headers: { 'content-type': headers['content-type'] ?? 'application/json' } })
}

describe.runIf(shouldRun)('two people at one outbox', () => {
  test('see and change only what they may', async () => {
    await using issuer = await startTokenIssuer()
    const { tokens } = issuer
    const emulator = pipelinesEmulator({ apiKey })
    const vendor = await emulator.listen({ port: 0 })
    const file = path.join(await temporaryDirectory(), 'audit.jsonl')
    await using server = await startHttp({
      args: ['--issuer', tokens.issuer, '--public-url', publicUrl, '--audit', file],
      environment: {
        EVENT_PIPELINE_API_KEY: apiKey,
        EVENT_PIPELINE_API_URL: `${vendor.url}/v1`,
        MCP_TOOLKITS_VAULT_KEYS: `1:${Buffer.alloc(32, 7).toString('base64')}`,
      },
    })
    const clientOf = async (sub: string, scope: string) =>
      hostClient(through(server, await tokens.sign({ sub, aud: `${publicUrl}/mcp`, scope: `event-pipeline:${scope}` }, Date.now())))
    const [ada, robin] = [await clientOf('ada', 'delete'), await clientOf('robin', 'read')]
    const tool = 'EventPipelineApi_SendBatchRequests'
    const refused = { mode: 'execute', enable_strict_mode: 'true', request_body: '{"batch":[{"type":"track","event":"Of no one"}]}' }
    expect(await ada.callTool({ name: tool, arguments: refused })).toMatchObject({ isError: true })

    const args = { mode: 'get_request_schema' }
    const seen = await showApp({ client: robin, tool, args })
    await seen.app.getByText('1 in the outbox').waitFor()
    expect(await seen.app.getByRole('button', { name: 'Drop' }).count()).toBe(0)
    await expect(robin.callTool({ name: 'EventPipelineApi_DropWaitingEvent', arguments: { id: 1 } })).rejects.toThrow()
    const stage = await showApp({ client: ada, tool, args })
    await stage.app.getByRole('button', { name: 'Drop' }).click()
    await stage.app.getByText('it is dropped').waitFor()

    const drops = async () =>
      (await readFile(file, 'utf8'))
        .trim()
        .split('\n')
        .map(parseJson)
        .filter(isObject)
        .filter((entry) => JSON.stringify(entry).includes('DropWaitingEvent'))
    await expect.poll(drops).toMatchObject([
      { subject: 'robin', outcome: 'refused' },
      { subject: 'ada', tool: 'DropWaitingEvent', outcome: 'ok' },
    ])
    await vendor.close()
    await emulator.close()
  })
})
