import { openPeopleToolbox } from '@mcp-toolkits/team/accounts'
import { expect, it, onTestFinished } from 'vitest'
import { issueTracker } from '../../src/server.ts'
import { personAt, startCompany, titleOf } from './setup.ts'

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined }
const settings = { embedded: false, dataDirectory: '/nonexistent', readOnly: false, toolNames: 'safe' } as const

const never = new AbortController().signal

/** A company whose vendor accepts a refresh token once, and Robin, whose login is about to be renewed. */
async function startRenewal() {
  const company = await startCompany({ lifetimes: { refreshGrace: 0 } })
  await personAt(company, 'robin').follow((await company.linkFor('robin')).url)
  const login = await company.loginOf('robin')
  if (!login?.tokens?.refreshToken) throw new Error('Robin has connected an account.')
  const expired = { ...login, tokens: { ...login.tokens, expiry: { expiresAt: 0, refreshAt: 0 } } }
  await company.storeLogin('robin', expired)
  const { state, links, environment } = company
  const toolbox = openPeopleToolbox(issueTracker, { ...settings, environment }, { state, links, log: silent })
  onTestFinished(() => toolbox.close())
  const tool = toolbox.listing.find('IssueTracker_WhoAmI')
  if (!tool) throw new Error('The server says who one is.')
  const call = () => toolbox.invoke(tool, {}, { signal: never, caller: company.callerOf('robin') })
  return { ...company, call, login: expired, refreshToken: login.tokens.refreshToken }
}

it('asks the person to connect again if a server ended before it stored a new one-time refresh token', async () => {
  const company = await startRenewal()
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: company.refreshToken.reveal(),
    client_id: company.login.client.id,
    client_secret: company.login.client.secret?.reveal() ?? '',
  })
  // A token that another server requests but never stores.
  expect(await fetch(company.login.tokenUrl, { method: 'POST', body })).toMatchObject({ status: 200 })
  const refused = await company.call()
  const url = refused.ok ? '' : (refused.error.next?.url ?? '')
  expect(refused).toMatchObject({
    ok: false,
    error: {
      code: 'unauthenticated',
      message:
        'Linear has ended this login: it was revoked, is too old, or its last refresh was interrupted. Ask the person to open the page, then make the call again.',
    },
  })
  expect(titleOf(await personAt(company, 'robin').follow(url))).toBe('Connected to Linear')
  expect(await company.call()).toMatchObject({ ok: true, data: { user: { name: 'Robin Vance' } } })
})
