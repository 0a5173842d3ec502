import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, it } from 'vitest'
import { withCaller } from '../../../server/src/mcp/calls/current-request.ts'
import { diaryGrant, DiaryHouse, diaryServer } from '../../test/accounts/diary.ts'
import { containing, openOffice, type OfficeOptions } from '../../test/accounts/office.ts'

const minute = 60_000

/** An office in which some people have connected their diaries. */
async function open(names: readonly string[], options: OfficeOptions = {}) {
  const house = new DiaryHouse()
  const office = await openOffice(diaryServer(house), options)
  const people = new Map(names.map((name) => [name, office.caller(name)]))
  for (const [name, caller] of people) await office.grant(caller, diaryGrant(house.admit(name)))
  const person = (name: string) => people.get(name) ?? office.caller(name)
  return { house, ...office, person }
}

const entriesOf = (house: DiaryHouse, name: string) => [...(house.diaries.get(name)?.values() ?? [])]

describe('a call of a service identity', () => {
  it('without an account says what its operator does, and makes no link', async () => {
    const { call, caller, links } = await open([])
    const robot = caller('robot', { isService: true, profile: 'work' })
    const answer = await call(robot, 'WhoAmI')
    const command = 'diary-mcp people connect robot --issuer https://company.example --profile work'
    expect(answer).toMatchObject({ ok: false, error: { code: 'unauthenticated', next: { command } } })
    expect(answer).toMatchObject({ error: { message: containing('The service identity robot has no ') } })
    expect(answer).not.toHaveProperty('connectLink')
    expect(links.requests).toEqual([])
  })

  it('acts with the account that was connected for it, and never with that of a person', async () => {
    const { house, call, caller, grant, state } = await open(['robot'])
    const service = { issuer: 'https://company.example', subject: 'robot', isService: true } as const
    const robot = caller('robot', { isService: true, owner: state.people.ownerOf(service) })
    expect(await call(robot, 'WhoAmI')).toMatchObject({ ok: false })
    await grant(robot, diaryGrant(house.admit('the robot')))
    expect(await call(robot, 'WhoAmI')).toMatchObject({ data: { person: 'the robot' } })
    expect(await call(caller('robot'), 'WhoAmI')).toMatchObject({ data: { person: 'robot' } })
  })
})

