import { describe, expect, it } from 'vitest'
import { idOf } from '../src/ids.ts'
import { covers, openEmulator } from './emulator.ts'

const fortnight = 14 * 86_400_000

describe('computed fields', () => {
  it('compute the flags of cycles from the current time', covers('cycles/flags'), async () => {
    const { at, pass } = openEmulator()
    const flags = async () => {
      const query = '{ cycles(filter: { team: { key: { eq: "ENG" } } }) { nodes { number isPast isPrevious isActive isNext isFuture } } }'
      const nodes = await at('cycles.nodes', query)
      const all: unknown[] = Array.isArray(nodes) ? nodes : []
      return all
    }
    const cycle = (number: number, is: object) => ({
      number,
      isPast: false,
      isPrevious: false,
      isActive: false,
      isNext: false,
      isFuture: false,
      ...is,
    })
    const previous = { isPast: true, isPrevious: true }
    const next = { isNext: true, isFuture: true }
    expect(await flags()).toEqual([
      cycle(5, { isFuture: true }),
      cycle(4, next),
      cycle(3, { isActive: true }),
      cycle(2, previous),
      cycle(1, { isPast: true }),
    ])
    pass(fortnight)
    expect(await flags()).toMatchObject([
      cycle(5, next),
      cycle(4, { isActive: true }),
      cycle(3, previous),
      { isPast: true },
      { isPast: true },
    ])
    pass(3 * fortnight)
    expect(await at('team.activeCycle', `{ team(id: "${idOf('Team Engineering')}") { activeCycle { number } } }`)).toBeNull()
  })

  it('separate the labels of a team from those of the workspace', covers('labels/of-team'), async () => {
    const { at, list } = openEmulator()
    const names = '{ nodes { name } }'
    const team = await at('team.labels.nodes', `{ team(id: "${idOf('Team Design')}") { labels ${names} } }`)
    expect(team).toEqual([{ name: 'Research' }])
    expect(await at('organization.labels.nodes', `{ organization { labels(filter: { isGroup: { eq: true } }) ${names} } }`)).toEqual([
      { name: 'Severity' },
      { name: 'Type' },
    ])
    expect(await list('name', `{ issueLabels(filter: { name: { eqIgnoreCase: "PERFORMANCE" } }) ${names} }`)).toHaveLength(2)
    expect(await list('name', `{ issueLabels(filter: { team: { null: true }, parent: { name: { eq: "Severity" } } }) ${names} }`)).toEqual([
      'S3',
      'S2',
      'S1',
    ])
  })

  it('include the projects of sub-initiatives by default', covers('initiatives/projects-of-subinitiatives'), async () => {
    const { at } = openEmulator()
    const projects = (argument: string) =>
      at('initiative.projects.nodes', `{ initiative(id: "${idOf('Initiative Reliability')}") { projects${argument} { nodes { name } } } }`)
    expect(await projects('')).toEqual([{ name: 'Incident tooling' }])
    expect(await projects('(includeSubInitiatives: false)')).toEqual([])
  })

  it('refuse the internal argument sort unless it is null', covers('graphql/internal-sort'), async () => {
    const { ask } = openEmulator()
    const query = 'query Sorted($sort: [IssueSortInput!]) { issues(first: 1, sort: $sort) { nodes { id } } }'
    expect((await ask(query, { sort: null })).errors).toEqual([])
    expect((await ask(query, { sort: [{ createdAt: { order: 'Ascending' } }] })).data).toBeNull()
  })

  it('are empty for features that the emulator lacks', covers('graphql/unsupported-fields'), async () => {
    const { at } = openEmulator()
    const query =
      '{ issue(id: "ENG-1") { botActor { id } slaType reactions { emoji } reactionData customerTicketCount inheritsSharedAccess } }'
    expect(await at('issue', query)).toEqual({
      botActor: null,
      slaType: null,
      reactions: [],
      reactionData: [],
      customerTicketCount: 0,
      inheritsSharedAccess: false,
    })
  })

  it('compute progress, milestones and health', covers('projects/progress'), async () => {
    const { at } = openEmulator()
    const query = `{ project(id: "${idOf('Project Billing rewrite')}") { progress scope state } }`
    expect(await at('project', query)).toEqual({ progress: 1, scope: 5, state: 'completed' })
    const apollo = `{ project(id: "${idOf('Project Apollo')}") { health projectMilestones { nodes { name status } } } }`
    expect(await at('project', apollo)).toMatchObject({ health: 'onTrack' })
    expect(await at('project.projectMilestones.nodes', apollo)).toEqual(
      expect.arrayContaining([
        { name: 'Prototype', status: 'overdue' },
        { name: 'Beta', status: 'next' },
      ]),
    )
  })

  it('have histories of one day', covers('projects/histories'), async () => {
    const { at } = openEmulator()
    const histories = 'scopeHistory completedScopeHistory issueCountHistory completedIssueCountHistory'
    expect(await at('cycle', `{ cycle(id: "${idOf('Cycle OPS 3')}") { ${histories} } }`)).toEqual({
      scopeHistory: [3],
      completedScopeHistory: [0],
      issueCountHistory: [3],
      completedIssueCountHistory: [0],
    })
    const query = `{ project(id: "${idOf('Project Billing rewrite')}") { ${histories} } }`
    expect(await at('project', query)).toMatchObject({ completedIssueCountHistory: [3] })
  })
})
