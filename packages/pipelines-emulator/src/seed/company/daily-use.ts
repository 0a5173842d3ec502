import type { SeedCall } from '../schema.ts'
import { on, screen, track } from './calls.ts'
import { type Guide, guides, teams } from './people.ts'
import { firstDay } from './sign-ups.ts'

/** The day of the outage, in days ago. */
export const outageDay = 9

/** What a person does on ordinary days: on tour they sync before dawn, and plan the next one in the evening. */
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