describe('a call', () => {
  it('acts as its person, and opens one connection for each', async () => {
    const { house, call, person } = await open(['anna', 'ben'])
    const names = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'anna' : 'ben'))
    const answers = await Promise.all(
      names.flatMap((name, index) => [call(person(name), 'WhoAmI'), call(person(name), 'AddEntry', { text: `${name} ${index}` })]),
    )
    expect(answers).toMatchObject(
      names.flatMap((name) => [
        { ok: true, data: { person: name } },
        { ok: true, data: { person: name } },
      ]),
    )
    for (const name of ['anna', 'ben']) {
      const own = names.flatMap((each, index) => (each === name ? [`${name} ${index}`] : []))
      expect(entriesOf(house, name).toSorted()).toEqual(own.toSorted())
    }
    expect(house.opened.toSorted()).toEqual([person('anna').owner, person('ben').owner].toSorted())
  })

  it('with another person’s idempotency key is a separate call', async () => {
    const { house, call, person } = await open(['anna', 'ben'])
    const add = (name: string) => call(person(name), 'AddEntry', { text: 'Dear diary' }, { key: 'the key' })
    const [anna, ben, again] = [await add('anna'), await add('ben'), await add('anna')]
    expect([anna, ben]).toMatchObject([{ data: { person: 'anna' } }, { data: { person: 'ben' } }])
    expect(again).toMatchObject({ ok: true, data: { person: 'anna' }, isReplay: true })
    expect([entriesOf(house, 'anna'), entriesOf(house, 'ben')]).toEqual([['Dear diary'], ['Dear diary']])
  })

  it('continues only the same person’s unanswered calls', async () => {
    const { house, call, person } = await open(['anna', 'ben'])
    house.onWritten = () => Promise.reject(new Error('The line is dead.'))
    const add = (name: string) => call(person(name), 'AddEntry', { text: 'Dear diary' })
    await add('anna')
    house.onWritten = () => Promise.resolve()
    const [ben, anna] = [await add('ben'), await add('anna')]
    expect([ben, anna]).toMatchObject([{ data: { person: 'ben' } }, { data: { person: 'anna' } }])
    expect([entriesOf(house, 'anna').length, entriesOf(house, 'ben').length]).toEqual([1, 1])
    const idOf = (answer: typeof anna) => (answer.ok ? answer.data['id'] : undefined)
    expect(house.diaries.get('anna')?.has(String(idOf(anna)))).toBe(true)
    expect(idOf(anna)).not.toBe(idOf(ben))
  })

  it('for another profile uses the account connected under that profile', async () => {
    const { house, call, grant, caller } = await open(['anna'])
    const work = caller('anna', { profile: 'work' })
    expect(await call(work, 'WhoAmI')).toMatchObject({ error: { message: containing('under the profile "work"') } })
    await grant(work, diaryGrant(house.admit('anna at work')))
    expect(await call(work, 'WhoAmI')).toMatchObject({ data: { person: 'anna at work' } })
    expect(await call(caller('anna'), 'WhoAmI')).toMatchObject({ data: { person: 'anna' } })
  })

  it('with a token that only reads may not write, whatever its arguments', async () => {
    const { house, call, caller } = await open(['anna'])
    const reader = caller('anna', { permissions: ['read'] })
    const refusal = {
      ok: false,
      error: { code: 'forbidden', message: containing('access token permits only reads') },
    }
    expect(await call(reader, 'Draft')).toMatchObject({ data: { person: 'anna' } })
    expect(await call(reader, 'Draft', { text: 'x' })).toMatchObject(refusal)
    expect(await call(reader, 'AddEntry', { text: 'x' })).toMatchObject(refusal)
    expect(entriesOf(house, 'anna')).toEqual([])
  })

  it('holds with --read-only and --tools too', async () => {
    const { call, caller, toolbox } = await open(['anna'], { settings: { readOnly: true, tools: ['Draft', 'WhoAmI', 'AddEntry'] } })
    expect(toolbox.listing.tools.map(({ name }) => name)).toEqual(['Diary_WhoAmI', 'Diary_Draft'])
    const answer = await call(caller('anna'), 'Draft', { text: 'x' })
    expect(answer).toMatchObject({ error: { code: 'forbidden', message: containing('--read-only') } })
  })

  it('is logged with the owner, and with nothing else about the person', async () => {
    const { call, person, log } = await open(['anna@example.com'])
    const anna = person('anna@example.com')
    await call(anna, 'WhoAmI')
    expect(log).toMatchObject([{ message: 'call', tool: 'WhoAmI', outcome: 'ok', person: anna.owner }])
    expect(JSON.stringify(log)).not.toContain('anna')
  })

  it('never uses a credential of the operator', async () => {
    const { house, call, caller } = await open([], { settings: { environment: { DIARY_TOKEN: 'token-of-operator' } } })
    house.admit('operator')
    expect(await call(caller('anna'), 'WhoAmI')).toMatchObject({ ok: false, error: { code: 'unauthenticated' } })
    expect(house.opened).toEqual([])
  })
})

