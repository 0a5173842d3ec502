import { isObject } from '@mcp-toolkits/core/base'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { shareOf } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { put } from './contents.ts'
import { addPath, storage, textAt, type Storage } from './storage.ts'

/** The vendor's name for the next page of a list that never ends. */
type NextToken = (pages: number) => string

const repeated: NextToken = () => 'again'
const another: NextToken = (pages) => `page-${pages}`

interface Endless {
  readonly token: NextToken
  /** True if the pages contain only the token. */
  readonly isEmpty: boolean
  /** True once the endless list has begun. */
  isOn: boolean
}

/** A drive whose lists never end; `pages` counts the pages of one call. */
async function endlessStorage(endless: Endless): Promise<Storage & { readonly pages: () => number }> {
  let pages = 0
  const firstPages = new Map<string, object>()
  const isList = ({ pathname, searchParams }: URL) =>
    searchParams.get('alt') !== 'media' && /\/(files|drives|permissions)$/.test(pathname) && !pathname.endsWith('generateIds')
  const server = await storage({
    emulated: {},
    inFront:
      (next: Fetch): Fetch =>
      async (input, init) => {
        const { method, url } = new Request(input, init)
        if (!endless.isOn || method !== 'GET' || !isList(new URL(url))) return next(input, init)
        pages += 1
        // The emulator recognizes none of these tokens.
        const first = new URL(url)
        first.searchParams.delete('pageToken')
        const page: unknown = firstPages.get(first.href) ?? (await (await next(first.href, init)).json())
        if (!isObject(page)) throw new Error('A page is an object.')
        firstPages.set(first.href, page)
        const kept = endless.isEmpty
          ? Object.fromEntries(Object.entries(page).map(([key, value]) => [key, Array.isArray(value) ? [] : value]))
          : page
        return Response.json({ ...kept, nextPageToken: endless.token(pages) })
      },
  })
  return { ...server, pages: () => pages }
}

const tools = [
  ['WhoAmI', () => ({})],
  ['GetFileTreeStructure', () => ({ include_shared_drives: true })],
  ['SearchFiles', () => ({ query: 'endless' })],
  ['SearchFiles', (id: string) => ({ query: 'endless', folder_path_or_id: id })],
  ['ShareFile', (id: string) => ({ file_path_or_id: id, email_addresses: ['one@example.com'] })],
  ['DownloadFile', () => ({ file_path_or_id: 'Endless/Deeper/file' })],
  ['CreateFolder', () => ({ folder_name: 'x', parent_folder_path_or_id: 'Endless/Deeper' })],
] as const

const cases = tools.flatMap(([tool, args]) => [true, false].map((isEmpty) => [tool, isEmpty, args] as const))
/** In CI, one of the two kinds of pages for each tool. */
const shares = 7

test.for(shareOf(cases, shares, 0))('%s ends when the vendor repeats a page token (empty pages: %s)', async ([tool, isEmpty, args]) => {
  const endless = { token: repeated, isEmpty, isOn: false }
  await using server = await endlessStorage(endless)
  const [, folder = ''] = addPath(server, 'Endless/Deeper/file')
  endless.isOn = true
  const result = await server.result(`FileStorage.${tool}`, args(folder))
  expect(server.pages()).toBeLessThanOrEqual(6)
  if (result.isError === true) expect(JSON.stringify(result.content)).toMatch(/unavailable|not_found/)
})

test.for(shareOf(cases, shares, 1))(
  '%s ends when the vendor always names another page (empty pages: %s)',
  { timeout: 120_000 },
  async ([tool, isEmpty, args]) => {
    const endless = { token: another, isEmpty, isOn: false }
    await using server = await endlessStorage(endless)
    const [, folder = ''] = addPath(server, 'Endless/Deeper/file')
    endless.isOn = true
    await server.result(`FileStorage.${tool}`, args(folder))
    expect(server.pages()).toBeLessThanOrEqual(tool === 'GetFileTreeStructure' ? 1_100 : 250)
  },
)

test('says that a search is incomplete when it would read too many pages', async () => {
  const endless = { token: another, isEmpty: true, isOn: true }
  await using server = await endlessStorage(endless)
  expect(await server.call('FileStorage.SearchFiles', { query: 'x' })).toMatchObject({
    files: [],
    pagination: { has_more: true, end_cursor: null },
    notices: ['Google Drive could not search everything, so there may be more.'],
  })
  expect(server.pages()).toBe(50)
})

test('reports a list that repeats a page as unavailable, not as complete', async () => {
  const endless = { token: repeated, isEmpty: false, isOn: true }
  await using server = await endlessStorage(endless)
  for (const [tool, args] of [
    ['WhoAmI', {}],
    ['GetFileTreeStructure', {}],
    ['SearchFiles', { query: 'endless words' }],
  ] as const) {
    const error = await server.fails(`FileStorage.${tool}`, args)
    expect(error, tool).toMatchObject({ code: 'unavailable', retryable: true })
    expect(error.message).toContain('sent the same page again')
  }
})

test('says that there are more shared drives than it lists', async () => {
  const endless = { token: another, isEmpty: false, isOn: true }
  await using server = await endlessStorage(endless)
  const { notices } = await server.call('FileStorage.WhoAmI')
  expect(String(notices)).toMatch(/^There are more shared drives than these \d+\.$/)
  expect(server.pages()).toBe(100)
})

test('adds nobody to an item whose permissions never end', async () => {
  const endless = { token: another, isEmpty: false, isOn: false }
  await using server = await endlessStorage(endless)
  const id = await put(server, 'plan.txt', Buffer.from('plan'))
  endless.isOn = true
  const error = await server.fails('FileStorage.ShareFile', { file_path_or_id: id, email_addresses: ['one@example.com'] })
  expect(error).toMatchObject({ code: 'unavailable', retryable: false })
  expect(server.emulator.store.mails()).toEqual([])
  expect(textAt({ error }, 'error.message')).toContain('Nothing was changed.')
})
