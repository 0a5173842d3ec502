import { toObject } from '@mcp-toolkits/emulator'
import { dig, formerDatabases } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { idOf } from '../src/ids.ts'
import { linearEmulator } from '../src/index.ts'
import { covers } from './emulator.ts'
import { openOAuthEmulator } from './oauth-emulator.ts'

const ada = 'ada.okafor@lodestar.example'
const robin = 'robin.vance@lodestar.example'
const inbox = '{ notifications { nodes { id user { email } } } }'

/** An emulator, with the API as one person sees it. */
async function openWithPeople(options: Parameters<typeof openOAuthEmulator>[0] = {}) {
  const emulator = await openOAuthEmulator(options)
  return {
    ...emulator,
    as: async (email: string) => {
      const { accessToken } = await emulator.loginAs(email)
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` }
      return async (query: string) => {
        const body = JSON.stringify({ query })
        const response = await emulator.fetch('https://api.linear.app/graphql', { method: 'POST', headers, body })
        return { headers: response.headers, ...toObject(await response.json()) }
      }
    },
  }
}

describe('several people in a workspace', () => {
  it('consent as themselves', covers('authorize/person', 'authorize/viewer'), async () => {
    const { open, consentAs, exchange, fetch, store } = await openOAuthEmulator()
    const { body } = await open({ login_hint: ada })
    expect(body).toMatch(/<option value="robin.vance@lodestar.example" >[\s\S]*<option value="ada.okafor@lodestar.example" selected>/)
    expect(body).not.toContain('beacon@lodestar.example')
    expect(body).not.toContain('leo.brandt@lodestar.example')
    const viewerOf = async (person?: string, hint?: string) => {
      const tokens = await exchange((await consentAs(person, { login_hint: hint })).get('code'))
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${String(tokens['access_token'])}` }
      const request = { method: 'POST', headers, body: '{"query":"{ viewer { email } }"}' }
      return dig(await (await fetch('https://api.linear.app/graphql', request)).json(), 'data.viewer.email')
    }
    expect([await viewerOf(ada), await viewerOf(undefined, ada), await viewerOf(undefined, 'nobody'), await viewerOf()]).toEqual([
      ...[ada, ada],
      ...[robin, robin],
    ])
    expect((await consentAs('nobody@lodestar.example')).get('error')).toBe('access_denied')
    expect(new Set(store.grants().map(({ person }) => person)).size).toBe(2)
  })

  it('see their own inbox, and write under their own name', covers('authorize/viewer'), async () => {
    const { as } = await openWithPeople()
    const [asAda, asRobin] = [await as(ada), await as(robin)]
    const robins = dig(await asRobin(inbox), 'data.notifications.nodes')
    expect(robins).toContainEqual(expect.objectContaining({ user: { email: robin } }))
    expect(dig(await asAda(inbox), 'data.notifications.nodes')).toEqual([])
    const id = String(dig(robins, '0.id'))
    expect(dig(await asAda(`{ notification(id: "${id}") { id } }`), 'data')).toBeNull()
    const wrote = await asAda(
      'mutation { commentCreate(input: { issueId: "ENG-1", body: "Mine." }) { comment { id user { email isMe } } } }',
    )
    expect(dig(wrote, 'data.commentCreate.comment.user')).toEqual({ email: ada, isMe: true })
    const commentId = String(dig(wrote, 'data.commentCreate.comment.id'))
    const changed = await asRobin(`mutation { commentUpdate(id: "${commentId}", input: { body: "Yours." }) { success } }`)
    expect(dig(changed, 'errors.0.message')).toBe('Forbidden')
  })

  it('have a budget each', covers('limits/per-user'), async () => {
    const { as } = await openWithPeople({ limits: { requests: 2 } })
    const [asAda, asRobin] = [await as(ada), await as(robin)]
    const query = '{ viewer { id } }'
    await asAda(query)
    expect((await asAda(query)).headers.get('x-ratelimit-requests-remaining')).toBe('0')
    expect(dig(await asAda(query), 'errors.0.extensions.type')).toBe('ratelimited')
    expect((await asRobin(query)).headers.get('x-ratelimit-requests-remaining')).toBe('1')
  })

  it('revoke only what they have granted', covers('revoke/whole-grant'), async () => {
    const { loginAs, revoke, use } = await openOAuthEmulator()
    const [adas, robins] = [await loginAs(ada), await loginAs(robin)]
    await revoke(new URLSearchParams({ token: adas.accessToken }))
    expect([await use(adas.accessToken), await use(robins.accessToken)]).toEqual([401, 200])
  })

  it('have no access while they are suspended', covers('users/admin'), async () => {
    const { loginAs, use } = await openOAuthEmulator()
    const [adas, robins] = [await loginAs(ada), await loginAs(robin)]
    const change = (verb: string) => use(robins.accessToken, `mutation { user${verb}(id: "${idOf('User Ada Okafor')}") { success } }`)
    expect([await change('Suspend'), await use(adas.accessToken)]).toEqual([200, 401])
    expect([await change('Unsuspend'), await use(adas.accessToken)]).toEqual([200, 200])
  })

  it('must belong to the workspace', async () => {
    const emulator = linearEmulator({ seed: 'edge-cases' })
    expect(() => emulator.login('nobody@lodestar.example')).toThrow(
      'Nobody in the workspace has the email address nobody@lodestar.example.',
    )
    const email = 'person.7@lodestar.example'
    emulator.addUser({ name: 'Person 7' })
    const { accessToken } = await emulator.login(email)
    expect(accessToken).toMatch(/^lin_oauth_/)
    await emulator.close()
  })
})

describe('a data directory', () => {
  it('from a version with one person still opens, and its tokens still work', covers('authorize/viewer'), async () => {
    const former = formerDatabases(new URL('databases/', import.meta.url)).find(({ name }) => name === 'version-2.sql')
    const temporary = former?.restore()
    onTestFinished(() => {
      temporary?.[Symbol.dispose]()
    })
    const [file, accessToken] = [temporary?.file ?? '', former?.accessToken ?? '']
    const emulator = linearEmulator({ file, now: () => Date.parse('2026-09-16T13:00:00Z') })
    onTestFinished(() => emulator.close())
    const viewer = async (token: string) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
      const request = { method: 'POST', headers, body: '{"query":"{ viewer { email } }"}' }
      return dig(await (await emulator.fetch('https://api.linear.app/graphql', request)).json(), 'data.viewer.email')
    }
    expect(await viewer(accessToken)).toBe(robin)
    expect(await viewer((await emulator.login(ada)).accessToken)).toBe(ada)
  })
})
