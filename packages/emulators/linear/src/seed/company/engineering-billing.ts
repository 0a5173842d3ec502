import type { SeedIssue } from '../schema.ts'
import { file, ticket } from './attachments.ts'

const launch = { project: 'Trails launch' } as const

/** Prices, plans and trials of the launch. */
export const billingWork: SeedIssue[] = [
  {
    ...launch,
    id: 'ENG-13',
    title: 'Charge teams from the sixth member on',
    description:
      'From the pricing decision: a team costs 29 € a month with five members, and 4 € for each further one. Joining in the middle of a month is free until the next invoice.',
    state: 'In Progress',
    labels: ['Feature', 'Billing'],
    milestone: 'Launch',
    cycle: 23,
    assignee: 'Sam Idowu',
    creator: 'Noah Weiss',
    priority: 'high',
    estimate: 5,
    due: -8,
    createdAt: 18,
    startedAt: 6,
    relatedTo: ['DES-12'],
    attachments: [file('Decisions/Pricing.md', 'Noah Weiss', 18)],
    comments: [
      { by: 'Sam Idowu', at: 5.5, body: 'What about guests for one tour? Alpenpass has 4 guides and up to 12 aspirants in summer.' },
      { by: 'Noah Weiss', at: 5.2, body: 'Guests see the pack for 14 days and do not count. It is in the decision, under *Guests*.' },
      {
        by: 'Ines Carvalho',
        at: 4.9,
        body: 'Fine for the forecast as long as a guest cannot be renewed without end. Please make a second invitation within 30 days count as a member.',
      },
      { by: 'Sam Idowu', at: 1, body: 'Both are in. What is missing: the line on the invoice, and ENG-16.' },
    ],
  },
  {
    ...launch,
    id: 'ENG-14',
    title: 'Free plan for mountain rescue',
    description: 'Rescue teams pay nothing, without a limit on members. Somebody at our side confirms that they are one.',
    state: 'Todo',
    labels: ['Feature', 'Billing'],
    milestone: 'Launch',
    cycle: 23,
    assignee: 'Sam Idowu',
    creator: 'Noah Weiss',
    priority: 'medium',
    estimate: 3,
    createdAt: 18,
    parent: 'ENG-13',
    comments: [
      {
        by: 'Ada Okonkwo',
        at: 16,
        body: 'Fjellvakt (Ingrid Solberg) is the first. I can confirm teams by hand: there will be a dozen in the first month.',
      },
      { by: 'Sam Idowu', at: 15.5, body: 'Then a switch in the admin page is enough for the launch. Smaller than I feared.' },
    ],
  },
  {
    ...launch,
    id: 'ENG-16',
    title: 'The upgrade screen names the old price',
    description: 'It says 25 € for a team. Seen by Alpenpass Guides while they upgraded; they were charged 29 € and were not amused.',
    state: 'Todo',
    labels: ['Bug', 'S2', 'Billing', 'Customer request'],
    milestone: 'Launch',
    cycle: 23,
    assignee: 'Sam Idowu',
    creator: 'Ada Okonkwo',
    priority: 'high',
    estimate: 1,
    due: -2,
    createdAt: 3.2,
    parent: 'ENG-13',
    attachments: [ticket(2131, 'Alpenpass Guides, Lena Hofer', 3.2)],
    comments: [
      {
        by: 'Robin Vance',
        at: 3,
        body: 'We refund the difference and write to Lena today. @Ada Okonkwo please tell me when it is sent.',
        replies: [{ by: 'Ada Okonkwo', at: 2.8, body: 'Sent, with an apology and the 4 €.' }],
      },
    ],
  },
  {
    ...launch,
    id: 'ENG-17',
    title: 'A trial ends without a warning',
    description:
      'Stone & Sky lost access to their packs on the morning of a tour, and cancelled that day. They would have paid. Warn seven days and one day before, and never lock a pack that is on the phone already.',
    state: 'Todo',
    labels: ['Bug', 'S2', 'Billing', 'Customer request'],
    milestone: 'Launch',
    cycle: 23,
    assignee: 'Sam Idowu',
    creator: 'Noah Weiss',
    priority: 'high',
    estimate: 3,
    due: -9,
    createdAt: 10,
    attachments: [ticket(2120, 'Stone & Sky, Dana Whitfield', 10), file('Research/Interview Stone & Sky.md', 'Noah Weiss', 9.5)],
    comments: [
      {
        by: 'Ada Okafor',
        at: 9.6,
        body: 'The second half is the important one. A map that stops working in the field because of a credit card is a safety problem, not a billing problem.',
      },
      {
        by: 'Noah Weiss',
        at: 9.4,
        body: 'Agreed. Packs stay readable, only updates and sharing stop. If time gets short we ship that half first.',
      },
    ],
  },
]
