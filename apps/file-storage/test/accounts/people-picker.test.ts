import { atCallback, personAt, titleOf } from '@mcp-toolkits/testing/people'
import { expect, test } from 'vitest'
import { filePicker, type PickerPage } from '../../src/picker/file-picker.ts'
import { openDrive } from '../../src/vendor.ts'
import { press } from './choosing.ts'
import { settings, startCompany } from './people-company.ts'

/** Opens a link, chooses on Google's page, and comes back. */
async function choose(
  company: Awaited<ReturnType<typeof startCompany>>,
  ticked: readonly string[],
  { button = 'give', change = (back: string) => back } = {},
) {
  const { id, url } = await company.linkFor('robin', { purpose: 'picker' })
  const robin = personAt(company, 'robin')
  const start = await robin.open(url)
  const page = await robin.follow(url)
  const { location } = await press(page.url, button, { ticked })
  const back = change(location)
  return { start, end: await robin.open(back), back, outcome: await company.outcomeOf(id) }
}

test('a person chooses files through a link, and their login can then use them', async () => {
  const company = await startCompany()
  const id = company.emulator.addItem({ name: 'plan.txt', content: 'text' })
  const before = await company.loginOf('robin')
  const { start, end, back, outcome } = await choose(company, [id])
  expect(titleOf(start)).toBe('Choose files at Google')
  expect(start.text).toContain('Choose the files that File Storage may use')
  expect(atCallback(back)).toBe(true)
  expect([end.status, titleOf(end), outcome]).toEqual([200, 'Your files are ready', 'done'])
  expect(end.text).toContain('You chose 1 item, which can be used now.')
  expect(JSON.stringify(await company.loginOf('robin'))).toBe(JSON.stringify(before))
  expect(company.emulator.store.grants().map(({ revokedAt }) => revokedAt)).toEqual([null, null])
  const renamed = await fetch(`${company.google.url}/drive/v3/files/${id}?fields=name`, {
    headers: { authorization: `Bearer ${before?.tokens?.accessToken.reveal() ?? ''}` },
  })
  expect(await renamed.json()).toEqual({ name: 'plan.txt' })
})

test('a person who cancels, or chooses nothing, has declined', async () => {
  const company = await startCompany()
  const id = company.emulator.addItem({ name: 'plan.txt', content: 'text' })
  const ends = [
    await choose(company, [], { button: 'refuse' }),
    await choose(company, [id], { change: (back) => back.replace(/picked_file_ids=[^&]*/, 'picked_file_ids=') }),
  ]
  for (const { end, outcome } of ends) expect([end.status, titleOf(end), outcome]).toEqual([400, 'No files were chosen', 'declined'])
})

test('files from another account are useless, and the page says so', async () => {
  const company = await startCompany()
  const login = await company.loginOf('robin')
  if (!login) throw new Error('Robin has connected an account.')
  const others = { ...login, account: { account: 'Ada <ada@lodestar.example>' } }
  await company.storeLogin('robin', others)
  const { end, outcome } = await choose(company, [company.emulator.addItem({ name: 'plan.txt', content: 'text' })])
  expect([end.status, titleOf(end), outcome]).toEqual([400, 'These files belong to a different account', 'declined'])
})

test('the picker of a person is a link to a page of the server, or no page if every file can be reached', async () => {
  const { emulator, environment } = await startCompany()
  const purposes: string[] = []
  const pageFor = async (scopes: readonly string[]): Promise<PickerPage> => {
    const vendor = await openDrive(
      { ...settings, environment: { ...environment, FILE_STORAGE_ACCESS_TOKEN: 't' } },
      { fetch: emulator.fetch },
    )
    const link = { id: 'x', url: 'https://files.example/connect/x', expiresAt: 7 }
    const connectLink = ({ purpose }: { readonly purpose: string }) => Promise.resolve((purposes.push(purpose), link))
    const options = { settings: { ...settings, environment, servesOtherMachines: true }, connectLink }
    return filePicker({ ...options, vendor: { ...vendor, scopes: () => Promise.resolve(scopes) } }).open()
  }
  expect(await pageFor(['drive.file'])).toEqual({ flow: 'oauth', url: 'https://files.example/connect/x', expiresAt: 7 })
  for (const scope of ['drive', 'drive.readonly'])
    expect(await pageFor([scope])).toEqual({ flow: 'oauth', reachesAll: scope, url: null, expiresAt: null })
  expect(purposes).toEqual(['picker'])
})
