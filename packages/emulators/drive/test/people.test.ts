import { describe, expect, it } from 'vitest'
import { allDrives, connected, type Request, rowsIn } from './connected.ts'
import { base, browse, consenting, ticketIn } from './consenting.ts'
import { covers } from './covers.ts'
import { offeredOn, press } from './picking.ts'

const ada = 'ada.okafor@lodestar.example'
const grace = 'grace.kim@studio-kim.example'
const robin = 'robin.vance@lodestar.example'
const folder = 'application/vnd.google-apps.folder'

/** An emulator, with the API as each person calls it. */
function withPeople(options: Parameters<typeof connected>[0] = {}) {
  const emulator = connected(options)
  return {
    ...emulator,
    as: async (email: string, scopes?: readonly string[]) => {
      const { accessToken: token } = await emulator.login(email, scopes ? { scopes } : {})
      return {
        token,
        get: (call: string, request: Request = {}) => emulator.get(call, { ...request, token }),
        ask: (call: string, request: Request = {}) => emulator.ask(call, { ...request, token }),
        refusal: (call: string, request: Request = {}) => emulator.refusal(call, { ...request, token }),
        async names(q: string, query: Request['query'] = {}) {
          const { files } = await emulator.get('GET /files', { token, query: { q, pageSize: 1000, ...query } })
          return rowsIn(files).map(({ name }) => String(name))
        },
      }
    },
  }
}

