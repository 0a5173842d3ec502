// Customer.io: one event or person.
import { isObject, type JsonObject } from '../../../packages/core/src/base/json.ts'
import { added, type Task } from '../task.ts'
import type { Tools } from '../tools.ts'

const events = { vendors: ['events'] } as const

/** Sends one call with strict validation. */
export const send = ({ call }: Tools, tool: string, body: object) =>
  call(tool, {
    ...{ mode: 'execute', request_body: JSON.stringify(body) },
    ...(/Batch|Page/.test(tool) ? { enable_strict_mode: 'True' } : { enable_strict_validation: 'True' }),
  })

/** Pattern for a person with these traits and this name, in one field or several. */
export const person = (name: string, traits: JsonObject) => (value: unknown) =>
  isObject(value) &&
  Object.entries(traits).every(([trait, each]) => value[trait] === each) &&
  name.split(' ').every((word) => Object.entries(value).some(([trait, text]) => /name/i.test(trait) && String(text).includes(word)))

/** Pattern for any time on the day some days ago. */
const onDay = (days: number) => (value: unknown) =>
  String(value).startsWith(new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10))

export const eventsOne: readonly Task[] = [
  {
    ...events,
    id: 'events-order',
    grade: 'easy',
    wish: 'The customer with the id ada has completed an order of 42 EUR. Record that as "Order Completed", with total and currency.',
    ends: [added('events', { type: 'track', userId: 'ada', event: 'Order Completed', properties: { total: 42, currency: 'EUR' } })],
    async solve(tools) {
      await send(tools, 'TrackUserEvent', { userId: 'ada', event: 'Order Completed', properties: { total: 42, currency: 'EUR' } })
      return 'The order is recorded.'
    },
  },
  {
    ...events,
    id: 'events-person',
    grade: 'easy',
    wish: 'Add Lena Hofer to our customers: her id is lena, her email lena@alpenpass.example, and she is on the plan "team" with 4 seats.',
    ends: [
      added('events', {
        type: 'identify',
        userId: 'lena',
        traits: person('Lena Hofer', { email: 'lena@alpenpass.example', plan: 'team', seats: 4 }),
      }),
    ],
    async solve(tools) {
      const traits = { name: 'Lena Hofer', email: 'lena@alpenpass.example', plan: 'team', seats: 4 }
      await send(tools, 'IdentifyPersonAndAssignTraits', { userId: 'lena', traits })
      return 'Lena is added.'
    },
  },
  {
    ...events,
    id: 'events-page',
    grade: 'easy',
    wish: 'Record that the customer callum has looked at the page Pricing of our website, at https://www.lodestar.example/pricing.',
    ends: [
      added('events', { type: 'page', userId: 'callum', name: 'Pricing', properties: { url: 'https://www.lodestar.example/pricing' } }),
    ],
    async solve(tools) {
      const page = { userId: 'callum', name: 'Pricing', properties: { url: 'https://www.lodestar.example/pricing' } }
      await send(tools, 'SendPageViewEvent', page)
      return 'The page view is recorded.'
    },
  },
  {
    ...events,
    id: 'events-screen',
    grade: 'easy',
    wish: 'The customer anders has opened the screen "Map packs" of our app. Record it.',
    ends: [added('events', { type: 'screen', userId: 'anders', name: 'Map packs' })],
    async solve(tools) {
      await send(tools, 'SendScreenViewEvent', { userId: 'anders', name: 'Map packs' })
      return 'The screen is recorded.'
    },
  },
  {
    ...events,
    id: 'events-group',
    grade: 'easy',
    wish: 'The customer lena belongs to the team with the id team_alpenpass, named Alpenpass Guides. Put her into it.',
    ends: [added('events', { type: 'group', userId: 'lena', groupId: 'team_alpenpass', traits: { name: 'Alpenpass Guides' } })],
    async solve(tools) {
      await send(tools, 'AddToGroup', { userId: 'lena', groupId: 'team_alpenpass', traits: { name: 'Alpenpass Guides' } })
      return 'Lena is in the team.'
    },
  },
  {
    ...events,
    id: 'events-merge',
    grade: 'middle',
    wish: 'The guest guest-17 has signed up and is the customer ada now. Merge the guest into her, so that ada remains.',
    ends: [added('events', { type: 'alias', previousId: 'guest-17', userId: 'ada' })],
    async solve(tools) {
      await send(tools, 'AliasUserIdentity', { previousId: 'guest-17', userId: 'ada' })
      return 'guest-17 is part of ada.'
    },
  },
  {
    ...events,
    id: 'events-yesterday',
    grade: 'middle',
    wish: 'Jonas (id jonas) has cancelled his trial yesterday at 15:30 UTC. Record "Trial Cancelled" for that time.',
    ends: [
      added('events', {
        type: 'track',
        userId: 'jonas',
        event: 'Trial Cancelled',
        timestamp: (time) => onDay(1)(time) && String(time).includes('T15:30'),
      }),
    ],
    async solve(tools) {
      const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
      await send(tools, 'TrackUserEvent', { userId: 'jonas', event: 'Trial Cancelled', timestamp: `${day}T15:30:00Z` })
      return 'Recorded for yesterday, 15:30 UTC.'
    },
  },
  {
    ...events,
    id: 'events-unix-time',
    grade: 'middle',
    wish: 'From a log: {"user_id": "mira", "event_name": "Pack Downloaded", "ts": 1767258000, "megabytes": 212}. Record it at its time; the time is in Unix seconds.',
    ends: [
      added('events', {
        ...{ type: 'track', userId: 'mira', event: 'Pack Downloaded', properties: { megabytes: 212 } },
        timestamp: (time) => Date.parse(String(time)) === 1_767_258_000_000,
      }),
    ],
    async solve(tools) {
      const timestamp = new Date(1_767_258_000_000).toISOString()
      await send(tools, 'TrackUserEvent', { userId: 'mira', event: 'Pack Downloaded', timestamp, properties: { megabytes: 212 } })
      return 'The download is recorded.'
    },
  },
  {
    ...events,
    id: 'events-plan-name',
    grade: 'middle',
    wish: 'Our tracking plan has these events, spelled exactly so: "Map Shared", "Map Synced", "Seat Added". Record that the customer lena has synced the map Stubai (property pack).',
    ends: [added('events', { type: 'track', userId: 'lena', event: 'Map Synced', properties: { pack: 'Stubai' } })],
    async solve(tools) {
      await send(tools, 'TrackUserEvent', { userId: 'lena', event: 'Map Synced', properties: { pack: 'Stubai' } })
      return 'Map Synced is recorded for lena.'
    },
  },
  {
    ...events,
    id: 'events-guest',
    grade: 'middle',
    wish: 'A visitor who is not signed in has used the search of our website; our cookie says c-8812. Record "Search Used" with the words "hut tour" (property query), without making up a customer.',
    ends: [
      added('events', { type: 'track', anonymousId: 'c-8812', userId: null, event: 'Search Used', properties: { query: 'hut tour' } }),
    ],
    async solve(tools) {
      await send(tools, 'TrackUserEvent', { anonymousId: 'c-8812', event: 'Search Used', properties: { query: 'hut tour' } })
      return 'The search is recorded for the guest.'
    },
  },
  {
    ...events,
    id: 'events-two-callums',
    grade: 'hard',
    wish: 'Callum has upgraded, set his plan to "team". From our customers: 1204 is Callum Fraser of Ridgeline, 1377 is Callum Reid of Cairn Walks.',
    ends: [],
    answer: [/Fraser|1204/, /Reid|1377/, /\?/],
    solve: () => Promise.resolve('Which Callum has upgraded: Callum Fraser of Ridgeline (1204), or Callum Reid of Cairn Walks (1377)?'),
  },
  {
    ...events,
    id: 'events-no-person',
    grade: 'hard',
    wish: 'Record "Refund Paid" over 25 EUR. I do not know whose it was.',
    ends: [],
    answer: [
      /\b(?:whose|who|which|customer|person|user|id)\b[^.!?]*\?|\bnothing\b|\bnot (?:yet )?(?:been )?(?:sent|recorded)\b|n['’]t (?:yet )?(?:been )?(?:sent|recorded)/i,
      /\b(?:whose|who|customer|person|user)\b/i,
    ],
    solve: () => Promise.resolve('An event needs a customer, or at least an anonymous id. Whose refund was it? I have recorded nothing.'),
  },
  {
    ...events,
    id: 'events-lost-answer',
    grade: 'hard',
    wish: 'The customer ada has paid invoice 2026-118 over 290 EUR. Record it as "Invoice Paid" with number and total, once; the connection is bad today.',
    // Customer.io accepts the event, and the answer is lost.
    prepare: {
      events: ({ faults }) => {
        faults.add({ match: { method: 'POST' }, times: 1, action: { kind: 'drop_after' } })
      },
    },
    ends: [added('events', { type: 'track', userId: 'ada', event: 'Invoice Paid', properties: { number: '2026-118', total: 290 } })],
    async solve(tools) {
      await send(tools, 'TrackUserEvent', { userId: 'ada', event: 'Invoice Paid', properties: { number: '2026-118', total: 290 } })
      return 'The invoice is recorded once.'
    },
  },
]
