import type { KnownPerson } from '@mcp-toolkits/testing/people'
import { afterAll, describe, expect, test } from 'vitest'
import { inspectPage } from '../accessibility.ts'
import { chromiumPath, newPage } from '../chromium.ts'
import { type Call, send } from '../../packages/testing/src/cluster/client.ts'
import { type Company, openCompany, peopleOf } from '../../packages/testing/src/company/company.ts'
import { linkIn } from '../../packages/testing/src/company/connecting.ts'
import { keyOf, openGoogle, openLinear, type OpenCompanyVendor, openPipelines } from '../../packages/testing/src/company/vendors.ts'

const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'

const whoAmI: Call = { name: 'IssueTracker_WhoAmI', args: {} }
const track: Call = {
  name: 'EventPipelineApi_TrackUserEvent',
  args: { mode: 'execute', request_body: JSON.stringify({ userId: 'u-1', event: 'Paid' }) },
}

const named = ({ name = '' }: KnownPerson) => ({ name })
const worked = { kind: 'result' }
const refused = { kind: 'error', code: 'unauthenticated' }

const people = peopleOf(12)
const newcomers = people.values()
function nextPerson(): KnownPerson {
  const { value } = newcomers.next()
  if (!value) throw new Error('There are more tests than people.')
  return value
}

/** One company for all tests of an app. */
const companies = new Map<string, Promise<Company>>()
afterAll(async () => {
  for (const company of companies.values()) await (await company)[Symbol.asyncDispose]()
})

/**
 * A company, two of its people who have no account, a function that calls as one of them, and one that returns the link that answers the
 * first.
 */
async function startCompany(app: string, openVendor: OpenCompanyVendor, call: Call) {
  const [first, second] = [nextPerson(), nextPerson()]
  const opening = companies.get(app) ?? openCompany({ app, openVendor, people })
  companies.set(app, opening)
  const company = await opening
  const callAs = (person: KnownPerson, profile?: string) =>
    send(profile === undefined ? company.url : `${company.url}/${profile}`, { ...call, token: company.tokenOf(person) })
  const linkOf = async (profile?: string) => linkIn(await callAs(first, profile))
  return { ...company, first, second, callAs, linkOf }
}

