import { member } from '@mcp-toolkits/core/base'
import type { KnownPerson } from '@mcp-toolkits/testing/people'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Called, personsClients } from './clients.ts'
import { type Company, openCompany, peopleOf } from '../../packages/testing/src/company/company.ts'
import { openPipelines } from '../../packages/testing/src/company/vendors.ts'
import { storing, tracking } from '../../packages/testing/src/company/work.ts'

const people = peopleOf(2)
const [first] = people
if (!first) throw new Error('There are two people.')

/** All tests share one company, and each uses people who have no account yet. */
const everyone = peopleOf(10)
const newcomers = everyone.values()
function nextPerson(): KnownPerson {
  const { value } = newcomers.next()
  if (!value) throw new Error('There are more tests than people.')
  return value
}

let tracked: Company
beforeAll(async () => {
  tracked = await openCompany({ ...tracking, people: everyone })
}, 180_000)
afterAll(() => tracked[Symbol.asyncDispose]())

const scopes = ['read', 'write', 'delete'].map((permission) => `issue-tracker:${permission}`)
const linkOf = ({ data }: Called) => String(member(member(data, 'next'), 'url'))
const titleOf = async (person: KnownPerson, url: string) => /<title>([^<]*)/.exec((await tracked.connect(person, url)).text)?.[1]

describe.for(Object.entries(personsClients))('%s', ([, connect]) => {
  test('signs in, gets a link from an error, and works once its page is done', async () => {
    const [ada, bob] = [nextPerson(), nextPerson()]
    await using client = await connect({ company: tracked, person: ada })
    const refused = await client.call('IssueTracker_WhoAmI', {})
    expect(refused).toMatchObject({ isError: true, data: { code: 'unauthenticated', retryable: false } })
    expect(await titleOf(ada, linkOf(refused))).toBe('Connected to Linear')
    expect(await client.call('IssueTracker_WhoAmI', {})).toMatchObject({ isError: false, data: { user: { email: ada.email } } })
    const title = `Of ${ada.subject}`
    expect(await client.call('IssueTracker_CreateIssue', { team: 'ENG', title })).toMatchObject({ isError: false })
    expect(client.signIns).toEqual([expect.stringContaining(scopes.join(' '))])
    expect(tracked.vendor.made(title)).toEqual([{ by: ada.email, title }])

    await using other = await connect({ company: tracked, person: bob })
    expect(await other.call('IssueTracker_WhoAmI', {})).toMatchObject({ isError: true, data: { code: 'unauthenticated' } })
    await tracked.connect(bob, linkOf(await other.call('IssueTracker_WhoAmI', {})))
    expect(await other.call('IssueTracker_WhoAmI', {})).toMatchObject({ data: { user: { email: bob.email } } })
    expect(await client.call('IssueTracker_WhoAmI', {})).toMatchObject({ data: { user: { email: ada.email } } })
  })

  test('signs in again with more scopes when a call needs them', async () => {
    const ada = nextPerson()
    await using client = await connect({ company: tracked, person: ada, token: tracked.tokenOf(ada, ['issue-tracker:read']) })
    await tracked.connect(ada, linkOf(await client.call('IssueTracker_WhoAmI', {})))
    expect(client.signIns).toEqual([])
    const title = `Of ${ada.subject}`
    expect(await client.call('IssueTracker_CreateIssue', { team: 'ENG', title })).toMatchObject({ isError: false })
    expect(client.signIns).toEqual([expect.stringContaining('issue-tracker:read issue-tracker:write')])
    expect(tracked.vendor.made(title)).toHaveLength(1)
  })
})

// Clients of earlier revisions cannot be asked over HTTP: a replica cannot send them a request.
test('client 2, 2026-07-28 is asked to open the page, and the call then works', async () => {
  const ada = nextPerson()
  const connect = personsClients['client 2, 2026-07-28']
  await using client = await connect({ company: tracked, person: ada, openUrl: (url) => tracked.connect(ada, url) })
  expect(await client.call('IssueTracker_WhoAmI', {})).toMatchObject({ isError: false, data: { user: { email: ada.email } } })
  expect(client.opened).toEqual([expect.stringMatching(new RegExp(`^${tracked.publicUrl}/connect/`))])
})

test('people give Google their own files', async () => {
  await using company = await openCompany({ ...storing, people })
  for (const person of people) {
    await using client = await personsClients['client 2, 2026-07-28']({ company, person, openUrl: (url) => company.connect(person, url) })
    expect(await client.call('FileStorage_CreateFolder', { folder_name: `Of ${person.subject}` })).toMatchObject({ isError: false })
    expect(await client.call('FileStorage_GetFileTreeStructure', {})).toMatchObject({ data: { item_count: 1 } })
  }
  expect(company.vendor.made('Of ').map(({ by }) => by)).toEqual(people.map(({ email }) => email))
})

test('people enter their own keys for events', async () => {
  await using company = await openCompany({ app: 'event-pipeline', openVendor: openPipelines, people })
  for (const person of people) {
    await using client = await personsClients['client 2, 2026-07-28']({ company, person, openUrl: (url) => company.connect(person, url) })
    const body = JSON.stringify({ userId: 'u-1', event: `Event of ${person.subject}` })
    expect(await client.call('EventPipelineApi_TrackUserEvent', { mode: 'execute', request_body: body })).toMatchObject({ isError: false })
  }
  expect(company.vendor.made('Event of ').map(({ by }) => by)).toEqual(people.map(({ email }) => email))
})

test('a link to the content of a file leads anyone to it who has it, at the public address', async () => {
  await using company = await openCompany({ ...storing, people, args: ['--toolsets', 'content', '--content', 'file'] })
  await using client = await personsClients['client 2, 2026-07-28']({
    company,
    person: first,
    openUrl: (url) => company.connect(first, url),
  })
  const { data: made } = await client.call('FileStorage_WriteFile', { file_name: 'Notes.md', content: '# Notes' })
  const id = String(member(member(made, 'file'), 'id'))
  const { data } = await client.call('FileStorage_DownloadFile', { file_path_or_id: id })
  const url = String(member(data, 'download_url'))
  expect(url).toMatch(new RegExp(`^${company.publicUrl}/content/[\\w-]+/[\\w-]{32}$`))
  const found = await fetch(url)
  expect([found.status, await found.text()]).toEqual([200, '# Notes'])
  const [, owner = ''] = /content\/([\w-]+)\//.exec(url) ?? []
  expect((await fetch(url.replace(owner, owner.replace(/./g, 'x')))).status).toBe(404)
})
