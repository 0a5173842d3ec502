import type { DriveSeedData, SeedSharedItem } from '../schema.ts'
import { launch } from './launch.ts'
import { address, groups, people } from './people.ts'
import { press } from './press.ts'
import { finance, reliability } from './reliability.ts'
import { research } from './research.ts'
import { robinsFiles } from './robin.ts'

const sharedWithRobin: SeedSharedItem[] = [
  {
    name: 'Onboarding guide.md',
    owner: address.adaOkafor,
    role: 'writer',
    createdAt: 380,
    modifiedAt: 30,
    modifiedBy: address.yara,
    sharedWith: [{ with: 'domain', role: 'reader' }],
    text: `# Your first two weeks in engineering

**Day 1.** Laptop, accounts, lunch with Robin. Install the app on your own phone and plan a walk.

**Day 2.** Take the walk, without signal. Write down everything that confused you. This list is worth more than any document here, and you can only write it once.

**Days 3 to 5.** Fix one thing from your list, with whoever knows that corner. Ship it.

**Second week.** Read the last three reviews of incidents. Sit with Ada Okonkwo for a morning of tickets. Choose an issue without "Launch blocker".

## Who knows what

| Corner | Ask |
| --- | --- |
| Sync, packs, events | Ada Okafor |
| Tiles, renderer, downloads | Mikael |
| Apps and stores | Yara |
| Accounts, billing | Sam |
| Anything at night | whoever is on call |

*Yara: added the walk. It was the best day of my first week.*
`,
  },
  {
    name: 'Illustrations',
    owner: address.grace,
    role: 'commenter',
    createdAt: 18,
    items: [
      { name: 'The hut in the evening.png', createdAt: 1.5, picture: 'Hut' },
      {
        name: 'Read me.txt',
        createdAt: 17,
        text: 'Final: ridge, rope, valley, snow, hut. Missing: two phones, one route. Colours follow the brand guidelines; please do not crop the ridge.\n',
      },
    ],
  },
  {
    name: 'Brand guidelines.pdf',
    owner: address.priya,
    role: 'reader',
    createdAt: 160,
    pdf: 'Lodestar brand guidelines\n\nThe star always has six points. Night blue 1c2b4a, snow f5f7fa, signal orange e8702a.\n\nWe write as we speak: short sentences, no exclamation marks, no promises about safety.',
  },
  {
    name: 'Travel policy.pdf',
    owner: address.ines,
    role: 'reader',
    createdAt: 320,
    pdf: 'Travel policy\n\nTake the train where it takes less than nine hours. Hotels up to 130 EUR a night. Keep receipts; hand them in within 30 days.',
  },
]

/** The files of Robin Vance at Lodestar, which launches Trails in three weeks. */
export const company: DriveSeedData = {
  people,
  groups,
  myDrive: robinsFiles,
  sharedWithMe: sharedWithRobin,
  sharedDrives: [
    {
      name: 'Trails launch',
      createdAt: 120,
      members: [
        { with: address.robin, role: 'organizer' },
        { with: address.noah, role: 'organizer' },
        { with: address.adaOkafor, role: 'fileOrganizer' },
        { with: address.priya, role: 'fileOrganizer' },
        { with: address.hana, role: 'writer' },
        { with: address.ines, role: 'writer' },
        { with: address.tomas, role: 'writer' },
        { with: address.adaOkonkwo, role: 'writer' },
        { with: address.engineers, role: 'reader' },
      ],
      items: [
        ...launch,
        { name: 'Research', createdAt: 30, items: research },
        { name: 'Reliability', createdAt: 8.3, items: reliability },
        { name: 'Finance', createdAt: 50, items: finance },
        { name: 'Press', createdAt: 60, items: press },
      ],
    },
  ],
}
