import { personAt, titleOf } from '@mcp-toolkits/testing/people'
import { endGrant } from '@mcp-toolkits/team/accounts'
import { expect, test } from 'vitest'
import { account } from '../../src/account.ts'
import { startCompany } from './people-company.ts'

type Company = Awaited<ReturnType<typeof startCompany>>

/** Another person's Google account, which the first person may use as well. */
const other = 'ada.okafor@lodestar.example'

async function connectAgain(company: Company, { profile = 'default', email }: { profile?: string; email?: string } = {}) {
  const person = personAt(company, 'robin', email === undefined ? {} : { account: email })
  const end = await person.follow((await company.linkFor('robin', { profile })).url)
  expect(titleOf(end)).toBe('Connected to Google')
}

/** True for each grant that the vendor has revoked, oldest first. */
const revoked = ({ emulator }: Company) => emulator.store.grants().map(({ revokedAt }) => revokedAt !== null)

/** True if the stored grant works at the vendor. */
async function works(company: Company, profile = 'default') {
  const login = await company.loginOf('robin', profile)
  const headers = { authorization: `Bearer ${login?.tokens?.accessToken.reveal() ?? ''}` }
  return (await fetch(`${company.google.url}/drive/v3/about?fields=user`, { headers })).status === 200
}

const end = (company: Company, profile = 'default') =>
  endGrant({ state: company.state, provider: account.provider }, { owner: company.ownerOf('robin'), profile })

test('An account that is connected again keeps working, and everything granted is revoked when it ends.', async () => {
  const company = await startCompany()
  await connectAgain(company)
  expect([revoked(company), await works(company)]).toEqual([[false, false], true])
  await end(company)
  expect(revoked(company)).toEqual([true, true])
})

test('An account is revoked when another one replaces it.', async () => {
  const company = await startCompany()
  await connectAgain(company, { email: other })
  expect([revoked(company), await works(company)]).toEqual([[true, false], true])
})

test('A replaced account is kept while another profile needs it.', async () => {
  const company = await startCompany()
  await connectAgain(company, { profile: 'work' })
  await connectAgain(company, { email: other })
  expect([revoked(company), await works(company), await works(company, 'work')]).toEqual([[false, false, false], true, true])
})

test('Of two profiles with one account, the first to end leaves the other working, and the last revokes everything.', async () => {
  const company = await startCompany()
  await connectAgain(company, { profile: 'work' })
  expect(await end(company)).toMatchObject({ problem: undefined, sharedWith: ['work'] })
  expect([revoked(company), await works(company, 'work')]).toEqual([[false, false], true])
  expect(await end(company, 'work')).toMatchObject({ sharedWith: [] })
  expect(revoked(company)).toEqual([true, true])
})

test('If two profiles with one account end at the same time, the account is revoked.', async () => {
  const company = await startCompany()
  await connectAgain(company, { profile: 'work' })
  await Promise.all([end(company), end(company, 'work')])
  expect(revoked(company)).toEqual([true, true])
})
