import type { SeedCall } from '../schema.ts'
import { emailOf, type Guide, type Team, teams } from './people.ts'

/** A time of day this many days ago, in UTC. */
export const on = (day: number, clock: string): string => `{{date ${day}}}T${clock}:00Z`

type Time = SeedCall['at']

const appVersion = (day: number) => (day > 22 ? '7.3.1' : day > 8 ? '7.4.0' : '7.4.2')

const contextOf = ({ phone, team }: Guide, day: number) => ({
  app: { name: 'Lodestar', version: appVersion(day) },
  os: { name: phone, version: phone === 'iOS' ? '26.1' : '16' },
  ...(team !== undefined && { locale: `en-${teams[team].country}` }),
})

/** The day of a time that `on` has made, or of a number of days. */
const dayOf = (at: Time) => (typeof at === 'number' ? at : Number(/-?\d+/.exec(at)?.[0] ?? 0))

/** An event of an app. Events of teams name their team since ENG-27 was fixed, 16 days ago. */
export function track(guide: Guide, at: Time, event: string, properties: Readonly<Record<string, unknown>> = {}): SeedCall {
  const team = guide.team !== undefined && dayOf(at) <= 16 ? { team: teams[guide.team].id } : {}
  return { type: 'track', at, userId: guide.id, event, properties: { ...team, ...properties }, context: contextOf(guide, dayOf(at)) }
}

export const screen = (guide: Guide, at: Time, name: string): SeedCall => ({
  type: 'screen',
  at,
  userId: guide.id,
  name,
  context: contextOf(guide, dayOf(at)),
})

export function identify(guide: Guide, at: Time, traits: Readonly<Record<string, unknown>> = {}): SeedCall {
  const company = guide.team === undefined ? {} : { company: teams[guide.team].name }
  return { type: 'identify', at, userId: guide.id, traits: { name: guide.name, email: emailOf(guide), ...company, ...traits } }
}

export const joinTeam = (guide: Guide, at: Time, { id, name, country, plan }: Team): SeedCall => ({
  type: 'group',
  at,
  userId: guide.id,
  groupId: id,
  traits: { name, country, plan },
})

/** A view of the website, by a visitor who may not have signed up yet. */
export const page = (
  anonymousId: string,
  at: Time,
  { name, path, referrer }: { name: string; path: string; referrer?: string },
): SeedCall => ({
  type: 'page',
  at,
  anonymousId,
  name,
  properties: { title: name, path, url: `https://www.lodestar.example${path}`, ...(referrer !== undefined && { referrer }) },
})