describe('a person who has to do something first', () => {
  const page = 'https://diary.example/connect/secret-link-1'

  it('gets a page if they have connected nothing, and the call works afterwards', async () => {
    const { house, call, caller, links, grant } = await open([])
    const anna = caller('anna')
    expect(await call(anna, 'WhoAmI')).toEqual({
      ok: false,
      error: {
        code: 'unauthenticated',
        message: 'This person has not connected their Acme account. Ask the person to open the page, then make the call again.',
        retryable: false,
        next: { url: page },
      },
      connectLink: { id: 'link-1', url: page, message: 'Diary asks for access to your Acme account. Open the page to allow it.' },
    })
    expect(links.requests).toEqual([{ purpose: 'account', caller: anna }])
    await grant(anna, diaryGrant(house.admit('anna')))
    expect(await call(anna, 'WhoAmI')).toMatchObject({ data: { person: 'anna' } })
  })

  it('gets a page that asks for all scopes together if one is missing', async () => {
    const { house, call, caller, links, grant } = await open([])
    const anna = caller('anna')
    await grant(anna, diaryGrant(house.admit('anna'), ['read']))
    expect(await call(anna, 'WhoAmI')).toMatchObject({ ok: true })
    const answer = await call(anna, 'AddEntry', { text: 'x' })
    expect(answer).toMatchObject({ error: { code: 'forbidden', next: { url: page } }, connectLink: { id: 'link-1' } })
    expect(JSON.stringify(answer)).toContain('Diary_AddEntry needs the scope write, and this login has: read. Nothing was sent.')
    expect(links.requests).toEqual([{ purpose: 'account', scopes: ['read', 'write'], caller: anna }])
    await grant(anna, diaryGrant('token-of-anna'))
    expect(await call(anna, 'AddEntry', { text: 'x' })).toMatchObject({ ok: true })
  })

  it('gets a page that asks for the same scopes when the provider has ended the login', async () => {
    const { house, call, person, links, grant, state } = await open(['anna', 'ben'])
    await call(person('anna'), 'WhoAmI')
    house.tokens.delete('token-of-anna')
    const ended = { error: { code: 'unauthenticated', message: containing('Acme has ended this login'), next: { url: page } } }
    expect(await call(person('anna'), 'WhoAmI')).toMatchObject(ended)
    expect(links.requests).toEqual([{ purpose: 'account', scopes: ['read', 'write'], caller: person('anna') }])
    expect(await state.people.grants.read(person('anna'))).not.toContain('token-of-anna')
    expect(await call(person('anna'), 'WhoAmI')).toMatchObject({ error: { next: { url: page.replace('1', '2') } } })
    expect(await call(person('ben'), 'WhoAmI')).toMatchObject({ data: { person: 'ben' } })
    house.tokens.set('another', 'anna')
    await grant(person('anna'), diaryGrant('another'))
    expect(await call(person('anna'), 'WhoAmI')).toMatchObject({ data: { person: 'anna' } })
  })

  it('whose connection is removed is asked again at once', async () => {
    const { call, person, grant } = await open(['anna'])
    await call(person('anna'), 'WhoAmI')
    await grant(person('anna'), undefined)
    expect(await call(person('anna'), 'WhoAmI')).toMatchObject({ error: { code: 'unauthenticated', next: { url: page } } })
  })

  it('never reads of a command', async () => {
    const { call, caller, grant } = await open([])
    const anna = caller('anna')
    const answers = [await call(anna, 'WhoAmI')]
    await grant(anna, diaryGrant('unknown', ['read']))
    answers.push(await call(anna, 'WhoAmI'), await call(anna, 'AddEntry', { text: 'x' }))
    for (const answer of answers) expect(answer.ok ? undefined : answer.error.next).toEqual({ url: containing(page.slice(0, -1)) })
    expect(JSON.stringify(answers)).not.toMatch(/diary-mcp|command|--|login --|DIARY_/)
  })

  it('gets the page of a tool as the client that calls', async () => {
    const { call, caller, links } = await open(['anna'])
    const [one, other] = [caller('anna', { clientId: 'one' }), caller('anna', { clientId: 'other' })]
    await call(one, 'WhoAmI')
    expect(await withCaller(other, () => call(other, 'ChoosePages'))).toMatchObject({ ok: true, data: { url: page } })
    expect(links.requests).toEqual([{ purpose: 'picker', caller: other }])
  })

  it('whose grant no key opens is not asked to connect again', async () => {
    const { house, call, caller, links, openWithOtherKey } = await open([])
    const other = await openWithOtherKey()
    const anna = caller('anna')
    await other.people.remember(anna)
    await other.people.grants.write(anna, diaryGrant(house.admit('anna')))
    const answer = await call(anna, 'WhoAmI')
    expect(answer).toMatchObject({
      ok: false,
      error: { code: 'unavailable', message: containing("The server's log tells its operator why.") },
    })
    expect([links.requests, house.opened]).toEqual([[], []])
  })
})