describe('several people', () => {
  it('have a My Drive each, of which the others see nothing', covers('access/people'), async () => {
    const { as } = withPeople({ seed: 'empty' })
    const [asAda, asGrace] = [await as(ada), await as(grace)]
    const { id: diary } = await asAda.get('POST /files', { body: { name: 'Diary', starred: true }, query: { fields: 'id' } })
    expect(await asAda.names("'me' in owners and name = 'Diary' and starred = true and 'root' in parents")).toEqual(['Diary'])
    expect(await asGrace.names("name = 'Diary'")).toEqual([])
    expect(await asGrace.names('')).toEqual([])
    for (const call of [`GET /files/${String(diary)}`, `PATCH /files/${String(diary)}`, `DELETE /files/${String(diary)}`])
      expect(await asGrace.refusal(call, { query: allDrives })).toEqual([404, 'notFound'])
    const [adas, graces] = [await asAda.get('GET /files/root'), await asGrace.get('GET /files/root')]
    expect(adas['name']).toBe('My Drive')
    expect(adas['id']).not.toBe(graces['id'])
    expect(await asGrace.refusal(`GET /files/${String(adas['id'])}`)).toEqual([404, 'notFound'])
    expect(await asGrace.refusal('POST /files', { body: { parents: [String(adas['id'])] } })).toEqual([404, 'notFound'])
    expect(await asAda.refusal(`PATCH /files/${String(adas['id'])}`, { body: { name: 'Mine' } })).toEqual([403, 'rootFolderNotModifiable'])
  })

  it('are who the API says they are, and have their own storage', covers('access/people', 'oauth/people'), async () => {
    const { as } = withPeople({ seed: 'empty', storageLimit: 10 })
    const [asAda, asRobin] = [await as(ada), await as(robin)]
    const about = { query: { fields: 'user,storageQuota' } }
    const upload = { query: { uploadType: 'media' }, body: '1234567', headers: { 'content-type': 'text/plain' } }
    await asAda.get('POST /upload/drive/v3/files', upload)
    expect(await asAda.get('GET /about', about)).toMatchObject({ user: { emailAddress: ada, me: true }, storageQuota: { usage: '7' } })
    expect(await asRobin.get('GET /about', about)).toMatchObject({ user: { emailAddress: robin, me: true }, storageQuota: { usage: '0' } })
    expect(await asAda.refusal('POST /upload/drive/v3/files', upload)).toEqual([403, 'storageQuotaExceeded'])
    await asRobin.get('POST /upload/drive/v3/files', upload)
  })

  it('share what they own', covers('access/people'), async () => {
    const { as } = withPeople({ seed: 'empty' })
    const [asAda, asGrace] = [await as(ada), await as(grace)]
    const { id: plans } = await asAda.get('POST /files', { body: { name: 'Our plans', mimeType: folder } })
    await asAda.get('POST /files', { body: { name: 'Draft', parents: [plans] } })
    const { id: share } = await asAda.get(`POST /files/${String(plans)}/permissions`, {
      body: { type: 'user', role: 'writer', emailAddress: grace },
    })
    expect(await asGrace.names('sharedWithMe = true')).toEqual(['Our plans'])
    expect(await asGrace.names(`'${String(plans)}' in parents`)).toEqual(['Draft'])
    const fields = { query: { fields: 'sharingUser(emailAddress,me),owners(emailAddress,me),ownedByMe,starred,parents' } }
    await asGrace.get(`PATCH /files/${String(plans)}`, { body: { starred: true } })
    const owner = { emailAddress: ada, me: false }
    expect(await asGrace.get(`GET /files/${String(plans)}`, fields)).toEqual({
      ...{ sharingUser: owner, owners: [owner], ownedByMe: false, starred: true },
    })
    expect(await asAda.get(`GET /files/${String(plans)}`, fields)).toMatchObject({ ownedByMe: true, starred: false })
    await asGrace.get('POST /files', { body: { name: 'Answer', parents: [plans] } })
    expect(await asAda.names("name = 'Answer'")).toEqual(['Answer'])
    expect(await asGrace.refusal(`DELETE /files/${String(plans)}`)).toEqual([403, 'insufficientFilePermissions'])
    await asAda.ask(`DELETE /files/${String(plans)}/permissions/${String(share)}`)
    expect(await asGrace.names("name = 'Draft'")).toEqual([])
    expect(await asGrace.names("name = 'Answer'")).toEqual(['Answer'])
  })

  it('find what was shared with them before they came', covers('access/people'), async () => {
    const { as, get, one } = withPeople()
    await get(`POST /files/${one('Plans').id}/permissions`, { body: { type: 'user', role: 'reader', emailAddress: grace } })
    const asGrace = await as(grace)
    expect(await asGrace.names("sharedWithMe = true and name = 'Plans'")).toEqual(['Plans'])
    const asAda = await as(ada)
    expect(rowsIn((await asAda.get('GET /drives'))['drives']).map(({ name }) => name)).toEqual(['Finance'])
    expect(await asAda.names("'writer' in writers or trashed = false", { ...allDrives, corpora: 'allDrives' })).toContain('Audit 2026')
    expect(rowsIn((await get('GET /drives'))['drives']).map(({ name }) => name)).toEqual(['Engineering', 'Design'])
  })

  it('give an app items one by one', covers('access/people', 'access/drive-file'), async () => {
    const { as, get, one, shareWithApp } = withPeople()
    const { id } = one('Plans')
    await get(`POST /files/${id}/permissions`, { body: { type: 'user', role: 'reader', emailAddress: ada } })
    shareWithApp(id)
    const [asAda, asRobin] = [await as(ada, [`${base}drive.file`]), await as(robin, [`${base}drive.file`])]
    expect(await asRobin.names("name = 'Plans'")).toEqual(['Plans'])
    expect(await asAda.names("name = 'Plans'")).toEqual([])
    await asAda.get('POST /files', { body: { name: 'Made' } })
    expect(await asAda.names("name = 'Made'")).toEqual(['Made'])
  })

  it('continue their uploads with only the URL', covers('access/people'), async () => {
    const { as, fetch } = withPeople()
    const asAda = await as(ada)
    const { headers } = await asAda.ask('POST /upload/drive/v3/files', { query: { uploadType: 'resumable' }, body: { name: 'Long' } })
    await fetch(headers.get('location') ?? '', { method: 'PUT', body: 'content' })
    expect(await asAda.names("name = 'Long' and 'me' in owners")).toEqual(['Long'])
  })

  it('consent and revoke as themselves', covers('oauth/people', 'oauth/page'), async () => {
    const { login, revoke, post, get, use, store } = await consenting()
    const scope = `openid email ${base}drive.file`
    const [adas, robins] = [await login({ scope }, ada), await login({ scope, login_hint: 'nobody@lodestar.example' })]
    const whoIs = async (token: string) => get('GET /about', { token, query: { fields: 'user/emailAddress' } })
    expect([await whoIs(adas.access), await whoIs(robins.access)]).toEqual([
      { user: { emailAddress: ada } },
      { user: { emailAddress: robin } },
    ])
    const infos = await Promise.all([adas, robins].map(({ access }) => post('/tokeninfo', new URLSearchParams({ access_token: access }))))
    expect(infos.map(({ status }) => status)).toEqual([400, 400])
    expect([adas, robins].map((tokens) => 'refresh_token' in tokens)).toEqual([true, true])
    expect(await login({ scope }, ada)).not.toHaveProperty('refresh_token')
    await revoke(adas.access)
    expect([await use(adas.access), await use(robins.access)]).toEqual([401, 200])
    expect(store.grants().map(({ person }) => person === null)).toEqual([false, true, false])
  })

  it('pick their own files', covers('picker/places', 'access/people'), async () => {
    const { open, answer, login, exchange, get, url } = await consenting()
    const own = await login({ scope: `${base}drive` }, ada)
    const { id } = await get('POST /files', { token: own.access, body: { name: 'Diary' } })
    const { location } = await answer(ticketIn((await open({ trigger_onepick: 'true', prompt: 'consent' })).body), { person: ada })
    const picker = new URL(location, url).href
    const { body } = await browse(picker)
    expect(offeredOn(body)).toEqual(['Diary'])
    const { searchParams } = new URL((await press(picker, body, { press: 'Give access', tick: [String(id)] })).location)
    expect(searchParams.get('picked_file_ids')).toBe(id)
    const { access_token: token } = await exchange(searchParams.get('code'))
    expect(rowsIn((await get('GET /files', { token: String(token) }))['files'])).toMatchObject([{ id, name: 'Diary' }])
  })
})