describe.runIf(shouldRun)('in Chromium', () => {
  test('a person connects an account, sees it among theirs, and ends it', async () => {
    const company = await startCompany('issue-tracker', openLinear, whoAmI)
    const { publicUrl, callAs, first } = company
    const link = await company.linkOf('work')
    const page = await newPage({ runsScripts: true })
    await page.goto(link)
    await page.getByRole('heading', { name: 'Connect your account at Linear' }).waitFor()
    await inspectPage(page, 'people-link')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', named(first)).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Connected to Linear' }).waitFor()
    expect(await page.getByRole('status').textContent()).toContain('The account is')
    await inspectPage(page, 'people-connected')
    expect(await callAs(first, 'work')).toMatchObject(worked)

    expect((await page.goto(link))?.status()).toBe(410)
    await inspectPage(page, 'people-used-link')

    await page.goto(`${publicUrl}/accounts`)
    await inspectPage(page, 'people-sign-in')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Linear: work' }).waitFor()
    await inspectPage(page, 'people-accounts')
    await page.getByRole('button', { name: 'End this connection: work' }).click()
    await page.getByRole('heading', { name: 'The connection has ended' }).waitFor()
    await inspectPage(page, 'people-ended')
    expect(await callAs(first, 'work')).toMatchObject(refused)
    await page.goto(`${publicUrl}/accounts`)
    await inspectPage(page, 'people-no-accounts')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
  })

  test('a person declines, and connects with the same link', async () => {
    const company = await startCompany('issue-tracker', openLinear, whoAmI)
    const { callAs, first } = company
    const link = await company.linkOf()
    const page = await newPage({ runsScripts: true })
    const signIn = async () => {
      await page.goto(link)
      await page.getByRole('button', { name: 'Continue' }).click()
    }
    await signIn()
    await page.getByRole('button', named(first)).click()
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByRole('heading', { name: 'Not connected to Linear' }).waitFor()
    await inspectPage(page, 'people-declined')
    expect(await callAs(first)).toMatchObject(refused)
    await signIn()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Connected to Linear' }).waitFor()
    expect(await callAs(first)).toMatchObject(worked)
  })

  test('another person is refused, and asked who they are when they try again', async () => {
    const company = await startCompany('issue-tracker', openLinear, whoAmI)
    const { callAs, first } = company
    const page = await newPage({ runsScripts: true })
    const open = async () => {
      await page.goto(link)
      await page.getByRole('button', { name: 'Continue' }).click()
    }
    const link = await company.linkOf()
    await open()
    await page.getByRole('button', named(company.second)).click()
    await page.getByRole('heading', { name: 'This link is for another person' }).waitFor()
    await inspectPage(page, 'people-another-person')
    expect(await callAs(company.second)).toMatchObject(refused)
    await open()
    await page.getByRole('button', named(first)).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Connected to Linear' }).waitFor()
    expect(await callAs(first)).toMatchObject(worked)
    // An attempt begun in another browser cannot be continued here.
    const other = await newPage({ runsScripts: true })
    await other.goto(page.url())
    await other.getByRole('heading', { name: 'This step cannot be repeated' }).waitFor()
    await inspectPage(other, 'people-repeated')
  })

  test('a person enters a key, after one that is wrong', async () => {
    const company = await startCompany('event-pipeline', openPipelines, track)
    const { callAs, first } = company
    const page = await newPage({ runsScripts: true })
    await page.goto(await company.linkOf())
    await inspectPage(page, 'people-key-link')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', named(first)).click()
    const field = page.getByLabel('Pipelines API key')
    await field.fill('wrong-key')
    await inspectPage(page, 'people-key')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('Customer.io refused this key').waitFor()
    await inspectPage(page, 'people-key-refused')
    expect(await field.inputValue()).toBe('')
    await field.fill(keyOf(first))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Connected to Customer.io' }).waitFor()
    expect(page.url()).not.toContain(keyOf(first))
    expect(await callAs(first)).toMatchObject(worked)
  })

  test('a person chooses files at Google, by a link that the tool gives', async () => {
    const company = await startCompany('file-storage', openGoogle, { name: 'FileStorage_WhoAmI', args: {} })
    const { first } = company
    const page = await newPage({ runsScripts: true })
    const connect = async (link: string) => {
      await page.goto(link)
      await page.getByRole('button', { name: 'Continue' }).click()
    }
    await connect(await company.linkOf())
    await page.getByRole('button', named(first)).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Connected to Google' }).waitFor()

    const token = company.tokenOf(first)
    const offered = await send(company.url, { name: 'FileStorage_GenerateFilePickerUrl', args: {}, token })
    const url = offered.kind === 'result' ? String(offered.data['url']) : ''
    expect(url.startsWith(`${company.publicUrl}/connect/`)).toBe(true)
    await page.goto(url)
    await page.getByRole('heading', { name: 'Choose files at Google' }).waitFor()
    await inspectPage(page, 'people-picker')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'mine.txt', mimeType: 'text/plain', buffer: Buffer.from('mine') })
    await page.getByRole('button', { name: 'Give access' }).click()
    await page.getByRole('heading', { name: 'Your files are ready' }).waitFor()
    await inspectPage(page, 'people-chosen')
    const args = { file_path_or_id: 'mine.txt', new_filename: 'Mine.txt' }
    expect(await send(company.url, { name: 'FileStorage_RenameFile', args, token })).toMatchObject(worked)
    expect((await page.goto(url))?.status()).toBe(410)
  })

  test('a link that does not work says what to do', async () => {
    const { publicUrl } = await startCompany('issue-tracker', openLinear, whoAmI)
    const page = await newPage({ runsScripts: true })
    expect((await page.goto(`${publicUrl}/connect/${'x'.repeat(43)}.owner`))?.status()).toBe(404)
    await page.getByRole('alert').getByText('you will get a new link').waitFor()
    await inspectPage(page, 'people-unknown-link')
  })
})
