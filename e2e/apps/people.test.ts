// One outbox or one board, two people: each is offered what they may do, and the audit log has each of their actions once.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { isObject, parseJson } from '@mcp-toolkits/core/base'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { describe, expect, test } from 'vitest'
import { type Company, openCompany, peopleOf } from '../../packages/testing/src/company/company.ts'
import { connectEveryone } from '../../packages/testing/src/company/connecting.ts'
import { tracking } from '../../packages/testing/src/company/work.ts'
import type { KnownPerson } from '../../packages/testing/src/people/identity-provider/identity-provider.ts'
import { chromiumPath } from '../chromium-path.ts'
import { temporaryDirectory } from '../command.ts'
import { type HttpProcess, startHttp } from '../http-process.ts'
import { startTokenIssuer } from '../people/token-server.ts'
import { hostClient, showApp } from './stage.ts'

const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'
const publicUrl = 'https://tools.example'
const apiKey = 'key-of-the-outbox'

/** Sends a client's requests to a server, as they arrive at its public address. */
const through = (server: HttpProcess, token: string) => async (request: Request) => {
  const given = Object.fromEntries(request.headers)
  const sent = { ...given, host: 'tools.example', authorization: `Bearer ${token}` }
  const { status = 500, headers, body } = await server.sendRequest({ method: request.method, headers: sent, body: await request.text() })
  return new Response(body === '' ? null : body, { status, headers: { 'content-type': headers['content-type'] ?? 'application/json' } })
}

/** The lines of an audit log that mention a tool. */
async function linesAbout(file: string, tool: string): Promise<readonly object[]> {
  const entries = (await readFile(file, 'utf8')).trim().split('\n').map(parseJson).filter(isObject)
  return entries.filter((entry) => JSON.stringify(entry).includes(tool))
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
    const [ada, robin, reader] = [await clientOf('ada', 'delete'), await clientOf('robin', 'delete'), await clientOf('robin', 'read')]
    const tool = 'EventPipelineApi_SendBatchRequests'
    const refused = { mode: 'execute', enable_strict_mode: 'true', request_body: '{"batch":[{"type":"track","event":"Of no one"}]}' }
    for (const sender of [ada, robin]) expect(await sender.callTool({ name: tool, arguments: refused })).toMatchObject({ isError: true })
    const shown = await reader.callTool({ name: 'EventPipelineApi_ListWaitingEvents', arguments: { id: 2 } })
    expect(JSON.stringify(shown.structuredContent)).toContain('Of no one')
    for (const name of ['ListWaitingEvents', 'SendWaitingEvent', 'DropWaitingEvent']) {
      const answer = await ada.callTool({ name: `EventPipelineApi_${name}`, arguments: { id: 2 } })
      expect(JSON.stringify(answer)).toContain('No event with the id 2 is waiting.')
    }

    const args = { mode: 'get_request_schema' }
    const seen = await showApp({ client: reader, tool, args })
    await seen.app.getByText('1 in the outbox').waitFor()
    expect(await seen.app.getByRole('button', { name: 'Drop' }).count()).toBe(0)
    await expect(reader.callTool({ name: 'EventPipelineApi_DropWaitingEvent', arguments: { id: 1 } })).rejects.toThrow()
    const stage = await showApp({ client: ada, tool, args })
    await stage.app.getByRole('button', { name: 'Drop' }).click()
    await stage.app.getByText('it is dropped').waitFor()

    await expect
      .poll(() => linesAbout(file, 'DropWaitingEvent'))
      .toMatchObject([
        { subject: 'ada', tool: 'DropWaitingEvent', outcome: 'not_found' },
        { subject: 'robin', outcome: 'refused' },
        { subject: 'ada', tool: 'DropWaitingEvent', outcome: 'ok' },
      ])
    await vendor.close()
    await emulator.close()
  })
})

/** A client of a person's host, with these permissions. */
const clientOf = async (company: Company, person: KnownPerson, permissions: readonly string[]) => {
  const scopes = permissions.map((permission) => `issue-tracker:${permission}`)
  return hostClient(async (request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${company.tokenOf(person, scopes)}`)
    return fetch(company.url, { method: request.method, headers, body: await request.text() })
  })
}

/** Creates a private team at the vendor, with one of the people as a member. */
async function addPrivateTeam({ vendor }: Company, { email = '' }: KnownPerson): Promise<void> {
  const ask = async (query: string) => {
    const headers = { authorization: vendor.account['ISSUE_TRACKER_API_KEY'] ?? '', 'content-type': 'application/json' }
    const response = await fetch(`${vendor.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    return /"id":"([^"]+)"/.exec(await response.text())?.[1] ?? ''
  }
  const teamId = await ask('mutation { teamCreate(input: { name: "Confidential", key: "SEC", private: true }) { team { id } } }')
  const userId = await ask(`{ users(filter: { email: { eq: "${email}" } }) { nodes { id } } }`)
  await ask(`mutation { teamMembershipCreate(input: { teamId: "${teamId}", userId: "${userId}" }) { teamMembership { id } } }`)
}

