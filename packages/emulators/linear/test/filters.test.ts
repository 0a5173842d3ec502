import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { idOf } from '../src/ids.ts'
import { covers, openEmulator } from './emulator.ts'
import { runs } from '../../../testing/src/runs.ts'

const issues = 'query Find($filter: IssueFilter) { issues(first: 250, filter: $filter) { nodes { identifier } } }'
/** One emulator for all tests that only read. */
const reading = openEmulator({ limits: { requests: 1e9, points: 1e9 } })
const found = async (filter: object) => (await reading.list('identifier', issues, { filter })).map(String).sort()
const count = async (filter: object) => (await found(filter)).length

const title = 'Crash when a file name has an emoji 🦊'

describe('text comparators', () => {
  it.each([
    ['eq', title, true],
    ['eq', title.toLowerCase(), false],
    ['neq', title, false],
    ['in', ['x', title], true],
    ['in', [], false],
    ['nin', ['x', title], false],
    ['nin', [], true],
    ['eqIgnoreCase', title.toUpperCase(), true],
    ['neqIgnoreCase', title.toUpperCase(), false],
    ['contains', 'emoji 🦊', true],
    ['contains', 'EMOJI', false],
    ['notContains', 'emoji', false],
    ['containsIgnoreCase', 'EMOJI', true],
    ['notContainsIgnoreCase', 'EMOJI', false],
    ['startsWith', 'Crash', true],
    ['startsWith', 'crash', false],
    ['notStartsWith', 'Crash', false],
    ['startsWithIgnoreCase', 'CRASH', true],
    ['endsWith', '🦊', true],
    ['endsWith', `more than all of ${title}`, false],
    ['notEndsWith', '🦊', false],
  ] as const)('%s %j', covers('filters/text'), async (comparator, value, matches) => {
    expect((await found({ title: { [comparator]: value }, number: { eq: 11 }, team: { key: { eq: 'ENG' } } })).length).toBe(matches ? 1 : 0)
  })

  it('take any number of values in a list, and 2,500 outside of one', covers('filters/size'), async () => {
    const titles = Array.from({ length: 20_000 }, (_, index) => `Title ${index}`)
    const each = titles.map((eq) => ({ title: { eq } }))
    expect(await found({ title: { in: titles } })).toEqual([])
    expect(await found({ or: each.slice(0, 999) })).toEqual([])
    await expect(found({ or: each })).rejects.toThrow('at most 2500 values')
  })

  it('handle letters beyond ASCII', covers('filters/case-and-accents'), async () => {
    expect(await found({ title: { containsIgnoreCase: 'ÄRGER' } })).toEqual(['ENG-12'])
    expect(await found({ title: { containsIgnoreCase: 'arger' } })).toEqual([])
    expect(await found({ title: { containsIgnoreCaseAndAccent: 'NAIVE SORT PUTS “ARGER' } })).toEqual(['ENG-12'])
    expect(await found({ assignee: { name: { eqIgnoreCase: 'TOMÁS HERRERA' } }, state: { type: { eq: 'completed' } } })).toEqual([])
  })

  it('ignore null and absent keys', covers('filters/empty'), async () => {
    const all = await count({})
    expect(all).toBe(58)
    expect(await count({ title: null, and: [], or: [], description: { eq: null } })).toBe(all)
  })
})

describe('number comparators', () => {
  it.each([
    [{ priority: { eq: 0 } }, (priority: number) => priority === 0],
    [{ priority: { neq: 0 } }, (priority: number) => priority !== 0],
    [{ priority: { lte: 2 } }, (priority: number) => priority <= 2],
    [{ priority: { lt: 2 } }, (priority: number) => priority < 2],
    [{ priority: { gte: 2 } }, (priority: number) => priority >= 2],
    [{ priority: { gt: 2 } }, (priority: number) => priority > 2],
    [{ priority: { in: [1, 3] } }, (priority: number) => priority === 1 || priority === 3],
    [{ priority: { nin: [1, 3] } }, (priority: number) => priority !== 1 && priority !== 3],
  ])('%j', covers('filters/numbers'), async (filter, matches) => {
    const all = await reading.list('priority', '{ issues(first: 250) { nodes { priority } } }')
    expect(await count(filter)).toBe(all.filter((priority) => matches(Number(priority))).length)
  })

  it('match null only with null', covers('filters/null-values', 'filters/negations'), async () => {
    const estimated = await count({ estimate: { null: false } })
    expect(estimated + (await count({ estimate: { null: true } }))).toBe(58)
    expect(await count({ estimate: { lte: 100 } })).toBe(estimated)
    expect(await count({ estimate: { neq: 100 } })).toBe(estimated)
    expect(await count({ estimate: { or: [{ eq: 3 }, { null: true }] } })).toBe(58)
  })
})

