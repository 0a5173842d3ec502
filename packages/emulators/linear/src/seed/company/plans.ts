import type { SeedCycle, SeedInitiative, SeedProject } from '../schema.ts'

/** Two weeks each; the third is the current one. */
const cyclesOf = (team: string, first: number): SeedCycle[] =>
  ['', '', 'Launch polish', ''].map((name, index) => ({
    team,
    number: first + index,
    ...(name !== '' && { name, description: 'Nothing new. What blocks the launch, and what guides trip over.' }),
    startsAt: 34 - index * 14,
    endsAt: 20 - index * 14,
  }))

export const cycles: SeedCycle[] = [...cyclesOf('ENG', 21), ...cyclesOf('OPS', 14)]

export const projects: SeedProject[] = [
  {
    name: 'Trails launch',
    description: 'Offline maps that a whole team shares, for everybody, on {{day -21}}.',
    content: `# Trails

Mountain guides plan a tour in the valley and need it where there is no signal. Today each guide downloads maps alone, and nobody knows who has which version. With **Trails** a team shares *map packs*: one person prepares an area, everyone has the same map and the same routes, and changes travel as soon as one phone has signal.

## What has to be true on the day

1. A guide who is invited has the team's map on the phone in two minutes.
2. No route is ever lost, whoever edited it, in whatever order phones come back online.
3. A night of updates costs less than five percent of a battery.
4. Sync holds with 5,000 teams. We have 340 today.

## What is not part of it

Search in offline maps (ENG-12), routes from GPX files with several tracks (ENG-24), a second region (OPS-7). All three were asked for; none is worth the date. The reasons are in *Decisions/Scope of the launch.md* on the shared drive.

## Order

Private beta with 12 teams, public beta with everyone who asks, then the stores, then 5, 25 and 100 percent of accounts within three days.`,
    status: 'In Progress',
    teams: ['ENG', 'OPS', 'DES'],
    lead: 'Noah Weiss',
    members: ['Robin Vance', 'Ada Okafor', 'Mikael Lindström', 'Yara Costa', 'Sam Idowu', 'Tomás Herrera', 'Priya Nair'],
    creator: 'Noah Weiss',
    priority: 'urgent',
    startDate: 120,
    targetDate: -21,
    createdAt: 125,
    startedAt: 120,
    milestones: [
      { name: 'Private beta', description: 'Twelve teams use it for real tours.', targetDate: 45 },
      { name: 'Public beta', description: 'Everyone who asks gets it.', targetDate: 15 },
      { name: 'Launch', description: 'In both stores, announced, open to every account.', targetDate: -21 },
    ],
    updates: [
      {
        by: 'Noah Weiss',
        at: 44,
        health: 'onTrack',
        body: 'The private beta is open. Twelve teams said yes, nine have already shared a pack. Alpenpass Guides took it on a tour the day after.',
      },
      {
        by: 'Noah Weiss',
        at: 16,
        health: 'onTrack',
        body: 'The public beta is open, on the planned day. Half of the new teams share a first map within the hour. We cut search in offline maps from the launch (ENG-12); Robin and I disagreed, and the date decided.',
      },
      {
        by: 'Noah Weiss',
        at: 8,
        health: 'atRisk',
        body: 'Yesterday sync failed for 2 hours and 40 minutes (OPS-1). No data was lost, but two beta teams were on a glacier at the time. I set this to *at risk* until the load test (OPS-6) says that it cannot happen with launch traffic.',
      },
      {
        by: 'Noah Weiss',
        at: 1.4,
        health: 'atRisk',
        body: 'Done: 15 of 30 issues. The private beta is complete, of the public beta nothing is open.\n\nSix issues block the launch: the battery (ENG-7), two versions of a route (ENG-9), the crash while a pack is verified (ENG-19), the answers for the stores (ENG-21), the screenshots (DES-7) and the load test (OPS-6). All are in progress or in review. The stores need a week, so ENG-20 has to be submitted by {{day -7}}; that is the real deadline.',
      },
    ],
  },
  {
    name: 'Sync reliability',
    description: 'What we promised in the review of the outage: notice it, survive it, say so.',
    content: `On {{day 9}} a migration locked the table of map packs. Phones that could not sync tried again at once, and kept the service down long after the migration was stopped. The review (*Reliability/Sync outage review.md*) ends with six actions. This project is those six, the incident and its review, and one question for design.

It is done when a failed migration costs minutes and not hours, and when we know before our customers do.`,
    status: 'In Progress',
    teams: ['OPS', 'ENG', 'DES'],
    lead: 'Tomás Herrera',
    members: ['Tomás Herrera', 'Ada Okafor', 'Ada Okonkwo', 'Sam Idowu'],
    creator: 'Tomás Herrera',
    priority: 'high',
    startDate: 8,
    targetDate: -12,
    createdAt: 8,
    startedAt: 8,
    milestones: [
      { name: 'Cannot happen again', description: 'Backoff and short locks.', targetDate: 2 },
      { name: 'We notice first', description: 'Alert, status page, age of maps.', targetDate: -12 },
    ],
    updates: [
      {
        by: 'Tomás Herrera',
        at: 7,
        health: 'onTrack',
        body: 'The review is published, and everyone who was on the call agrees with the timeline. Actions are issues here, with owners.',
      },
      {
        by: 'Tomás Herrera',
        at: 2,
        health: 'onTrack',
        body: 'Done: 4 of 9 issues. Backoff (ENG-10) and short locks (OPS-4) are live, so the same mistake would now cost about four minutes; I tried it on staging. The alert (OPS-3) fires too often and is being tuned.',
      },
    ],
  },
  {
    name: 'Website and brand for Trails',
    description: 'Landing page, price table, pictures and the press kit.',
    content:
      'One page that a guide understands in the time it takes to drink a coffee. Words first, pictures second. Copy is decided in *Press/Press release draft.md*, so that page and press release never say different things.',
    status: 'In Progress',
    teams: ['DES', 'ENG'],
    lead: 'Priya Nair',
    members: ['Priya Nair', 'Grace Kim', 'Hana Sato'],
    creator: 'Hana Sato',
    priority: 'medium',
    startDate: 40,
    targetDate: -16,
    createdAt: 42,
    startedAt: 40,
    milestones: [{ name: 'Page is public', targetDate: -16 }],
    updates: [
      {
        by: 'Priya Nair',
        at: 15,
        health: 'onTrack',
        body: 'Structure and copy of the page are agreed. We dropped the film (DES-11): it would have taken a third of the budget.',
      },
      {
        by: 'Priya Nair',
        at: 3,
        health: 'onTrack',
        body: 'Done: 2 of 7 issues. The page is in review and waits for the last two illustrations; the price table waits for Sam to confirm what a sixth member costs (ENG-13).',
      },
    ],
  },
]

export const initiatives: SeedInitiative[] = [
  {
    name: 'Launch Trails',
    description: 'Become the app that guides open together, not alone.',
    content:
      'Teams stay longer than single guides: of the teams in the private beta ten of twelve still use Lodestar every week. Trails is how a guide brings the team. Success after a quarter: 800 teams, 250 of them paying.',
    status: 'Active',
    owner: 'Robin Vance',
    projects: ['Trails launch', 'Website and brand for Trails'],
    targetDate: -21,
    createdAt: 130,
    updatedAt: 1.4,
  },
  {
    name: 'Earn trust in the field',
    description: 'People stake their safety on our maps. Be worth it.',
    content: 'Started after the outage. First the sync (Sync reliability), then a second region and maps that say how old they are.',
    status: 'Active',
    owner: 'Tomás Herrera',
    projects: ['Sync reliability'],
    targetDate: -90,
    createdAt: 8,
    updatedAt: 2,
  },
]
