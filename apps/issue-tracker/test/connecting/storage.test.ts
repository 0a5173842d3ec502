import { StoreError } from '@mcp-toolkits/sqlite'
import { expect, it } from 'vitest'
import { personAt, startCompany, titleOf } from './setup.ts'

type ThroughState = NonNullable<NonNullable<Parameters<typeof startCompany>[0]>['throughState']>

const lost = () => new StoreError('unreachable', 'team.db', 'The database cannot be reached.')

/** Makes the database fail for records of one kind. */
function failsAt(kind: string, method: 'get' | 'set'): ThroughState {
  return (state) => {
    const { get, set } = state.records
    const check = (called: typeof method, key: { readonly kind: string }) => {
      if (called === method && key.kind === kind) throw lost()
    }
    return {
      ...state,
      records: {
        ...state.records,
        async get(key) {
          check('get', key)
          return get(key)
        },
        async set(key, text, ms) {
          check('set', key)
          await set(key, text, ms)
        },
      },
    }
  }
}

/** Stores a grant, but loses the response. */
const losesAnswers: ThroughState = (state) => {
  const { grants } = state.people
  const write: typeof grants.write = async (account, grant) => {
    await grants.write(account, grant)
    throw lost()
  }
  return { ...state, people: { ...state.people, grants: { ...grants, write } } }
}

const revoked = ({ emulator }: Awaited<ReturnType<typeof startCompany>>) =>
  emulator.store.grants().map(({ revokedAt }) => revokedAt !== null)

it.each([
  ['the answer to the write is lost', losesAnswers],
  ['the end of the link cannot be stored', failsAt('connect outcome', 'set')],
])('says that an account is connected when %s', async (_, throughState) => {
  const company = await startCompany({ throughState })
  const end = await personAt(company, 'robin').follow((await company.linkFor('robin')).url)
  expect([end.status, titleOf(end)]).toEqual([200, 'Connected to Linear'])
  expect(await company.loginOf('robin')).toBeDefined()
  expect(revoked(company)).toEqual([false])
})

it('shows that an account is connected when the name of the person cannot be read', async () => {
  const company = await startCompany({ throughState: failsAt('connect name', 'get') })
  const end = await personAt(company, 'robin').follow((await company.linkFor('robin')).url)
  expect([end.status, titleOf(end)]).toEqual([200, 'Connected to Linear'])
  expect(end.text).not.toContain('Signed in as')
  expect(revoked(company)).toEqual([false])
})

it('revokes a grant that could not be stored', async () => {
  const company = await startCompany({
    throughState: (state) => {
      const { grants } = state.people
      return { ...state, people: { ...state.people, grants: { ...grants, write: () => Promise.reject(lost()) } } }
    },
  })
  const end = await personAt(company, 'robin').follow((await company.linkFor('robin')).url)
  expect([end.status, titleOf(end)]).toEqual([503, 'Not connected to Linear'])
  expect(await company.loginOf('robin')).toBeUndefined()
  expect(revoked(company)).toEqual([true])
})
