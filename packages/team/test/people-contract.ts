import { createHash, randomBytes } from 'node:crypto'
import { type PeopleState, recordOwner } from '@mcp-toolkits/core/base'
import type { IdempotencyStore } from '@mcp-toolkits/core/tool'
import { expect, it } from 'vitest'
import { key, loginWith } from '../../server/test/account/logins.ts'
import { plain } from '../../server/test/account/login-store-contract.ts'
import { grantStore } from '../src/accounts/grants.ts'
import type { SealedRows } from '../src/vault/sealed-rows.ts'
import type { VaultKey } from '../src/vault/sealer.ts'

/** Processes that act for many people, as tests see them. */
export interface PeopleProcesses {
  /** Closed after the test. */
  readonly start: (keys: readonly VaultKey[]) => Promise<PeopleProcess>
  /** Lets a moment pass. */
  readonly pass: () => Promise<void>
}

export interface PeopleProcess {
  readonly state: PeopleState
  readonly sealedRows: SealedRows
  readonly operations: IdempotencyStore
}

export const newKey = (id: string): VaultKey => ({ id, bytes: randomBytes(32) })

const issuer = 'https://id.example.com'
const ada = { issuer, subject: 'ada' }
const ben = { issuer, subject: 'ben' }

/** The rules for the people of a server and their grants. `open` makes an empty store. */
export function peopleContract(open: () => Promise<PeopleProcesses>): void {
  const startTwo = async () => {
    const { start, pass } = await open()
    const keys = [newKey('first')]
    const [first, second] = await Promise.all([start(keys), start(keys)])
    return { first, second, pass, keys, start }
  }
  const owners = ({ people }: PeopleState) => ({ ada: people.ownerOf(ada), ben: people.ownerOf(ben) })

  it('have one owner in all processes and under all keys, which cannot be guessed', async () => {
    const { first, second, keys, start } = await startTwo()
    const rotating = await start([newKey('second'), ...keys])
    const other = await (await open()).start([newKey('first')])
    const ownerOf = ({ state }: PeopleProcess) => state.people.ownerOf(ada)
    expect([ownerOf(second), ownerOf(rotating)]).toEqual([ownerOf(first), ownerOf(first)])
    expect(ownerOf(other)).not.toBe(ownerOf(first))
    expect(ownerOf(first)).toMatch(/^[\w-]{43}$/)
    const others = [ben, { ...ada, issuer: 'https://other.example.com' }, { issuer: `${issuer}ada`, subject: '' }]
    expect(new Set([ada, ...others].map((person) => first.state.people.ownerOf(person))).size).toBe(4)
    // A client may have the name of a person.
    expect(first.state.people.ownerOf({ ...ada, isService: true })).not.toBe(ownerOf(first))
    const hash = createHash('sha256')
      .update(JSON.stringify(['person', issuer, 'ada']))
      .digest('base64url')
    expect(ownerOf(first)).not.toBe(hash)
  })

  it('are service identities if they say so', async () => {
    const { first, second } = await startTwo()
    const robot = { issuer, subject: 'ada', isService: true } as const
    await first.state.people.remember(robot)
    await first.state.people.remember(ada)
    const [person, service] = [first.state.people.ownerOf(ada), first.state.people.ownerOf(robot)]
    await first.state.people.grants.write({ owner: service, profile: 'default' }, 'the grant')
    const known = await second.state.people.list()
    expect(known.map(({ owner, isService }) => [owner === service, isService])).toEqual(
      expect.arrayContaining([
        [true, true],
        [false, undefined],
      ]),
    )
    expect(await second.state.people.grants.read({ owner: person, profile: 'default' })).toBeUndefined()
  })

  it('are listed with what they have connected, and since when they are known', async () => {
    const { first, second, pass } = await startTwo()
    const { people } = first.state
    await people.remember(ben)
    await pass()
    await people.remember(ada)
    const { ada: owner } = owners(first.state)
    await people.grants.write({ owner, profile: 'work' }, 'grant')
    await people.grants.write({ owner, profile: 'default' }, 'grant')
    await pass()
    await second.state.people.remember(ben)
    const [one, other, ...more] = await second.state.people.list()
    expect(more).toEqual([])
    expect([one, other]).toMatchObject([
      { ...ben, profiles: [] },
      { ...ada, owner, profiles: ['default', 'work'] },
    ])
    expect(one?.lastSeen).toBeGreaterThan(other?.lastSeen ?? Infinity)
    expect(one?.firstSeen).toBeLessThan(other?.firstSeen ?? 0)
    expect(other?.lastSeen).toBe(other?.firstSeen)
  })

  it('have separate grants for each account, which all processes see', async () => {
    const { first, second, pass } = await startTwo()
    const [{ people }, { people: others }] = [first.state, second.state]
    await people.remember(ada)
    await people.remember(ben)
    const mine = { owner: people.ownerOf(ada), profile: 'default' }
    expect(await people.grants.read(mine)).toBeUndefined()
    await people.grants.write(mine, 'é')
    expect([await others.grants.read(mine), await others.grants.read({ ...mine, profile: 'work' })]).toEqual(['é', undefined])
    expect(await others.grants.read({ ...mine, owner: people.ownerOf(ben) })).toBeUndefined()
    const [listed] = await people.grants.list(mine.owner)
    await pass()
    await others.grants.write(mine, 'refreshed')
    expect(await people.grants.list(mine.owner)).toEqual([{ ...listed, grant: 'refreshed' }])
    expect(await people.grants.list(people.ownerOf(ben))).toEqual([])
    await others.grants.write(mine, undefined)
    expect(await people.grants.read(mine)).toBeUndefined()
  })

  it('are forgotten with everything about them, and nothing about anyone else', async () => {
    const { first, second } = await startTwo()
    const { people, records } = first.state
    const { ada: owner, ben: other } = owners(first.state)
    for (const person of [ada, ben]) {
      await people.remember(person)
      const id = people.ownerOf(person)
      await people.grants.write({ owner: id, profile: 'default' }, 'grant')
      for (const holder of [id, recordOwner(id, 'account')])
        await records.set({ owner: holder, kind: 'kind', name: 'name' }, 'text', 60_000)
      const begun = await first.operations.claim(operationOf(id), 'identity')
      if (begun.kind === 'begun') await first.operations.complete(begun.id, 'result')
    }
    await second.state.people.forget(owner)
    const left = async (id: string) => ({
      grant: await people.grants.read({ owner: id, profile: 'default' }),
      records: [
        ...(await records.list({ owner: id, kind: 'kind' })),
        ...(await records.list({ owner: recordOwner(id, 'account'), kind: 'kind' })),
      ].length,
      operation: (await first.operations.find(operationOf(id)))?.kind,
    })
    expect(await left(owner)).toEqual({ grant: undefined, records: 0, operation: undefined })
    expect(await left(other)).toEqual({ grant: 'grant', records: 2, operation: 'done' })
    expect(await people.list()).toMatchObject([ben])
  })

  it('stay forgotten, whatever a refresh under way stores', async () => {
    const { first, second } = await startTwo()
    const { people } = first.state
    const mine = { owner: people.ownerOf(ada), profile: 'default' }
    await expect(people.grants.write(mine, 'grant')).rejects.toThrow()
    await people.remember(ada)
    await people.grants.write(mine, 'grant')
    await second.state.people.forget(mine.owner)
    await expect(people.grants.write(mine, 'refreshed')).rejects.toThrow()
    expect([await people.list(), await people.grants.read(mine)]).toEqual([[], undefined])
  })

  it('are not read with other keys, which is a problem and not the absence of a grant', async () => {
    const { first, keys, start } = await startTwo()
    const [unknown, otherBytes] = [[newKey('unknown')], [newKey('first')]]
    const sealed = { code: 'ERR_STORE', problem: 'sealed' }
    await expect(start(unknown)).rejects.toMatchObject(sealed)
    await expect(start(otherBytes)).rejects.toMatchObject(sealed)
    const rotating = await start([...unknown, ...keys])
    const { people } = rotating.state
    const mine = { owner: people.ownerOf(ada), profile: 'default' }
    await people.remember(ada)
    await people.grants.write(mine, 'grant')
    const record = { owner: mine.owner, kind: 'kind', name: 'name' }
    await rotating.state.records.set(record, 'text', 60_000)
    const { people: behind, records } = first.state
    await expect(behind.grants.read(mine)).rejects.toMatchObject(sealed)
    expect(await behind.grants.list(mine.owner)).toMatchObject([{ profile: 'default', grant: undefined, missingKey: 'unknown' }])
    expect([await behind.list(), await behind.listUnreadable()]).toEqual([[], [{ owner: mine.owner, missingKey: 'unknown' }]])
    await behind.remember(ben)
    expect([await behind.list(), await people.listUnreadable()]).toMatchObject([[ben], []])
    expect(await people.list()).toHaveLength(2)
    await expect(records.get(record)).rejects.toMatchObject(sealed)
    const store = grantStore(first.state, mine.owner)
    await expect(store.read(key)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(store.read(key)).rejects.toThrow('MCP_TOOLKITS_VAULT_KEYS')
  })

  it('have one token store each', async () => {
    const { first, second } = await startTwo()
    const { ada: owner, ben: other } = owners(first.state)
    await first.state.people.remember(ada)
    const [mine, elsewhere, foreign] = [grantStore(first.state, owner), grantStore(second.state, owner), grantStore(first.state, other)]
    await mine.write(key, loginWith())
    expect(plain(await elsewhere.read(key))).toEqual(plain(loginWith()))
    expect([await foreign.read(key), await mine.read({ ...key, profile: 'work' })]).toEqual([undefined, undefined])
    await elsewhere.write(key, undefined)
    expect(await mine.read(key)).toBeUndefined()
  })

  it('refresh a grant one at a time, without waiting for each other', async () => {
    const { first, second } = await startTwo()
    const { ada: owner, ben: other } = owners(first.state)
    const stores = [grantStore(first.state, owner), grantStore(second.state, owner)]
    const ends = Promise.withResolvers<undefined>()
    const order: string[] = []
    const held = Promise.withResolvers<undefined>()
    const holding = stores[0]?.withLock(key, async () => {
      held.resolve(undefined)
      await ends.promise
      order.push('first')
    })
    await held.promise
    const waiting = stores[1]?.withLock(key, () => Promise.resolve(order.push('second')))
    await grantStore(second.state, other).withLock(key, () => Promise.resolve(order.push('other')))
    await grantStore(second.state, owner).withLock({ ...key, profile: 'work' }, () => Promise.resolve(order.push('work')))
    ends.resolve(undefined)
    await Promise.all([holding, waiting])
    expect(order).toEqual(['other', 'work', 'first', 'second'])
  })

  /** Stores something of everything, for more people than are read at a time. */
  const fill = async ({ state: { people, records } }: PeopleProcess) => {
    const subjects = Array.from({ length: 60 }, (_, number) => `person ${number}`)
    for (const subject of subjects) {
      await people.remember({ issuer, subject })
      const owner = people.ownerOf({ issuer, subject })
      await people.grants.write({ owner, profile: 'default' }, `grant of ${subject}`)
      await records.set({ owner, kind: 'kind', name: 'name' }, `record of ${subject}`, 60_000)
    }
    return subjects
  }
  const grantOf = ({ people }: PeopleState, subject: string) =>
    people.grants.read({ owner: people.ownerOf({ issuer, subject }), profile: 'default' })

  it('are sealed again with the first key, after which the former one is not needed', async () => {
    const { start } = await open()
    const [former, present] = [newKey('former'), newKey('present')]
    const subjects = await fill(await start([former]))
    const rotating = await start([present, former])
    expect(await rotating.sealedRows.check()).toMatchObject([
      { keyId: 'former', rows: 180, unreadable: 0 },
      { keyId: 'present', unreadable: 0 },
    ])
    expect([await rotating.sealedRows.rotate(), await rotating.sealedRows.rotate()]).toEqual([180, 0])
    const { state, sealedRows } = await start([present])
    expect(await sealedRows.check()).toMatchObject([{ keyId: 'present', unreadable: 0 }])
    expect(await state.people.list()).toHaveLength(60)
    for (const subject of subjects) {
      expect(await grantOf(state, subject)).toBe(`grant of ${subject}`)
      expect(await state.records.get({ owner: state.people.ownerOf({ issuer, subject }), kind: 'kind', name: 'name' })).toBe(
        `record of ${subject}`,
      )
    }
  })

  it('are read and changed while they are sealed again', async () => {
    const { start } = await open()
    const [former, present] = [newKey('former'), newKey('present')]
    const serving = await start([former, present])
    const subjects = await fill(serving)
    const { sealedRows } = await start([present, former])
    const progress = { isDone: false }
    const rotation = sealedRows.rotate().finally(() => {
      progress.isDone = true
    })
    const expected = new Map<string, string>()
    for (let turn = 0; !progress.isDone; turn += 1) {
      const subject = subjects[(turn * 7) % subjects.length] ?? ''
      expect(await grantOf(serving.state, subject)).toBe(expected.get(subject) ?? `grant of ${subject}`)
      expected.set(subject, `refreshed in turn ${turn}`)
      const account = { owner: serving.state.people.ownerOf({ issuer, subject }), profile: 'default' }
      await serving.state.people.grants.write(account, `refreshed in turn ${turn}`)
    }
    await rotation
    expect(expected.size).toBeGreaterThan(0)
    for (const subject of subjects) expect(await grantOf(serving.state, subject)).toBe(expected.get(subject) ?? `grant of ${subject}`)
    // Rows written meanwhile have the first key of the server that wrote them.
    await sealedRows.rotate()
    expect((await sealedRows.check()).map(({ keyId }) => keyId)).toEqual(['present'])
  })

  it('are counted if they do not open, and left unchanged', async () => {
    const { first, start, keys } = await startTwo()
    const ahead = [newKey('other'), ...keys]
    const { state } = await start(ahead)
    await state.people.remember(ada)
    await start(ahead.toReversed())
    expect(await first.sealedRows.check()).toMatchObject([
      { keyId: 'first', unreadable: 0 },
      { keyId: 'other', rows: 1, unreadable: 1 },
    ])
    expect(await first.sealedRows.rotate()).toBe(0)
    expect(await state.people.list()).toMatchObject([ada])
  })

  it('share the key that signs what travels through browsers', async () => {
    const { first, second, keys, start } = await startTwo()
    const rotating = await start([newKey('second'), ...keys])
    expect(first.state.stateKey).toHaveLength(32)
    expect([second.state.stateKey, rotating.state.stateKey]).toEqual([first.state.stateKey, first.state.stateKey])
  })
}

const operationOf = (owner: string) => ({ account: recordOwner(owner, 'account'), tool: 'Create', argumentsHash: 'hash', key: 'key' })