describe('date comparators', () => {
  const time = '2026-09-16T12:00:00Z'
  const created = async (comparator: object) => {
    const { ask, list } = openEmulator({ seed: 'empty' })
    const create = 'mutation Make($input: IssueCreateInput!) { issueCreate(input: $input) { success } }'
    await ask(create, { input: { teamId: idOf('Team Engineering'), title: 'One', dueDate: '2026-09-20' } })
    return (await list('identifier', issues, { filter: comparator })).length === 1
  }

  it.each([
    [{ createdAt: { eq: time } }, true],
    [{ createdAt: { eq: '2026-09-16T14:00:00+02:00' } }, true],
    [{ createdAt: { neq: time } }, false],
    [{ createdAt: { in: [time, '2020'] } }, true],
    [{ createdAt: { nin: [time] } }, false],
    [{ createdAt: { gte: '2026' } }, true],
    [{ createdAt: { gte: '2026-09' } }, true],
    [{ createdAt: { gte: '2026-09-16' } }, true],
    [{ createdAt: { gt: '2026-09-17' } }, false],
    [{ createdAt: { lt: '2026-09-17' } }, true],
    [{ createdAt: { lte: '2026-09-16' } }, false],
    [{ createdAt: { gte: '-P1D' } }, true],
    [{ createdAt: { gte: '-P2W1D', lte: 'P1D' } }, true],
    [{ createdAt: { gt: 'PT1S' } }, false],
    [{ createdAt: { gte: '-P1M', lt: 'PT1M' } }, true],
    [{ dueDate: { eq: '2026-09-20' } }, true],
    [{ dueDate: { lte: 'P4D' } }, true],
    [{ dueDate: { lt: 'P4D' } }, false],
    [{ dueDate: { null: true } }, false],
    [{ completedAt: { null: true } }, true],
    [{ completedAt: { lt: '2999' } }, false],
  ])('%j', covers('filters/dates'), async (filter, matches) => {
    expect(await created(filter)).toBe(matches)
  })

  it.each([
    ['P1Y', 366],
    ['P1M', 29],
    ['P2W1D', 15],
    ['P3D', 3],
    ['PT36H', 1.5],
    ['P1DT720M', 1.5],
    ['PT86400S', 1],
  ])('add a duration to now: %s', covers('filters/durations'), async (duration, days) => {
    const { ask, list, pass } = openEmulator({ seed: 'empty', limits: { requests: 1e9, points: 1e9 } })
    pass(Date.parse('2028-03-15') - Date.parse('2026-09-16T12:00:00Z') - days * 86_400_000)
    await ask(`mutation { issueCreate(input: { teamId: "${idOf('Team Engineering')}", title: "x" }) { success } }`)
    pass(days * 86_400_000)
    const found = (filter: object) => list('identifier', issues, { filter: { createdAt: filter } })
    expect(await found({ eq: `-${duration}` })).toEqual(['ENG-1'])
    expect(await found({ lt: duration })).toEqual(['ENG-1'])
    expect(await found({ gt: duration })).toEqual([])
  })

  it("assume UTC without an offset, whatever the machine's time zone", covers('filters/time-zone'), async () => {
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    vi.stubEnv('TZ', 'Asia/Tokyo')
    expect(new Date(2026, 0).getTimezoneOffset()).toBe(-540)
    for (const value of ['2026-09-16T12:00', '2026-09-16T12:00:00', '2026-09-16T12:00:00.000', '2026-09-16T21:00:00+09:00']) {
      expect([value, await created({ createdAt: { eq: value } })]).toEqual([value, true])
    }
    expect(await created({ createdAt: { gt: '2026-09-16', lt: '2026-09-17' } })).toBe(true)
  })

  it.each(['yesterday', '2026-02-30', '2026-13', '2026-09-16T25:00:00Z', 'P', 'PT', '-P', '', 5, true, { year: 2026 }, '99999-01-01'])(
    'refuse %j',
    covers('filters/bad-dates'),
    async (value) => {
      const { data, errors } = await reading.ask(issues, { filter: { createdAt: { gte: value } } })
      expect([data, errors[0]?.['extensions']]).toEqual([null, expect.objectContaining({ code: 'INVALID_INPUT' })])
    },
  )
})

