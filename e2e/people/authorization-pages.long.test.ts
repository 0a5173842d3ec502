import { once } from 'node:events'
import { createServer } from 'node:http'
import { freePort } from '@mcp-toolkits/testing/postgres'
import { oauthClient, register } from '@mcp-toolkits/testing/people'
import { describe, expect, onTestFinished, test } from 'vitest'
import { inspectPage } from '../accessibility.ts'
import { chromiumPath, newPage } from '../chromium.ts'
import { openCompany, peopleOf } from '../../packages/testing/src/company/company.ts'
import { tracking } from '../../packages/testing/src/company/work.ts'

const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'

/** Starts a client that waits for its code on this computer. */
async function startClient() {
  const port = await freePort()
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<h1>Back in the client</h1>')
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${port}/callback`
}

describe.runIf(shouldRun)('in Chromium', () => {
  test('a person lets a client act for them, and cancels another time', async () => {
    const people = peopleOf(1)
    const company = await openCompany({ ...tracking, people, issuesTokens: true })
    onTestFinished(() => company[Symbol.asyncDispose]())
    const { publicUrl: issuer, url: resource } = company
    const redirect = await startClient()
    const { body } = await register(issuer, { client_name: 'Editor', redirect_uris: [redirect] })
    const scope = 'issue-tracker:read issue-tracker:write'
    const client = oauthClient({ issuer, clientId: String(body['client_id']), resource, scope })
    const request = client.authorizationUrl({ redirect_uri: redirect })

    const page = await newPage({ runsScripts: true })
    await page.goto(request)
    await page.getByRole('heading', { name: 'Let Editor use Issue Tracker for Linear?' }).waitFor()
    await inspectPage(page, 'authorization-consent')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: people[0]?.name ?? '' }).click()
    await page.getByRole('heading', { name: 'Back in the client' }).waitFor()
    const code = new URL(page.url()).searchParams.get('code') ?? ''
    expect((await client.redeem(code, { redirect_uri: redirect })).status).toBe(200)

    // The person is signed in at the provider, so the form leads straight through it to the client.
    await page.goto(request)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Back in the client' }).waitFor()
    expect(new URL(page.url()).searchParams.has('code')).toBe(true)

    await page.goto(request)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Back in the client' }).waitFor()
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')

    const former = await page.goto(client.authorizationUrl({ redirect_uri: 'https://evil.example/' }))
    expect(former?.status()).toBe(400)
    await inspectPage(page, 'authorization-refused')
  })
})
