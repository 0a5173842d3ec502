import type { SeedItem } from '../schema.ts'
import { address } from './people.ts'

/** The own files of the engineering manager. */
export const robinsFiles: SeedItem[] = [
  {
    name: 'To do.md',
    createdAt: 200,
    modifiedAt: 0.4,
    starred: true,
    text: `# To do

- [ ] One sentence about 30 days for ENG-21, then it is done
- [ ] Decide with Noah whether OPS-12 (grey map at Cordée Sud) blocks the launch
- [ ] Drawing of the sync service for new people (ENG-35). Yara asked twice
- [ ] Thank Tomás properly for the week of the outage
- [ ] Talk at the all-hands: five minutes, no slides
- [x] Refund for Alpenpass
- [x] Read the review aloud in the team
`,
  },
  {
    name: 'One-to-ones',
    createdAt: 300,
    items: [
      {
        name: 'Ada Okafor.md',
        createdAt: 290,
        modifiedAt: 5,
        text: `# Ada Okafor

**{{day 5}}** Tired. Took back a technical opinion in public (merging routes) and found it easy, which she would not have two years ago. Wants to stop answering beta teams at night; Ada Okonkwo takes over. After the launch: two weeks without meetings for the design of search.

**{{day 19}}** Strong on free offline maps. Told her that I will support her, and that she should let Ines finish her sentences.

**{{day 33}}** Asks who would review her code if she wrote less of it. Good question. Sam is ready for more.
`,
      },
      {
        name: 'Mikael Lindström.md',
        createdAt: 280,
        modifiedAt: 6,
        text: `# Mikael

**{{day 6}}** Unhappy that the renderer (ENG-30) waits. Understands why. Asked for a fixed week after the launch; he has it, in writing.

**{{day 20}}** The battery bothers him personally. Would like a drawer of old phones. (Yes. Budget: test phones.)
`,
      },
      {
        name: 'Yara Costa.md',
        createdAt: 150,
        modifiedAt: 4,
        text: `# Yara

**{{day 4}}** Five months in. Submits to the stores for the first time and is calm about it. Wishes: a drawing of sync (mine to do!), and to be asked earlier when dates are set.

**{{day 32}}** Onboarding took a week longer than it had to. See *Onboarding guide.md* of Ada, which she has improved since.
`,
      },
    ],
  },
  {
    name: 'Team',
    createdAt: 400,
    sharedWith: [{ with: address.engineers, role: 'reader' }],
    items: [
      {
        name: 'Working agreement.md',
        createdAt: 390,
        modifiedAt: 70,
        text: `# How we work

1. Who is on call decides in the night, and explains in the morning.
2. A decision is a page with a date, the reasons, and what we did not choose.
3. Reviews within a day. If you cannot, say so within an hour.
4. We do not work on weekends. If you have to, take the Monday.
5. Disagree in the issue, not in the corridor.
`,
      },
      {
        name: 'Holidays.csv',
        createdAt: 120,
        modifiedAt: 9,
        text: `person,from,to,note
Sam Idowu,{{date -26}},{{date -33}},after the launch
Priya Nair,{{date -30}},{{date -44}},
Mikael Lindström,{{date -45}},{{date -52}},after the renderer
Tomás Herrera,{{date -25}},{{date -29}},days back for the outage
`,
      },
      {
        name: 'Whiteboard after the outage.png',
        createdAt: 8.5,
        picture: 'Whiteboard',
      },
    ],
  },
  {
    name: 'Hiring',
    createdAt: 180,
    items: [
      {
        name: 'Mobile engineer.md',
        createdAt: 175,
        modifiedAt: 21,
        text: `# We look for a second mobile engineer

You build what guides hold in their gloves. Our apps are used at minus twenty degrees, in full sun and without signal, and they must not need explaining there.

**You will** work with Yara on download, sync and the map screen; test on old phones; speak to guides once a month.

**You have** shipped an app that works offline, and can tell us about a bug that took you a week.

**Not needed:** a degree, mountains, our stack.

Four days or five, Lisbon, Innsbruck or at home within two hours of UTC. 62,000 to 78,000 € a year, the same table for everyone.
`,
      },
      {
        name: 'Interview questions.txt',
        createdAt: 170,
        text: `1. Show us something you are proud of and something you would do differently.\n2. A download stops at 90 percent in a hut with ten minutes of signal. What now?\n3. Two people edit the same thing offline. (Listen for questions, not for answers.)\n4. When did you last change your mind at work?\n`,
      },
    ],
  },
  {
    name: 'Drafts',
    createdAt: 30,
    items: [
      {
        name: 'All-hands talk.md',
        createdAt: 2,
        modifiedAt: 0.9,
        text: `# Five minutes, no slides

Nine days ago our sync was down for 2 hours and 40 minutes. I want to tell you what I saw.

I saw someone say "I do not know yet" to a rescue team, and it was the right answer. I saw someone else change her mind in front of everybody because of eleven rows in a table. I saw a page of causes on which no name appears.

In three weeks we launch. Something will break. I am not worried about that.

(Too solemn? Ask Hana.)
`,
      },
      {
        name: 'Letter to the beta teams.txt',
        createdAt: 8,
        modifiedAt: 7.8,
        sharedWith: [
          { with: address.noah, role: 'writer' },
          { with: address.adaOkonkwo, role: 'commenter' },
        ],
        text: `Dear guides,\n\nyesterday our sync failed for 2 hours and 40 minutes. The maps on your phones were right all the time, and nothing you planned is lost. We noticed 21 minutes later than some of you, and that is what annoys us most.\n\nTwo things are different already: your app now waits before it tries again, and we cannot lock the same table twice. What else will change, and when, is in the review that we publish.\n\nThank you for writing to us.\n\nRobin Vance\n`,
      },
    ],
  },
  {
    name: 'Archive',
    createdAt: 500,
    items: [
      {
        name: 'Prototype review.md',
        createdAt: 78,
        text: `# Review of the prototype

{{day 78}}. Three guides, one afternoon, airplane mode.

All three shared a pack without help. All three then asked the same question: "And how do I know that she has it?" We had no answer. The list of who has which version started that day.
`,
      },
      { name: 'Prototype on the phone.mp4', createdAt: 78, bytes: 12_000_000 },
      {
        name: 'Offer for the film.pdf',
        createdAt: 41,
        pdf: 'Offer for a launch film\n\nOne film of 40 seconds, two days of shooting near Chamonix, one day of editing, music included.\n\nTotal: 14,000 EUR. Valid for 30 days.',
      },
    ],
  },
  {
    name: 'Train to Innsbruck.pdf',
    createdAt: 23,
    pdf: 'Receipt\n\nLisbon to Innsbruck, one adult, second class.\n\nPaid: 214.60 EUR. Visit of Alpenpass Guides.',
  },
  { name: 'Launch plan', createdAt: 40, shortcutTo: 'Shared drives/Trails launch/Launch plan.md' },
  {
    name: 'Old launch dates.txt',
    createdAt: 90,
    modifiedAt: 61,
    trashed: true,
    text: 'First guess: spring. Second guess: when it is good. Both wrong.\n',
  },
]
