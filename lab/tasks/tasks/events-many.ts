// Customer.io: many events.
import { added, type Task } from '../task.ts'
import { rows } from '../tools.ts'
import { person, send } from './events-one.ts'
import { never } from './texts.ts'

const events = { vendors: ['events'] } as const
const track = (userId: string, event: string, properties: Record<string, string | number>) => ({ type: 'track', userId, event, properties })

const purchases = [
  track('ada', 'Pack Bought', { price: 9 }),
  track('lena', 'Pack Bought', { price: 29 }),
  track('jonas', 'Pack Bought', { price: 9 }),
]
const seats = Array.from({ length: 60 }, (_, index) => ({ person: `guide-${index + 1}`, seats: (index % 7) + 1 }))
const seatFile = ['id,seats', ...seats.map(({ person, seats: count }) => `${person},${count}`)].join('\n')

export const eventsMany: readonly Task[] = [
  {
    ...events,
    id: 'events-three',
    grade: 'easy',
    wish: 'Record "Pack Bought" for three customers, with the price: ada 9, lena 29, jonas 9.',
    ends: purchases.map((each) => added('events', each)),
    async solve(tools) {
      await send(tools, 'SendBatchRequests', { batch: purchases })
      return 'Three purchases are recorded.'
    },
  },
  {
    ...events,
    id: 'events-new-team',
    grade: 'middle',
    wish: 'New customers: Lena Hofer (id lena, lena@alpenpass.example) and Jonas Egger (id jonas, jonas@alpenpass.example). Add both, and put them into the team team_alpenpass.',
    ends: ['Lena Hofer', 'Jonas Egger'].flatMap((name) => {
      const userId = name.toLowerCase().replace(/ .*/, '')
      return [
        added('events', { type: 'identify', userId, traits: person(name, { email: `${userId}@alpenpass.example` }) }),
        added('events', { type: 'group', userId, groupId: 'team_alpenpass' }),
      ]
    }),
    async solve(tools) {
      const people = [
        { userId: 'lena', traits: { name: 'Lena Hofer', email: 'lena@alpenpass.example' } },
        { userId: 'jonas', traits: { name: 'Jonas Egger', email: 'jonas@alpenpass.example' } },
      ]
      const batch = people.flatMap((person) => [
        { type: 'identify', ...person },
        { type: 'group', userId: person.userId, groupId: 'team_alpenpass' },
      ])
      await send(tools, 'SendBatchRequests', { batch })
      return 'Both are customers and in the team.'
    },
  },
  {
    ...events,
    id: 'events-import',
    grade: 'middle',
    wish: `Set the number of seats of each of these customers (trait seats, a number):\n${seatFile}`,
    ends: seats.map(({ person, seats: count }) => added('events', { type: 'identify', userId: person, traits: { seats: count } })),
    async solve({ call }) {
      const { rows: counts } = await call('SendEventsFromFile', {
        text: seatFile,
        call: 'identify',
        mapping: { userId: 'id', 'traits.seats': 'seats:number' },
      })
      return `Done: ${JSON.stringify(counts)}`
    },
  },
  {
    ...events,
    id: 'events-bad-rows',
    grade: 'hard',
    wish: 'Record these orders as "Order Completed" with the property total, at their times, and tell me which lines you left out because the customer is missing:\n1: ada, 2026-01-31T12:00:00Z, 42\n2: -, 2026-01-31T12:00:00Z, 7\n3: lena, 2026-02-01T09:00:00Z, 12.5',
    ends: [
      added('events', { ...track('ada', 'Order Completed', { total: 42 }), timestamp: /^2026-01-31T12:00/ }),
      added('events', { ...track('lena', 'Order Completed', { total: 12.5 }), timestamp: /^2026-02-01T09:00/ }),
    ],
    answer: [/\b(?:line|row|entry|number|no\.)s?:? #?2\b|\b(?:second|2nd) (?:line|row|entry|order|one)\b|\b2: -/i],
    async solve(tools) {
      const orders = [
        { ...track('ada', 'Order Completed', { total: 42 }), timestamp: '2026-01-31T12:00:00Z' },
        { ...track('lena', 'Order Completed', { total: 12.5 }), timestamp: '2026-02-01T09:00:00Z' },
      ]
      await send(tools, 'SendBatchRequests', { batch: orders })
      return 'I have left out line 2, which has no customer.'
    },
  },
  {
    ...events,
    id: 'events-german-dates',
    grade: 'hard',
    wish: 'From a German spreadsheet, day first and with decimal commas. Record each as "Tour Booked" with the property price (a number), at noon UTC of its day:\nlena;03.02.2026;129,50\njonas;11.02.2026;89,00',
    ends: [
      added('events', { ...track('lena', 'Tour Booked', { price: 129.5 }), timestamp: /^2026-02-03T12:00/ }),
      added('events', { ...track('jonas', 'Tour Booked', { price: 89 }), timestamp: /^2026-02-11T12:00/ }),
    ],
    async solve(tools) {
      const batch = [
        { ...track('lena', 'Tour Booked', { price: 129.5 }), timestamp: '2026-02-03T12:00:00Z' },
        { ...track('jonas', 'Tour Booked', { price: 89 }), timestamp: '2026-02-11T12:00:00Z' },
      ]
      await send(tools, 'SendBatchRequests', { batch })
      return 'Both tours are recorded.'
    },
  },
  {
    ...events,
    id: 'events-twice-in-list',
    grade: 'hard',
    wish: 'Record these payments as "Invoice Paid" with the properties number and total. Our export repeats some lines; each invoice counts once.\nada 2026-118 290\nlena 2026-119 37\nada 2026-118 290\njonas 2026-120 9\nlena 2026-119 37',
    ends: [
      added('events', track('ada', 'Invoice Paid', { number: '2026-118', total: 290 })),
      added('events', track('lena', 'Invoice Paid', { number: '2026-119', total: 37 })),
      added('events', track('jonas', 'Invoice Paid', { number: '2026-120', total: 9 })),
    ],
    async solve(tools) {
      const batch = [
        track('ada', 'Invoice Paid', { number: '2026-118', total: 290 }),
        track('lena', 'Invoice Paid', { number: '2026-119', total: 37 }),
        track('jonas', 'Invoice Paid', { number: '2026-120', total: 9 }),
      ]
      await send(tools, 'SendBatchRequests', { batch })
      return 'Three invoices are recorded, each once.'
    },
  },
  {
    ...events,
    id: 'events-only-check',
    grade: 'middle',
    wish: 'Before I import this file for good: would any line be refused, and whose? Send nothing yet.\ncustomer,event,when\nada,Map Shared,2026-01-31T12:00:00Z\nlena,,2026-01-31T12:00:00Z\njonas,Map Synced,yesterday',
    ends: [],
    answer: [
      ...[/\blena\b/i, /\bjonas\b/i, /\b(?:would|will|is|are) (?:both )?(?:be )?refused|refuses|reject|fail|valid|error|problem|missing/i],
      never(/\b(?:none|no (?:line|row|event)s?|nothing|neither)\b[^.;\n]*\b(?:refused|rejected|fail)/i),
      never(/\b(?:all|every|each|three|3)(?: of)?(?: the| them)?(?: three| 3)?(?: lines?| rows?| events?)? (?:would|will|are|is)\b/i),
      never(/\b(?:lena|jonas)\b(?:(?!\bada\b)[^.;:\n])*\b(?:not be (?:refused|rejected)|(?:is|are) (?:fine|valid|ok))\b/i),
    ],
    async solve({ call }) {
      const text = 'customer,event,when\nada,Map Shared,2026-01-31T12:00:00Z\nlena,,2026-01-31T12:00:00Z\njonas,Map Synced,yesterday'
      const mapping = { userId: 'customer', event: 'event', timestamp: 'when' }
      const { refused } = await call('SendEventsFromFile', { text, call: 'track', mapping, dry_run: true })
      const lines = rows(refused).map((each) => text.split('\n')[Number(each['rows']) - 1])
      return `These would be refused, and I have sent nothing: ${lines.join('; ')}`
    },
  },
]