describe('connections', () => {
  it('are closed when no call has used them for 15 minutes', async () => {
    const clock = new ManualClock({ skipSleeps: false })
    const { house, call, person } = await open(['anna', 'ben'], { clock })
    await call(person('anna'), 'WhoAmI')
    await clock.advance(10 * minute)
    await call(person('ben'), 'WhoAmI')
    await clock.advance(4 * minute)
    expect(house.closed).toEqual([])
    await clock.advance(minute)
    expect(house.closed).toEqual([person('anna').owner])
    await clock.advance(10 * minute)
    expect(house.closed).toEqual([person('anna').owner, person('ben').owner])
    expect(await call(person('anna'), 'WhoAmI')).toMatchObject({ data: { person: 'anna' } })
    expect(house.opened).toEqual(['anna', 'ben', 'anna'].map((name) => person(name).owner))
  })

  it('are not closed while a call runs, however long and however many there are', async () => {
    const clock = new ManualClock({ skipSleeps: false })
    const { house, call, person } = await open(['anna', 'ben', 'carla'], { clock, maxConnections: 1 })
    const waiting = call(person('anna'), 'Ponder')
    await house.gate.holds(1)
    await call(person('ben'), 'WhoAmI')
    await call(person('carla'), 'WhoAmI')
    await clock.advance(0)
    expect(house.closed).toEqual([person('ben').owner, person('carla').owner])
    expect(house.gate.aborted).toEqual([])
    house.gate.release()
    expect(await waiting).toMatchObject({ data: { person: 'anna' } })
    expect(house.closed).toHaveLength(2)
    await clock.advance(16 * minute)
    expect(house.closed).toHaveLength(3)
  })

  it('make room for other connections in order of last use', async () => {
    const { house, call, person } = await open(['anna', 'ben', 'carla', 'dora'], { maxConnections: 2 })
    for (const name of ['anna', 'ben', 'anna', 'carla', 'dora', 'anna']) await call(person(name), 'WhoAmI')
    const names = ['anna', 'ben', 'carla', 'dora']
    const named = (owners: readonly string[]) => owners.map((owner) => names.find((name) => person(name).owner === owner))
    expect(named(house.opened)).toEqual(['anna', 'ben', 'carla', 'dora', 'anna'])
    expect(named(house.closed)).toEqual(['ben', 'anna', 'carla'])
  })

  it('that cannot be opened take no room', async () => {
    const { house, call, person, caller, toolbox } = await open(['anna'], { maxConnections: 1 })
    await call(person('anna'), 'WhoAmI')
    await Promise.all(Array.from({ length: 20 }, (_, index) => call(caller(`stranger ${index}`), 'WhoAmI')))
    await call(person('anna'), 'WhoAmI')
    expect([house.opened.length, await toolbox.status()]).toMatchObject([1, { connections: 1 }])
  })

  it('are closed with the toolbox', async () => {
    const { house, call, person, toolbox } = await open(['anna', 'ben'])
    await call(person('anna'), 'WhoAmI')
    await call(person('ben'), 'WhoAmI')
    await toolbox.close()
    expect(house.closed.toSorted()).toEqual([person('anna').owner, person('ben').owner].toSorted())
  })
})
