import type { SeedItem } from '../schema.ts'
import { address } from './people.ts'

/** The plan, its checklist and the decisions. */
export const launch: SeedItem[] = [
  {
    name: 'Launch plan.md',
    createdAt: 118,
    modifiedAt: 1.3,
    modifiedBy: address.noah,
    starred: true,
    text: `# Trails: launch plan

**Launch:** {{day -21}}. **Owner:** Noah Weiss. **Decides when we disagree:** Robin Vance for engineering, Hana Sato for words, Ines Carvalho for money.

## Why

Guides plan alone and lead together. With Trails a team shares map packs and routes, and has them where there is no signal. Of twelve teams in the private beta, ten still use it every week.

## Goals for the first quarter

| What | Today | Goal |
| --- | ---: | ---: |
| Teams with a shared pack | 340 | 800 |
| Paying teams | 34 | 250 |
| First shared map, for someone who is invited | 1 min 50 s | 2 min |
| Failed syncs | 0.4 % | 0.2 % |

## Phases

1. **Private beta** from {{day 45}}: twelve teams. Done.
2. **Public beta** from {{day 16}}: everyone who asks. Running.
3. **Stores:** submitted by {{day -7}}. Their review takes three to seven days.
4. **Launch** on {{day -21}}: press release at 09:00 UTC, then 5, 25 and 100 percent of accounts within three days.

## What can stop us

- *Sync under load.* The outage of {{day 9}} showed that we do not know our limits. The load test (OPS-6) has to pass with 5,000 teams.
- *Battery.* Two teams lost most of a charge in one night (ENG-7).
- *Lost routes.* Two guides who edit the same route offline (ENG-9).
- *The stores.* If ENG-20 is late, everything is late. There is no second try.

If one of the first three is still open on {{day -5}}, we move the launch by two weeks. We do not launch with one of them open.

## Not in this launch

Search in offline maps, GPX files with several tracks, a second region. See *Decisions/Scope of the launch.md*.
`,
  },
  {
    name: 'Launch checklist.csv',
    createdAt: 40,
    modifiedAt: 1,
    modifiedBy: address.noah,
    text: `item,issue,owner,due,state
Battery drain fixed,ENG-7,Mikael Lindström,{{date -5}},In Progress
Two versions of a route,ENG-9,Ada Okafor,{{date -4}},In Review
Crash while verifying fixed,ENG-19,Yara Costa,{{date -4}},In Progress
Answers about privacy,ENG-21,Robin Vance,{{date -3}},In Review
Screenshots,DES-7,Grace Kim,{{date -5}},In Progress
Load test with 5000 teams,OPS-6,Tomás Herrera,{{date -6}},In Progress
Submitted to the stores,ENG-20,Yara Costa,{{date -7}},Todo
Members beyond the fifth are charged,ENG-13,Sam Idowu,{{date -8}},In Progress
Trials warn before they end,ENG-17,Sam Idowu,{{date -9}},Todo
Press kit,DES-8,Hana Sato,{{date -12}},Todo
Landing page is public,DES-3,Priya Nair,{{date -12}},In Review
Runbook for the day,OPS-8,Ada Okonkwo,{{date -14}},In Progress
Opening in steps works,ENG-22,Ada Okafor,{{date -14}},In Progress
On-call rota,OPS-9,Tomás Herrera,{{date -15}},Todo
`,
  },
  {
    name: 'Decisions',
    createdAt: 60,
    items: [
      {
        name: 'Pricing.md',
        createdAt: 33,
        modifiedAt: 18,
        modifiedBy: address.noah,
        text: `# Decision: what Trails costs

Decided on {{day 18}} by Noah, Ines and Robin. Written by Noah.

| Plan | For | Price per month |
| --- | --- | ---: |
| Guide | one person; all downloads for offline use | 9 €, and free with up to three map packs |
| Team | five members who share packs and routes | 29 €, and 4 € for each further member |
| Rescue | mountain rescue | free, without a limit |

A team of seven therefore pays 29 + 2 × 4 = 37 €.

## What we argued about

**Is offline free?** Ines proposed to charge for it, because it is what people want most. Ada Okafor objected: a map that works without signal is what keeps a guide safe, and she does not want to be the engineer who locked it. We followed Ada. *Sharing* costs money, *having a map* does not.

**29 or 25?** The beta paid 25. At 25 we lose money on teams with more than 400 MB of packs. At 29 two of six teams in the interviews hesitated, none said no. Teams that paid 25 keep it for a year.

**Rescue for free?** About a dozen teams, less than 200 € of cost a month. Unanimous.

## Guests

Someone who comes along for one tour sees the pack for 14 days and does not count as a member. A second invitation within 30 days does.

## We look at this again

when 250 teams pay, or after two quarters, whichever is first.
`,
      },
      {
        name: 'Two versions of a route.md',
        createdAt: 12.5,
        modifiedAt: 12,
        modifiedBy: address.adaOkafor,
        text: `# Decision: two guides edit the same route offline

Decided on {{day 12}}. Issue: ENG-9. Dialog: DES-6.

**We keep both versions and ask whoever opens the route next. We never merge by ourselves.**

## What we considered

1. *Last one wins.* What we had. Loses work without a word: 11 times in the beta, five of them at Alpenpass Guides, who plan in pairs.
2. *Merge waypoint by waypoint.* Asks nobody anything, and makes a route that no guide has ever looked at. Ada was for it, until the interviews.
3. *Keep both.* Costs a question. With 11 conflicts in 2,300 edited routes that is a question every few months per team.

Lena Hofer said it best: "If the app moves a point that I have set, I stop trusting all points."

## Consequences

- There are at most two versions at a time. A third edit continues the version that its author saw.
- The dialog shows who made each version and roughly when. Phones have wrong clocks, so we say "yesterday evening" and not "18:42".
- Deleting a route that has two versions asks as well.
`,
      },
      {
        name: 'Scope of the launch.md',
        createdAt: 17,
        modifiedBy: address.noah,
        text: `# Decision: what is not in the launch

Decided in the meeting of {{day 17}}. Noah was outvoted on the first point and writes this down himself.

| Wish | Asked for by | Decision | Why |
| --- | --- | --- | --- |
| Search in offline maps (ENG-12) | 7 of 12 beta teams | first thing after the launch, huts first | 15 to 40 MB more per pack, and it touches the download that is reliable only now |
| GPX files with several tracks (ENG-24) | Cordée Sud | after the launch | needs a list to choose from; one team so far |
| Second region (OPS-7) | nobody outside | not planned | 2,600 € a month, and would not have helped in any incident we had |
| New map renderer (ENG-30) | Mikael | after the launch, with a week of tests | every screen with a map would have to be tested again |

The season in the Alps starts when it starts. A launch two weeks later meets guides who have planned their season with something else.
`,
      },
    ],
  },
  {
    name: 'Meetings',
    createdAt: 31,
    items: [
      {
        name: 'Launch meeting, 7 weeks to go.md',
        createdAt: 31,
        modifiedBy: address.noah,
        text: `# Launch meeting, {{day 31}}

Noah, Robin, Ada Okafor, Priya, Hana, Tomás

- **Beta:** 12 teams, 42 guides, 47 shared packs. Loudest complaint: maps of old Android phones without contours (ENG-8). Mikael starts this week.
- **Large packs** never finish (ENG-11). Ada fixed it this morning: Stone & Sky have 540 MB for the Tetons.
- **Invoices** show the net price twice. Ines found it, Sam takes it (ENG-15).
- **Prices:** Ines brings three variants next week.
- **Film:** Hana has an offer for 40 seconds. 14,000 €. Nobody is sure.

To do: Noah writes to the two beta teams that have gone quiet. Priya plans interviews.
`,
      },
      {
        name: 'Launch meeting, 6 weeks to go.md',
        createdAt: 24,
        modifiedBy: address.noah,
        text: `# Launch meeting, {{day 24}}

Noah, Robin, Ada Okafor, Priya, Hana, Ines, Sam

- **Interviews** start today: Alpenpass, Ridgeline, Fjellvakt, Cordée Sud, Pico Norte, Stone & Sky.
- **Prices:** three variants. Long argument about charging for offline maps. Ada: "Then I would rather not ship it." Noah writes a proposal until next week.
- **Search:** most wanted in the beta. Noah wants to move the launch for it, Robin does not. Postponed until we have seen the interviews.
- **First map:** median of 4 minutes for who makes the pack. Goal for those who are invited is 2.

To do: Ada measures it properly (ENG-26).
`,
      },
      {
        name: 'Launch meeting, 5 weeks to go.md',
        createdAt: 17,
        modifiedBy: address.noah,
        text: `# Launch meeting, {{day 17}}

Noah, Robin, Ada Okafor, Mikael, Priya, Hana, Ines

- **Public beta** opens tomorrow. Everything for it is done, except the team in events (ENG-27), which is in review.
- **Decided: no search in the launch** (ENG-12). For: Noah. Against: Robin, Ada, Mikael. See *Scope of the launch.md*.
- **Decided: no film** (DES-11). Hana prefers three days with guides, 5,400 €.
- **Prices** are decided since yesterday: 29 € for a team.
- **Lost routes** (ENG-9): Ada shows three ways. Priya is against merging. Next week, with numbers.

To do: Ines moves the money of the film. Ada counts conflicts in the beta.
`,
      },
      {
        name: 'Launch meeting, 4 weeks to go.md',
        createdAt: 10,
        modifiedBy: address.noah,
        text: `# Launch meeting, {{day 10}}

Noah, Robin, Ada Okafor, Priya, Tomás, Ada Okonkwo

- **Stone & Sky have cancelled.** Their trial ended on the morning of a tour and the pack was locked. We would be angry, too. ENG-17 is now part of the launch. Noah has called Dana; the notes are in *Research*.
- **Battery** (ENG-7): reports from Fjellvakt and Cordée Sud. Mikael has not reproduced it yet.
- **Lost routes:** decided two days ago, keep both and ask.
- **Interviews** are done. Priya: "They do not want more map. They want to be sure that everyone has the same map."
- **Load test:** Tomás needs two weeks and 1,400 € more for servers. Ines agrees.

To do: Robin asks the lawyer about positions (ENG-21).
`,
      },
      {
        name: 'Launch meeting, 3 weeks to go.md',
        createdAt: 3,
        modifiedAt: 2.9,
        modifiedBy: address.noah,
        text: `# Launch meeting, {{day 3}}

Noah, Robin, Ada Okafor, Mikael, Yara, Sam, Priya, Hana, Tomás, Ada Okonkwo

- **Outage of {{day 9}}:** review is out, six actions, two done. Tomás tried the same mistake on staging: 4 minutes instead of 2 hours 40. We stay *at risk* until the load test.
- **Load test:** first numbers tonight.
- **Blockers:** ENG-7 (cause found), ENG-9 (in review today), ENG-19 (Yara has it), ENG-21 (one sentence missing), DES-7 (Grace starts tomorrow), OPS-6.
- **Stores:** submit by {{day -7}}. Yara asked for a faster review; Robin wants to save that for a crash.
- **Headline:** *Everyone on the same map. Even where there is no signal.* No promise about safety anywhere.
- **Alpenpass** saw 25 € and paid 29 € (ENG-16). Refunded today.

To do: Hana sends the addresses of journalists who get early access to Ada by {{day -18}}.

Next meeting: {{day -4}}. If a blocker is open on {{day -5}}, we move the launch.
`,
      },
    ],
  },
]
