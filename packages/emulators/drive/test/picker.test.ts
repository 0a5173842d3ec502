import { covers } from './covers.ts'
import { textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { base, browse, consenting, ticketIn, type Sendable } from './consenting.ts'
import { crumbsOn, kindsOn, offeredOn, picking, press, tickedOn, toldOn } from './picking.ts'

const minute = 60_000
const notes = () => new File(['We met.\n'], 'C:\\notes\\Meeting <1>.txt', { type: 'text/plain' })

describe('the file picker', () => {
  it('shows a folder and runs no script', covers('picker/page'), async () => {
    const { page, act } = await picking()
    const { status, headers, body } = page()
    expect([status, headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([200, 'no-store', 'same-origin'])
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    )
    expect(body).toContain('<h1>Choose what The &lt;b&gt;app&lt;/b&gt; may use</h1>')
    expect(body).toContain('This is not Google.')
    expect(body).not.toMatch(/<script|<b>| style=| on[a-z]+=/)
    expect(offeredOn(body)).toEqual(expect.arrayContaining(['Photos', 'Plans', 'Plans/Drafts', "Robin's odds & ends", 'empty.txt']))
    expect(offeredOn(body)).not.toContain('Old draft.txt')
    const inner = (await act({ press: 'Open Projects' })).body
    expect([offeredOn(inner), crumbsOn(inner)]).toEqual([
      ['Apollo', 'apollo', 'Gemini'],
      ['My Drive', 'Projects'],
    ])
  })

  it('grants items from several folders, so a failed request succeeds', covers('picker/choice'), async () => {
    const { act, done, one, names, send, page } = await picking()
    const [readme, idea] = [one('Readme.md').id, one('idea.txt').id]
    const status = async (id: string) => (await send(`GET /files/${id}`)).status
    expect([await status(readme), await status(idea)]).toEqual([404, 404])
    await act({ press: 'Open Projects' })
    await act({ press: 'Open Gemini' })
    const elsewhere = await act({ press: 'Shared with me', tick: [readme] })
    expect([tickedOn(elsewhere.body), elsewhere.body.includes('Chosen elsewhere')]).toEqual([[readme], true])
    await act({ press: 'Search', search: 'idea' })
    expect(offeredOn(page().body)).toEqual(['idea.txt', 'Readme.md'])
    const last = await act({ press: 'Give access', tick: [idea] })
    expect([last.status, toldOn(last.body)]).toEqual([200, 'Done. You can close this page and repeat the request.'])
    expect(await done).toEqual({ outcome: 'granted', ids: [readme, idea] })
    expect([await status(readme), await status(idea)]).toEqual([200, 200])
    expect(await names('')).toEqual(['Readme.md', 'idea.txt'])
  })

  it('navigates to ancestors and shared drives', covers('picker/places'), async () => {
    const { act } = await picking()
    await act({ press: 'Open Projects' })
    await act({ press: 'Open Gemini' })
    const back = await act({ press: 'Projects' })
    expect(crumbsOn(back.body)).toEqual(['My Drive', 'Projects'])
    expect(offeredOn((await act({ press: 'Engineering' })).body).length).toBeGreaterThan(0)
    await act({ press: 'Shared with me' })
    expect(crumbsOn((await act({ press: 'Open Offsite' })).body)).toEqual(['Shared with me', 'Offsite'])
  })

  it('shows My Drive for an unknown folder, and no upload without write access', covers('picker/other-places'), async () => {
    const { url, act, one, page } = await picking()
    const [commented, gone] = [one('Brand').id, 'unknown']
    for (const id of [gone, one('Launch plan').id, one('Audit 2026').parentId ?? '']) {
      const { body } = await browse(`${url}?in=${id}`)
      expect([offeredOn(body).includes('Photos'), body.includes('Upload into My Drive')]).toEqual([true, true])
    }
    const { body } = await browse(`${url}?in=${commented}`)
    expect([offeredOn(body), body.includes('type="file"')]).toEqual([['Colours.txt', 'Logo.png'], false])
    expect(offeredOn((await act({ press: 'Design' })).body)).toEqual(['Brand'])
    const forged = await press(url, page().body.replace('value="give"', 'value="upload"'), { press: 'Give access', file: notes() })
    expect([forged.status, toldOn(forged.body)]).toEqual([400, 'Nothing can be uploaded here.'])
  })

  it('grants a folder without its contents and a shortcut with its target', covers('picker/shortcuts'), async () => {
    const { act, done, one, names } = await picking()
    const ids = [one('Photos').id, one('Latest plan').id]
    await act({ press: 'Give access', tick: ids })
    expect(await done).toEqual({ outcome: 'granted', ids })
    expect(await names('')).toEqual(['Latest plan', 'Launch plan', 'Photos'])
  })

  it('grants an uploaded file if it is still selected', covers('picker/upload'), async () => {
    const { act, done, named, names, send } = await uploading()
    const uploaded = await act({ press: 'Upload', file: notes() })
    const [file] = named('Meeting <1>.txt')
    expect(toldOn(uploaded.body)).toBe('Meeting &lt;1&gt;.txt is uploaded and chosen.')
    expect([tickedOn(uploaded.body), crumbsOn(uploaded.body), file?.mimeType]).toEqual([[file?.id], ['My Drive', 'Photos'], 'text/plain'])
    expect(await names('')).toEqual([])
    await act({ press: 'Give access' })
    expect(await done).toEqual({ outcome: 'granted', ids: [file?.id] })
    const content = await send(`GET /files/${file?.id ?? ''}`, { query: { alt: 'media' } })
    expect(await content.text()).toBe('We met.\n')
  })

  it('uploads a file of the final form, and keeps an unselected one private', covers('picker/upload-at-end'), async () => {
    const { act, done, names } = await uploading()
    const { body } = await act({ press: 'Upload', file: notes() })
    await act({ press: 'Give access', untick: tickedOn(body), file: new File(['x'], 'other') })
    expect(await done).toMatchObject({ outcome: 'granted' })
    expect(await names('')).toEqual(['other'])
  })

  it('shows mistakes and stays usable', covers('picker/faults'), async () => {
    const { act, store } = await picking({ mimeTypes: ['image/png'] }, { storageLimit: 0 })
    const told = async (pressed: Parameters<typeof act>[0]) => {
      const { status, body } = await act(pressed)
      return [status, toldOn(body)]
    }
    expect(await told({ press: 'Give access' })).toEqual([400, 'Nothing is chosen. Tick what you want to share, or upload a file.'])
    expect(await told({ press: 'Upload' })).toEqual([400, 'Choose a file to upload first.'])
    expect(await told({ press: 'Upload', file: notes() })).toEqual([400, 'Only files of these types are asked for: image/png.'])
    const picture = new File(['x'], 'x.png', { type: 'image/png' })
    expect(await told({ press: 'Upload', file: picture })).toEqual([400, expect.stringContaining('storage quota')])
    expect(store.named('x.png')).toEqual([])
  })

  it('grants nothing after a cancellation', covers('picker/cancel'), async () => {
    const { act, done, one, names, url } = await picking()
    const last = await act({ press: 'Cancel', tick: [one('Photos').id] })
    expect(last.body).toContain('No access was given')
    expect([await done, await names('')]).toEqual([{ outcome: 'refused' }, []])
    expect((await browse(url)).status).toBe(404)
  })

  it('restricts the choice to one item, some types, no folders or certain items', covers('picker/restrictions'), async () => {
    const one = await picking({ multiple: false, folders: false, mimeTypes: ['image/png'] })
    expect([kindsOn(one.page().body), offeredOn(one.page().body)]).toEqual([[], []])
    await one.act({ press: 'Open Photos' })
    const pictures = await one.act({ press: 'Open Summer 2026' })
    expect([kindsOn(pictures.body), offeredOn(pictures.body)]).toEqual([['radio'], ['lake.png']])
    const [lake, gif, folder] = [one.one('lake.png').id, one.one('dot.gif').id, one.one('Plans').id]
    await one.act({ press: 'Give access', tick: [gif, folder, lake, one.one('Launch plan').id] })
    expect(await one.done).toEqual({ outcome: 'granted', ids: [lake] })
    const fixed = await picking({ fileIds: [lake, folder, 'unknown'] })
    expect(offeredOn(fixed.page().body)).toEqual(['Plans', 'lake.png'])
    await fixed.act({ press: 'Give access', tick: [gif, lake] })
    expect(await fixed.done).toEqual({ outcome: 'granted', ids: [lake] })
  })

  it('pages through many items', covers('picker/pages'), async () => {
    const { act, page, addItem, one } = await picking({}, { seed: 'empty' })
    for (let index = 0; index < 150; index += 1) addItem({ name: `item ${index}` })
    await act({ press: 'My Drive' })
    expect(offeredOn(page().body)).toHaveLength(100)
    const next = await act({ press: 'Next 100', tick: [one('item 3').id] })
    expect(offeredOn(next.body)).toEqual([...Array.from({ length: 50 }, (_, index) => `item ${index + 100}`), 'item 3'])
    expect(tickedOn((await act({ press: 'Previous 100' })).body)).toEqual([one('item 3').id])
  })
})

/** A picker that shows a folder. */
async function uploading() {
  const picker = await picking()
  await picker.act({ press: 'Open Photos' })
  return { ...picker, named: picker.store.named }
}

describe("a picker's URL", () => {
  it('is unguessable and valid once for half an hour', covers('picker/address'), async () => {
    const { url, expiresAt, pass, done, act, openPicker, page } = await picking()
    expect(new URL(url).pathname).toMatch(/^\/picker\/[\w-]{32}$/)
    expect(expiresAt).toBe(Date.parse('2026-09-16T12:30:00Z'))
    expect((await browse(url.slice(0, -1))).status).toBe(404)
    pass(30 * minute - 1)
    expect((await browse(url)).status).toBe(200)
    pass(1)
    expect((await act({ press: 'Give access' })).status).toBe(404)
    expect([await done, page().headers.get('content-security-policy')]).toEqual([
      { outcome: 'ended' },
      expect.stringContaining("form-action 'none'"),
    ])
    expect((await openPicker()).url).not.toBe(url)
  })

  it('ends by timeout, signal, reset, a hundred newer pickers or with the emulator', covers('picker/end'), async () => {
    expect(await (await picking({ lifetimeMs: 1 })).done).toEqual({ outcome: 'ended' })
    const stopped = await picking()
    stopped.ending.abort()
    expect(await stopped.done).toEqual({ outcome: 'ended' })
    expect(await (await stopped.openPicker({ signal: stopped.ending.signal })).done).toEqual({ outcome: 'ended' })
    const forgotten = await picking()
    forgotten.reset()
    expect(await forgotten.done).toEqual({ outcome: 'ended' })
    const crowded = await picking()
    for (let count = 0; count < 100; count += 1) await crowded.openPicker()
    expect(await crowded.done).toEqual({ outcome: 'ended' })
    const closed = await picking()
    await closed.close()
    expect(await closed.done).toEqual({ outcome: 'ended' })
  })

  it('serves only picker pages, to same-origin browsers', covers('picker/listener'), async () => {
    const { url, page, fetch: inside, names } = await picking()
    const { origin, pathname } = new URL(url)
    for (const path of ['/', '/drive/v3/about?fields=user', '/__emulator/requests', '/o/oauth2/v2/auth', '/token'])
      expect([path, (await browse(origin + path)).status]).toEqual([path, 404])
    const form = () => {
      const sent = new FormData()
      sent.set('ticket', ticketIn(page().body))
      sent.set('do', 'refuse')
      return sent
    }
    for (const from of ['https://evil.example', 'null', origin.replace('127.0.0.1', 'localhost'), undefined])
      expect((await browse(url, { form: form(), ...(from !== undefined && { origin: from }) })).status).toBe(403)
    expect((await inside(`http://127.0.0.1${pathname}`)).status).toBe(403)
    expect([(await browse(url)).status, await names('')]).toEqual([200, []])
  })

  it('accepts a form once, and none of another picker', covers('picker/ticket'), async () => {
    const { url, page, act, one, openPicker, names } = await picking()
    const before = page().body
    await act({ press: 'Open Photos' })
    const again = await press(url, before, { press: 'Give access', tick: [one('Plans').id] })
    expect([again.status, toldOn(again.body)]).toEqual([400, 'This page has already been sent, or has expired. Choose again here.'])
    const other = await openPicker()
    const crossed = await press(other.url, page().body, { press: 'Give access', tick: [one('Plans').id] })
    expect([crossed.status, await names('')]).toEqual([400, []])
  })

  it('accepts the first of two answers', covers('picker/two-answers'), async () => {
    const { url, page, one, names, done } = await picking()
    const [first, second] = [page().body, (await browse(url)).body]
    const answers = [first, second].map((each, index) =>
      press(url, each, { press: 'Give access', tick: [one(['Plans', 'Photos'][index] ?? '').id] }),
    )
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect([statuses.toSorted(), await names('')]).toEqual([[200, 404], [statuses[0] === 200 ? 'Plans' : 'Photos']])
    expect(await done).toMatchObject({ outcome: 'granted' })
  })

  it('is not logged', covers('picker/log'), async () => {
    const { url, store, listen } = await picking()
    const full = await listen()
    const { body } = await browse(`${full.url}/__emulator/requests`)
    expect(body).toContain('/picker/')
    expect(body).not.toContain(new URL(url).pathname)
    expect(store.mutations()).toEqual([])
  })
})

const flow = { trigger_onepick: 'true', prompt: 'consent', allow_multiple: 'true' }

/** An application that asks for access with the picker, up to the picker's page. */
async function asking(changed: Sendable = {}) {
  const emulator = await consenting()
  const address = await emulator.consent({ ...flow, ...changed })
  return { ...emulator, address, page: await browse(address.href) }
}

describe('the picker of an OAuth client', () => {
  it('follows the consent and redirects with the selection and the code', covers('picker/answer'), async () => {
    const { address, page, one, exchange, send } = await asking({ allow_folder_selection: 'true' })
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:51234;")
    expect(page.body).toContain('A &lt;b&gt;desktop&lt;/b&gt;')
    const ids = [one('Photos').id, one('empty.txt').id]
    const { status, location } = await press(address.href, page.body, { press: 'Give access', tick: ids })
    const { code = '', ...told } = Object.fromEntries(new URL(location).searchParams)
    expect([status, told]).toEqual([303, { picked_file_ids: ids.join(','), scope: `${base}drive.file`, authuser: '0', state: 'st&te' }])
    const tokens = await exchange(code)
    expect(tokens).toMatchObject({ status: 200, scope: `${base}drive.file` })
    const token = textAt(tokens, 'access_token')
    for (const id of ids) expect((await send(`GET /files/${id}`, { token })).status).toBe(200)
    expect((await send(`GET /files/${one('Plans').id}`, { token })).status).toBe(404)
  })

  it('redirects with a refused consent or selection', covers('picker/refusal'), async () => {
    const { address, page, store, consent } = await asking()
    const { location } = await press(address.href, page.body, { press: 'Cancel' })
    const refused = { error: 'access_denied', error_description: 'The person refused.', state: 'st&te' }
    expect(Object.fromEntries(new URL(location).searchParams)).toEqual(refused)
    expect(Object.fromEntries((await consent(flow, { decision: 'refuse' })).searchParams)).toEqual(refused)
    expect(store.grants()).toEqual([])
  })

  it('offers what the client requests', covers('picker/options'), async () => {
    const { page, one, consent } = await asking({ allow_multiple: undefined, mimetypes: 'text/plain,text/csv' })
    expect([kindsOn(page.body), offeredOn(page.body)]).toEqual([['radio'], ['empty.txt']])
    const ids = [one('lake.png').id, one('prices.csv').id]
    const fixed = await browse((await consent({ ...flow, file_ids: ids.join(',') })).href)
    expect(offeredOn(fixed.body)).toEqual(['lake.png', 'prices.csv'])
  })

  it.each([
    { scope: `${base}drive.file openid` },
    { scope: `${base}drive` },
    { prompt: undefined },
    { prompt: 'select_account' },
    { include_granted_scopes: 'true' },
    { trigger_onepick: 'yes' },
    { allow_folder_selection: '1' },
  ])('goes with one scope, and with prompt=consent: %j', covers('picker/scope'), async (changed) => {
    const { open } = await consenting()
    const { status, location, body } = await open({ ...flow, ...changed })
    expect([status, location, body.includes('invalid_request')]).toEqual([400, '', true])
    expect((await open({ ...flow, prompt: 'consent select_account', include_granted_scopes: 'false' })).status).toBe(200)
  })
})
