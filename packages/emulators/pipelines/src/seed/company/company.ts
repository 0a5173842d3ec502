import { identify, on, page, track } from './calls.ts'
import { type Guide, guides, teams } from './people.ts'
import { dailyUse, outageDay, signUp } from './usage.ts'
import type { SeedCall } from '../schema.ts'

/** Five weeks of 25 guides: sign-ups, tours, the sync outage of nine days ago, tickets, upgrades and two teams' ends. */
export function companyCalls(): SeedCall[] {
  return [...guides.flatMap((guide) => [...signUp(guide), ...dailyUse(guide)]), ...storyEvents()]
}

/** The person with an id. */
function guideCalled(id: string): Guide {
  const found = guides.find((guide) => guide.id === id)
  if (!found) throw new Error(`No one is called ${id}.`)
  return found
}

/** Person, day and subject of each ticket, by number. The issues of the company name the same ones. */
const tickets: readonly (readonly [number: number, id: string, day: number, subject: string])[] = [
  [2074, 'hugo.perrin', 33, 'GPX files with several tracks'],
  [2099, 'agata.wrona', 22, 'Colours of steep slopes'],
  [2113, 'ingrid.solberg', 13, 'Battery empty in the morning'],
  [2117, 'anders.lie', 12, 'Heights around Lyngen are wrong'],
  [2120, 'dana.whitfield', 10, 'Locked out on the morning of a tour'],
  [2127, 'yui.mori', 4, 'Sign-in email comes an hour late'],
  [2131, 'lena.hofer', 3.2, 'Charged more than the screen said'],
  [2129, 'anders.lie', 2.3, 'Invoice in Norwegian kroner'],
  [2135, 'elise.moreau', 1.1, 'Guests see a grey map'],
  [2138, 'callum.fraser', 0.6, 'A bridge that is gone'],
]

/** The two versions of a route that two guides made offline: who noticed, and when. Five of eleven at Alpenpass, who plan in pairs. */
const conflicts: readonly (readonly [id: string, day: number])[] = [
  ['lena.hofer', 34],
  ['hugo.perrin', 32],
  ['jonas.pichler', 30],
  ['isla.munro', 27],
  ['lena.hofer', 25],
  ['marta.ibanez', 23],
  ['jonas.pichler', 21],
  ['piotr.zajac', 20],
  ['ingrid.solberg', 18],
  ['felix.gruber', 17],
  ['elise.moreau', 15],
]

/** Everything that happens once. */
function storyEvents(): SeedCall[] {
  return [
    ...outage(),
    ...tickets.map(([ticket, id, day, subject]) => track(guideCalled(id), day, 'Support Ticket Opened', { ticket, subject })),
    track(guideCalled('ingrid.solberg'), on(outageDay, '09:33'), 'Support Ticket Opened', {
      ticket: 2124,
      subject: 'Can we trust the map?',
    }),
    ...conflicts.map(([id, day]) => track(guideCalled(id), on(day, '18:31'), 'Route Conflict Found', { kept: 'last' })),
    ...sales(),
    ...interest(),
  ]
}

/** Sync fails from 09:12 to 11:52 UTC for everyone who is in a team; before ENG-10, apps try again at once. */
function outage(): SeedCall[] {
  const members = guides.filter(({ team, joined, left = 0 }) => team !== undefined && joined > outageDay && left < outageDay)
  return members.flatMap((guide, index) => {
    const pack = guide.team === undefined ? '' : teams[guide.team].pack
    const failures = Array.from({ length: 2 + (index % 4) }, (_, attempt) => {
      const minutes = 12 + index * 3 + attempt * 27
      const clock = `${String(9 + Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
      return track(guide, on(outageDay, clock), 'Map Sync Failed', { pack, error: 'service_unavailable', attempt: attempt + 1 })
    })
    return [...failures, track(guide, on(outageDay, `12:${String(2 + index * 2).padStart(2, '0')}`), 'Map Synced', { pack, changes: 4 })]
  })
}

/** Subscriptions: new customers, and those that leave. */
function sales(): SeedCall[] {
  const [lena, dana, marcus, owen] = ['lena.hofer', 'dana.whitfield', 'marcus.bell', 'owen.price'].map(guideCalled)
  const [sofia, piotr, marta] = ['sofia.rossi', 'piotr.zajac', 'marta.ibanez'].map(guideCalled)
  if (!lena || !dana || !marcus || !owen || !sofia || !piotr || !marta) return []
  const team = { plan: 'team', price: 29, currency: 'EUR' }
  return [
    track(piotr, on(28, '19:40'), 'Upgraded', { ...team, price: 25, members: 3 }),
    track(marta, on(20, '20:15'), 'Upgraded', { ...team, price: 25, members: 4 }),
    track(sofia, on(13, '18:50'), 'Upgraded', { plan: 'guide', price: 9, currency: 'EUR' }),
    identify(sofia, on(13, '18:51'), { plan: 'guide' }),
    track(lena, 3.3, 'Upgraded', { ...team, members: 4, shownPrice: 25 }),
    track(dana, on(10, '00:00'), 'Trial Ended', { plan: 'trial', days: 30 }),
    track(dana, 10.0, 'Map Pack Locked', { pack: 'Tetons', reason: 'trial ended' }),
    track(dana, 9.98, 'Subscription Cancelled', { reason: 'Locked out on the morning of a tour', wouldReturn: true }),
    track(marcus, 9.95, 'Subscription Cancelled', { reason: 'Team has left' }),
    track(owen, on(15, '21:10'), 'Account Deleted', { reason: 'Only wanted to look' }),
    track(guideCalled('haruki.tanaka'), on(13, '10:00'), 'Trial Started', { plan: 'trial', days: 30 }),
    track(guideCalled('jakub.novak'), on(1, '06:30'), 'Trial Started', { plan: 'trial', days: 30 }),
  ]
}

/** Visitors of the website who have not signed up. */
function interest(): SeedCall[] {
  return Array.from({ length: 30 }, (_, index) => {
    const day = 30 - index
    const visitor = `visitor-${String(100 + index)}`
    const trails = {
      name: 'Trails beta',
      path: '/trails',
      ...(index % 3 === 0 && { referrer: 'https://news.outdoor.example/offline-maps' }),
    }
    return [
      page(visitor, on(Math.max(day, 1), `1${index % 10}:21`), trails),
      ...(index % 2 === 0 ? [page(visitor, on(Math.max(day, 1), `1${index % 10}:24`), { name: 'Prices', path: '/prices' })] : []),
    ]
  }).flat()
}