describe.runIf(shouldRun)('two people at one board', () => {
  test('see and change only what they may, each as themselves', async () => {
    const people = peopleOf(2)
    const [ada, bob] = people
    if (!ada || !bob) throw new Error('There are two people.')
    const file = path.join(await temporaryDirectory(), 'audit.jsonl')
    await using company = await openCompany({ ...tracking, people, args: ['--audit', file] })
    await connectEveryone(company, tracking.whoAmI)
    const [writer, reader] = [await clientOf(company, ada, ['read', 'write', 'delete']), await clientOf(company, bob, ['read'])]
    for (const [title, assignee] of Object.entries({ 'Of Ada': ada.name, 'Of Bob': bob.name }))
      await writer.callTool({ name: 'IssueTracker_CreateIssue', arguments: { team: 'ENG', title, assignee } })
    const tool = 'IssueTracker_ListIssues'

    const seen = await showApp({ client: reader, tool, args: { team: 'ENG' } })
    const card = seen.app.locator('.card', { hasText: 'Of Ada' })
    expect(await card.getAttribute('draggable')).toBeNull()
    const issue_id = await card.getAttribute('data-key')
    await card.press('Enter')
    await seen.app.getByText('No description.').waitFor()
    expect(await seen.app.locator('select').count()).toBe(0)
    const move = { name: 'IssueTracker_TransitionIssueState', arguments: { issue_id, target_state: 'Done' } }
    await expect(reader.callTool(move)).rejects.toThrow()

    const stage = await showApp({ client: writer, tool, args: { team: 'ENG' } })
    const own = stage.app.locator('.card', { hasText: 'Of Ada' })
    await stage.app.locator('section[aria-label^="Canceled,"]').waitFor()
    await own.focus()
    await stage.page.keyboard.press('Shift+ArrowRight')
    await stage.app
      .locator('[role=status]')
      .getByText(`moved ${issue_id ?? ''} from`)
      .waitFor()
    await expect
      .poll(() => linesAbout(file, 'TransitionIssueState'))
      .toMatchObject([
        { subject: bob.subject, outcome: 'refused' },
        { subject: ada.subject, tool: 'TransitionIssueState', outcome: 'ok' },
      ])

    for (const [client, title] of [
      [writer, 'Of Ada'],
      [reader, 'Of Bob'],
    ] as const) {
      const { app } = await showApp({ client, tool, args: { assignee: '@me' } })
      await expect.poll(async () => await app.locator('.card .title').allInnerTexts()).toEqual([title])
    }
  })

  test('see and change the issues of a private team as its members alone', async () => {
    const people = peopleOf(2)
    const [ada, bob] = people
    if (!ada || !bob) throw new Error('There are two people.')
    await using company = await openCompany({ ...tracking, people })
    await connectEveryone(company, tracking.whoAmI)
    await addPrivateTeam(company, ada)
    const permissions = ['read', 'write', 'delete']
    const [member, other] = [await clientOf(company, ada, permissions), await clientOf(company, bob, permissions)]
    for (const [client, team, title] of [
      [member, 'SEC', 'Quinces of few'],
      [other, 'ENG', 'Quinces of all'],
    ] as const)
      await client.callTool({ name: 'IssueTracker_CreateIssue', arguments: { team, title } })
    const tool = 'IssueTracker_ListIssues'

    const seen = await showApp({ client: other, tool, args: { keywords: 'quinces' } })
    await expect.poll(() => seen.app.locator('.card .title').allInnerTexts()).toEqual(['Quinces of all'])
    for (const [name, args] of Object.entries({
      ListIssues: { team: 'SEC' },
      GetIssue: { issue_id: 'SEC-1' },
      TransitionIssueState: { issue_id: 'SEC-1', target_state: 'Done' },
      CreateIssue: { team: 'SEC', title: 'Mine' },
    })) {
      const answer = await other.callTool({ name: `IssueTracker_${name}`, arguments: args })
      expect(answer.isError).toBe(true)
      expect(JSON.stringify(answer)).toContain('not_found')
      expect(JSON.stringify(answer)).not.toMatch(/Confidential|of few/)
    }

    const stage = await showApp({ client: member, tool, args: { keywords: 'quinces' } })
    const titles = async () => (await stage.app.locator('.card .title').allInnerTexts()).toSorted()
    await expect.poll(titles).toEqual(['Quinces of all', 'Quinces of few'])
    const own = await showApp({ client: member, tool, args: { team: 'SEC' } })
    await own.app.locator('section[aria-label^="Canceled,"]').waitFor()
    await own.app.locator('.card').focus()
    await own.page.keyboard.press('Shift+ArrowRight')
    await own.app.locator('[role=status]').getByText('moved SEC-1 from "Backlog" to "Todo"').waitFor()
  })
})
