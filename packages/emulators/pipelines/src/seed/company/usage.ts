import { identify, joinTeam, on, page, screen, track } from './calls.ts'
import { type Guide, guides, teams } from './people.ts'
import type { SeedCall } from '../schema.ts'

/** First day of the events, as days before today. */
const firstDay = 35

/** Calls on a person's first day; for those who came earlier, only their identity. */
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

/** Invited people get the team's map within two minutes; people on their own choose an area first. */
function firstMap(guide: Guide): SeedCall {
  const { joined, team: key } = guide
  if (key === undefined) return track(guide, on(joined, '17:19'), 'Map Downloaded', { pack: 'Around me', megabytes: 64, first: true })
  const { pack, megabytes } = teams[key]
  return track(guide, on(joined, '17:13'), 'Map Downloaded', { pack, megabytes, first: true })
}

/** The day of the outage, in days ago. */
export const outageDay = 9

/** Calls on ordinary days: on tour, people sync before dawn and plan the next tour in the evening. */
export function dailyUse(guide: Guide): SeedCall[] {
  const index = guides.indexOf(guide)
  const { joined, left = 0 } = guide
  const days = Array.from({ length: firstDay }, (_, back) => firstDay - back).filter((day) => day < joined && day > left)
  return days.filter((day) => isTourDay(guide, day, index)).flatMap((day) => tourDay(guide, day, index))
}

/** Spreads the tours of ten days over them, differently for each person. */
const isTourDay = ({ tours }: Guide, day: number, index: number) => (day * 3 + index * 2) % 10 < tours && day !== outageDay

function tourDay(guide: Guide, day: number, index: number): SeedCall[] {
  const minute = (base: number) => String((base + index * 7 + day * 11) % 60).padStart(2, '0')
  const team = guide.team === undefined ? undefined : teams[guide.team]
  const pack = team?.pack ?? 'Around me'
  const kilometres = 6 + ((index * 5 + day * 3) % 17)
  return [
    ...(team ? [track(guide, on(day, `04:${minute(3)}`), 'Map Synced', { pack, changes: 1 + ((day + index) % 6) })] : []),
    ...((day + index) % 3 === 0 ? [screen(guide, on(day, `18:${minute(9)}`), 'Route')] : []),
    track(guide, on(day, `19:${minute(14)}`), 'Route Created', { pack, kilometres, climb: kilometres * 85 }),
    ...((day + index) % 5 === 0
      ? [track(guide, on(day, `19:${minute(20)}`), 'Map Downloaded', { pack, megabytes: team?.megabytes ?? 64 })]
      : []),
  ]
}
