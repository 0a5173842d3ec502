import { keyInGrant } from '@mcp-toolkits/team/accounts'
import { redact } from '@mcp-toolkits/core/errors'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { personAt, startPeopleServers, titleOf } from '@mcp-toolkits/testing/people'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectSteps } from '../src/team/connect-steps.ts'

const settings = { embedded: false, dataDirectory: '/nonexistent', readOnly: false, toolNames: 'safe' } as const
const key = 'canary-key-of-robin'

/** A company whose people enter keys for an emulated Customer.io. */
async function startCompany({ replicas = 1 } = {}) {
  const emulator = pipelinesEmulator({ seed: 'empty', apiKey: key })
  onTestFinished(() => emulator.close())
  const vendor = await emulator.listen()
  const steps = connectSteps({ ...settings, environment: { EVENT_PIPELINE_API_URL: `${vendor.url}/v1` } })
  const company = await startPeopleServers({ server: { name: 'event-pipeline', title: 'Event Pipeline' }, steps, replicas })
  const keyOf = async (subject: string) => {
    const grant = await company.state.people.grants.read({ owner: company.ownerOf(subject), profile: 'default' })
    return grant === undefined ? undefined : keyInGrant(grant)?.reveal()
  }
  /** A person whose browser shows the form. */
  const atForm = async (subject: string) => {
    const link = await company.linkFor('robin', { purpose: 'key' })
    const person = personAt(company, subject)
    return {
      ...person,
      link,
      page: await person.walk(link.url, (page) => (page.text.includes('type="password"') ? undefined : person.answer(page))),
    }
  }
  return { ...company, emulator, keyOf, atForm }
}

describe('a person enters a key', () => {
  it('which is checked without sending anything, and stored only for them', async () => {
    const company = await startCompany({ replicas: 2 })
    const { link, page, submit } = await company.atForm('robin')
    expect(titleOf(page)).toBe('Enter your Pipelines API key')
    expect(page.headers.get('content-security-policy')).toMatch(/form-action 'self';/)
    const end = await submit(page, { key: `  ${key}\n` })
    expect([end.status, titleOf(end)]).toEqual([200, 'Connected to Customer.io'])
    expect(await company.outcomeOf(link.id)).toBe('done')
    expect([await company.keyOf('robin'), await company.keyOf('ada')]).toEqual([key, undefined])
    expect(company.emulator.store.events().filter(({ outcome }) => outcome !== 'refused')).toEqual([])
    expect(company.events).toMatchObject([{ action: 'connect', subject: 'robin', purpose: 'key', outcome: 'ok' }])
    expect(JSON.stringify([company.log, company.events]) + end.text + page.text).not.toContain(key)
  })

  it.each([
    ['that the vendor refuses', 'canary-other-key', 'Customer.io refused this key.'],
    ['that is empty', '', 'The field was empty.'],
    ['with a blank in it', 'canary key', 'This is not a key'],
    ['that is too long', 'k'.repeat(1_001), 'This is not a key'],
  ])('%s, is asked again, and enters the right one', async (_, wrong, problem) => {
    const company = await startCompany()
    const { page, submit, link } = await company.atForm('robin')
    const again = await submit(page, { key: wrong })
    expect([again.status, titleOf(again)]).toEqual([400, 'Enter your Pipelines API key'])
    expect(again.text).toContain(problem)
    expect(again.text).not.toMatch(/canary/)
    expect([await company.keyOf('robin'), await company.outcomeOf(link.id)]).toEqual([undefined, undefined])
    expect(titleOf(await submit(again, { key }))).toBe('Connected to Customer.io')
    expect(await company.keyOf('robin')).toBe(key)
  })

  it('which is redacted in logs from then on, unlike text that the vendor has refused', async () => {
    const company = await startCompany()
    const { page, submit } = await company.atForm('robin')
    const texts = ['quarterly-report', key]
    await submit(await submit(page, { key: texts[0] ?? '' }), { key })
    expect(texts.map(redact)).toEqual(['quarterly-report', '[secret]'])
  })

  it('that cannot be checked while the vendor is down, and can be entered again', async () => {
    const company = await startCompany()
    const { page, submit } = await company.atForm('robin')
    company.emulator.faults.add({ times: 99, action: { kind: 'status', status: 503 } })
    const down = await submit(page, { key })
    expect([down.status, titleOf(down)]).toEqual([503, 'Enter your Pipelines API key'])
    company.emulator.faults.clear()
    expect(titleOf(await submit(down, { key }))).toBe('Connected to Customer.io')
  })
})

it('accepts no key from another person, another browser or another page, and none twice', async () => {
  const company = await startCompany()
  expect((await company.atForm('ada')).page.status).toBe(403)
  const { page, submit, cookies } = await company.atForm('robin')
  const state = new URL(page.url).searchParams.get('state') ?? ''
  const post = (headers: Record<string, string>) =>
    fetch(`${company.url}/connect/key`, { method: 'POST', body: new URLSearchParams({ state, key }), headers })
  const cookie = cookies(company.url)
  expect((await post({})).status).toBe(403)
  expect((await post({ cookie, origin: 'https://evil.example' })).status).toBe(403)
  expect((await fetch(page.url)).status).toBe(403)
  expect(await company.keyOf('robin')).toBeUndefined()
  const ends = await Promise.all([submit(page, { key }), submit(page, { key })])
  expect(ends.map(({ status }) => status).sort()).toEqual([200, 410])
  expect((await post({ cookie })).status).toBe(410)
})

it('lists the key among the accounts of its person, who can delete it', async () => {
  const company = await startCompany()
  const { page, submit } = await company.atForm('robin')
  await submit(page, { key })
  const robin = personAt(company, 'robin')
  const accounts = await robin.walk(`${company.url}/accounts`, (each) => (each.text.includes('End this') ? undefined : robin.answer(each)))
  expect(accounts.text).toContain('Customer.io: default')
  expect(accounts.text).toContain('by an API key')
  const end = await robin.submit(accounts, {})
  expect(titleOf(end)).toBe('The connection has ended')
  expect(end.text).toContain('The key itself still works.')
  expect(await company.keyOf('robin')).toBeUndefined()
})