describe('relation filters', () => {
  it('require a match, or ask whether the relation exists', covers('filters/relations', 'filters/is-me'), async () => {
    expect(await found({ assignee: { isMe: { eq: true } }, state: { type: { eq: 'started' } } })).toEqual(['ENG-1'])
    expect((await count({ assignee: { null: true } })) + (await count({ assignee: { null: false } }))).toBe(58)
    expect(await count({ assignee: { or: [{ null: true }, { isMe: { eq: true } }] } })).toBe(
      (await count({ assignee: { null: true } })) + (await count({ assignee: { isMe: { eq: true } } })),
    )
    expect(await count({ assignee: { isMe: { eq: false } } })).toBe(
      (await count({ assignee: { null: false } })) - (await count({ assignee: { isMe: { eq: true } } })),
    )
    expect(await found({ parent: { number: { eq: 4 } } })).toEqual(['ENG-5', 'ENG-6'])
    expect(await found({ cycle: { isActive: { eq: true } }, team: { key: { eq: 'OPS' } } })).toEqual(['OPS-1', 'OPS-10', 'OPS-4'])
  })

  it('follow the schema for every column', async () => {
    const { at, list } = reading
    const named = '{ projectMilestones(filter: { project: { name: { eqIgnoreCase: "apollo" } } }) { nodes { project { name } } } }'
    expect(new Set(await list('project.name', named))).toEqual(new Set(['Apollo']))
    const dates = 'startedAt: { null: false }, completedAt: { null: true }'
    expect(new Set(await list('status', `{ initiatives(filter: { ${dates} }) { nodes { status } } }`))).toEqual(new Set(['Active']))
    expect(await at('teams.nodes', '{ teams(includeArchived: true, filter: { retiredAt: { gt: "P1D" } }) { nodes { name } } }')).toEqual([])
  })

  it('support some, every and length', covers('filters/collections'), async () => {
    const bugs = await found({ labels: { some: { name: { eqIgnoreCase: 'BUG' } } } })
    expect(bugs).toContain('ENG-1')
    expect(await found({ labels: { name: { eq: 'Bug' } } })).toEqual(bugs)
    expect(await found({ labels: { length: { eq: 3 } } })).toEqual(['ENG-1', 'ENG-9', 'OPS-4', 'OPS-5'])
    expect(await count({ labels: { every: { name: { eq: 'Bug' } } } })).toBe(
      (await count({ labels: { length: { eq: 0 } } })) +
        (await count({ and: [{ labels: { length: { eq: 1 } } }, { labels: { name: { eq: 'Bug' } } }] })),
    )
    expect(await found({ children: { length: { gte: 2 } } })).toEqual(['ENG-4'])
    expect(await found({ labels: { and: [{ name: { eq: 'Bug' } }, { name: { eq: 'S1' } }] } })).toEqual(['ENG-14', 'ENG-9', 'OPS-4'])
    expect(await found({ labels: { some: { parent: { name: { eq: 'qa' } } } } })).toEqual(['ENG-11', 'ENG-21', 'ENG-22', 'ENG-7'])
    expect(await found({ project: { accessibleTeams: { some: { key: { eq: 'OPS' } } } }, number: { lte: 2 } })).toEqual(['OPS-1', 'OPS-2'])
    expect(await found({ attachments: { url: { contains: 'gitlab' } } })).toEqual(['OPS-5'])
    expect(await found({ hasBlockedByRelations: { eq: true } })).toEqual(['ENG-2', 'ENG-3', 'OPS-16'])
  })

  it('combine any number of filters by and and or', covers('filters/and-or'), async () => {
    expect(await found({ or: [{ number: { eq: 1 } }, { number: { eq: 2 } }], team: { key: { eq: 'DES' } } })).toEqual(['DES-1', 'DES-2'])
    expect(await count({ and: [{ or: [] }, { number: { gt: 0 } }] })).toBe(58)
    expect(await count({ or: Array.from({ length: 2000 }, (_, number) => ({ number: { eq: number } })) })).toBe(58)
  })
})

describe('id filters', () => {
  it('require UUIDs, or identifiers of issues', covers('filters/ids'), async () => {
    const id = idOf('Issue ENG-1')
    expect(await found({ id: { eq: id.toUpperCase() } })).toEqual(['ENG-1'])
    expect(await found({ id: { in: [id, 'eng-2'] } })).toEqual(['ENG-1', 'ENG-2'])
    expect(await count({ id: { nin: [id, 'ENG-2'] } })).toBe(56)
    const { data, errors } = await reading.ask(issues, { filter: { team: { id: { eq: 'Engineering' } } } })
    expect([data, errors[0]?.['extensions']]).toEqual([null, expect.objectContaining({ code: 'INVALID_INPUT' })])
  })
})

describe('strings in filters', () => {
  it('are never part of an SQL statement', async () => {
    const { list, ask } = openEmulator()
    for (const text of [`' or 1=1 --`, `"; drop table issues; --`, ':p0', '%', '_', '\\', '\u0000', '*', '$1', '${x}']) {
      for (const key of ['eq', 'contains', 'containsIgnoreCase', 'startsWith', 'endsWith']) {
        const names = await list('identifier', issues, { filter: { title: { [key]: text } } })
        expect([text, names]).toEqual([text, []])
      }
      expect((await ask('query One($id: String!) { issue(id: $id) { id } }', { id: text })).errors[0]?.['message']).toBe(
        'Entity not found: Issue',
      )
    }
    expect(await list('identifier', issues)).toHaveLength(58)
  })

  it('match exactly the texts that contain them', async () => {
    const { list } = openEmulator()
    const titles = (await list('title', '{ issues(first: 250) { nodes { title } } }')).map(String)
    const query = 'query Find($filter: IssueFilter) { issues(first: 250, filter: $filter) { nodes { title } } }'
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.constantFrom(...titles).map((text) => text.slice(2, 7)),
        ),
        async (text) => {
          const names = await list('title', query, { filter: { title: { contains: text } } })
          expect(names).toHaveLength(titles.filter((each) => each.includes(text)).length)
        },
      ),
      { numRuns: runs(50) },
    )
  })
})
