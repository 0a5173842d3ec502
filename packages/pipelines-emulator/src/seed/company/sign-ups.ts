import type { SeedCall } from '../schema.ts'
import { identify, joinTeam, on, page, screen, track } from './calls.ts'
import { type Guide, guides, teams } from './people.ts'

/** How far back the events go, in days. */
export const firstDay = 35

/** What a person does on the first day; for those who came earlier, only who they are. */
export function signUp(guide: Guide): SeedCall[] {
  const { joined: day, id, team: key } = guide
  const team = key === undefined ? undefined : teams[key]
  if (day > firstDay) {
    const traits = { plan: team?.plan ?? 'guide' }
    return [identify(guide, on(firstDay, '04:00'), traits), ...(team ? [joinTeam(guide, on(firstDay, '04:01'), team)] : [])]
  }
  const visitor = `visitor-${id.replace('.', '-')}`
  const invitedBy = team && guides.find((other) => other.team === key && other.joined > day)
  const arrival = invitedBy
    ? [track(invitedBy, on(day, '16:40'), 'Team Mate Invited', { invited: id })]
    : [
        page(visitor, on(day, '17:02'), { name: 'Trails beta', path: '/trails', referrer: 'https://forum.guides.example/offline-maps' }),
        page(visitor, on(day, '17:06'), { name: 'Prices', path: '/prices' }),
      ]
  return [
    ...arrival,
    identify(guide, on(day, '17:10'), { plan: team?.plan ?? 'guide', signedUpOn: `{{date ${day}}}` }),
    track(guide, on(day, '17:10'), 'Signed Up', {
      method: invitedBy ? 'invitation' : 'website',
      ...(invitedBy && { invitedBy: invitedBy.id }),
    }),
    ...(invitedBy ? [track(guide, on(day, '17:11'), 'Invitation Accepted', { invitedBy: invitedBy.id })] : [aliasOf(visitor, guide)]),
    ...(team ? [joinTeam(guide, on(day, '17:11'), team)] : []),
    screen(guide, on(day, '17:12'), 'Map Pack'),
    firstMap(guide),
  ]
}

const aliasOf = (visitor: string, { id, joined }: Guide): SeedCall => ({
  type: 'alias',
  at: on(joined, '17:11'),
  userId: id,
  previousId: visitor,
})

/** Who is invited has the map of the team within two minutes; who is alone chooses an area first. */
function firstMap(guide: Guide): SeedCall {
  const { joined, team: key } = guide
  if (key === undefined) return track(guide, on(joined, '17:19'), 'Map Downloaded', { pack: 'Around me', megabytes: 64, first: true })
  const { pack, megabytes } = teams[key]
  return track(guide, on(joined, '17:13'), 'Map Downloaded', { pack, megabytes, first: true })
}
