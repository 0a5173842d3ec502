import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fileTypes, sortOrders } from '../src/drive/listings/search.ts'
import { storage, type Storage } from './storage.ts'

const search = 'FileStorage.SearchFiles'
/** Proxies and Google's servers accept request lines of up to 8 KB. */
const maxUrlLength = 8_000

/** A server, and the length of the longest URL that it has requested. */
async function measuredStorage(): Promise<Storage & { readonly longest: () => number }> {
  let longest = 0
  const server = await storage({
    seen: ({ url }) => {
      longest = Math.max(longest, url.length)
    },
  })
  return { ...server, longest: () => longest }
}

test.for([
  ['many words with accents', 'Prévôté '.repeat(200)],
  ['9 KB of keywords', 'budget '.repeat(1_300)],
  ['300 KB of keywords', 'budget '.repeat(43_000)],
  ['marks that grow when they are encoded', `a${"'".repeat(900)}`],
  ['another script', '予算'.repeat(300)],
] as const)('refuses to search for %s before sending anything', async ([, query]) => {
  await using server = await storage()
  for (const where of [{}, { folder_path_or_id: 'Work/Reports' }, { shared_drive_id: '0AExampleDriveId000' }]) {
    const error = await server.fails(search, { query, ...where })
    expect(error).toMatchObject({ code: 'too_large', retryable: false })
    expect(error.message).toContain('Shorten it to the few words that identify the file')
  }
  expect(server.sent).toEqual([])
})

test('sends no URL that is too long, whatever is searched for and however it is narrowed', async () => {
  await using server = await measuredStorage()
  const unit = fc.constantFrom('a', 'a ', "'", '\\', '(', '!', '*', 'é', '予', '🎉')
  const narrowed = { file_types: fileTypes, folder_path_or_id: `1${'a'.repeat(199)}`, order_by: sortOrders }
  await fc.assert(
    fc.asyncProperty(unit, fc.integer({ min: 50, max: 1_999 }), async (text, times) => {
      await server.result(search, { query: `x${text.repeat(times)}`, ...narrowed })
    }),
    { numRuns: 60, seed: 20261130 },
  )
  expect(server.longest()).toBeGreaterThan(5_000)
  expect(server.longest()).toBeLessThanOrEqual(maxUrlLength)
})

test('looks for long and deep paths with several requests of bounded length', async () => {
  await using server = await measuredStorage()
  const deep = Array.from({ length: 18 }, (_, index) => `${index} ${'a name '.repeat(30)}`).join('/')
  for (const path of [deep, `Work/${'"'.repeat(3_000)}`, `1${'a'.repeat(3_000)}`]) {
    const { code } = await server.fails('FileStorage.DownloadFile', { file_path_or_id: path })
    expect(['not_found', 'invalid_input']).toContain(code)
  }
  expect(server.longest()).toBeLessThanOrEqual(maxUrlLength)
})

test('refuses a message that is too long for an email, and shares nothing', async () => {
  await using server = await measuredStorage()
  const id = server.emulator.addItem({ name: 'Plan' })
  const args = { file_path_or_id: id, email_addresses: ['one@example.com'] }
  for (const times of [300, 1_000, 70_000]) {
    const error = await server.fails('FileStorage.ShareFile', { ...args, message: 'Have a look. '.repeat(times) })
    expect(error).toMatchObject({ code: 'too_large', retryable: false })
  }
  expect(server.sent).toEqual([])
  await server.call('FileStorage.ShareFile', { ...args, message: 'Have a look. '.repeat(200) })
  expect(server.longest()).toBeLessThanOrEqual(maxUrlLength)
})

test('sorts a tree by each key once', async () => {
  await using server = await measuredStorage()
  await server.call('FileStorage.GetFileTreeStructure', { order_by: [...sortOrders, ...sortOrders].slice(0, 50) })
  expect(server.longest()).toBeLessThanOrEqual(maxUrlLength)
})
