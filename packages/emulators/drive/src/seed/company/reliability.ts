import type { SeedItem } from '../schema.ts'
import { address } from './people.ts'

/** The outage, the load test and the runbook. */
export const reliability: SeedItem[] = [
  {
    name: 'Sync outage review.md',
    createdAt: 8.2,
    modifiedAt: 7,
    modifiedBy: address.tomas,
    text: `# Review: map sync was down for 2 hours and 40 minutes

**Day:** {{day 9}}. **Issue:** OPS-1. **Written by** Tomás Herrera, read and agreed by Ada Okafor, Ada Okonkwo and Robin Vance.

## What customers saw

Every sync of a map pack failed from 09:12 to 11:52 UTC. Maps that were on phones kept working. No route and no map was lost. 37 teams tried to sync; nine wrote to us. Two of them were on a glacier.

## What happened (UTC)

| Time | |
| --- | --- |
| 09:12 | A migration adds a column to the table of packs, and locks it. Syncs begin to wait, then to fail. |
| 09:33 | First ticket, from Fjellvakt: can we trust the map? We learn of it. |
| 09:41 | Tomás sees that every worker waits for the table. |
| 10:18 | The migration is stopped. The lock is gone. Sync does not recover. |
| 10:31 | Ada Okafor sees why: phones try again at once, 40 times the usual requests. She lets 10 percent through, then doubles. |
| 11:52 | All teams sync. |

## Why

1. The migration was tested with 200 packs. Production has 90,000. On staging the lock took 0.2 seconds.
2. Apps did not wait between attempts. That turned 66 minutes of lock into 94 minutes more.
3. Nothing told us. For 21 minutes only customers knew.

## What went well

One person led, one answered customers, nobody guessed in public. Ada Okonkwo's answer, "your map is the one from yesterday, you can trust it", was right and calm.

## Actions

| | Action | Issue | State on {{day 3}} |
| ---: | --- | --- | --- |
| 1 | Wait longer after each failed sync | ENG-10 | done |
| 2 | Migrations give up after five seconds of waiting for a lock | OPS-4 | done |
| 3 | Limit what one team may sync at once | ENG-32 | to do |
| 4 | Alert on the share of failed syncs | OPS-3 | in progress |
| 5 | A status page that changes by itself | OPS-5 | to do |
| 6 | Show when a pack was last synced | ENG-33 | to do |
`,
  },
  {
    name: 'Load test results.csv',
    createdAt: 2.6,
    modifiedAt: 1,
    modifiedBy: address.tomas,
    text: `run,teams,pooler,median s,slowest of a hundred s,failed percent,database cpu percent
1,500,no,0.8,2.1,0,9
2,1500,no,1.1,4.0,0,17
3,3000,no,2.9,14.2,0.3,21
4,3000,yes,1.2,3.9,0,34
`,
  },
  {
    name: 'Launch day runbook.md',
    createdAt: 3,
    modifiedAt: 1.8,
    modifiedBy: address.adaOkonkwo,
    text: `# Runbook for the day of the launch (draft)

**The person on call may stop the launch at any step, alone, without asking anybody.** To stop: set the step back to the last percentage in the admin page. It takes effect within a minute.

| Time (UTC) | Step | Who | Look at |
| --- | --- | --- | --- |
| 07:00 | All green? Last check of both stores | Tomás | alert, status page |
| 08:00 | 5 percent of accounts | Ada Okafor | failed syncs < 0.5 % |
| 09:00 | Press release, landing page | Hana | page answers in 1 s |
| 09:30 | First look at tickets | Ada Okonkwo | anything twice |
| next day 08:00 | 25 percent | Ada Okafor | median sync < 2 s |
| day after 08:00 | 100 percent | Ada Okafor | the same |

## When something breaks

1. Stop the step. Then look.
2. One leads (on call), one answers customers (Ada Okonkwo), everybody else is quiet.
3. Say what you know, also when it is little: "Sync is failing. Maps on your phone keep working. Next news at half past."

## Open

- Who is on call in the night after 25 percent? (OPS-9)
- Does the status page change by itself by then? (OPS-5)
`,
  },
]

export const finance: SeedItem[] = [
  {
    name: 'Launch budget.csv',
    createdAt: 50,
    modifiedAt: 4,
    modifiedBy: address.ines,
    text: `item,owner,planned EUR,revised EUR,spent EUR,note
Landing page,Priya Nair,4800,4800,4200,
Illustrations,Grace Kim,3600,3600,2400,six; four are final
Launch film,Hana Sato,14000,0,0,cancelled; see DES-11
Days with three guides,Hana Sato,0,5400,5150,photos; from the money of the film
Press list and distribution,Hana Sato,2200,2200,600,
Search advertisements,Hana Sato,6000,6000,0,first month after the launch
Load test servers,Tomás Herrera,1800,3200,1450,1400 more since the outage
Test phones,Yara Costa,2400,2400,2380,two old Android phones
Translations,Noah Weiss,3100,3100,3100,six languages
Lawyer,Robin Vance,1600,1600,950,privacy and terms
Reserve,Ines Carvalho,2500,9700,0,
Total,,42000,42000,20230,
`,
  },
  {
    name: 'Revenue forecast.csv',
    createdAt: 19,
    modifiedAt: 18,
    modifiedBy: address.ines,
    text: `month after launch,paying teams,EUR per team,guide plans,EUR per guide,teams EUR,guides EUR,total EUR
1,60,33,210,9,1980,1890,3870
2,130,33,240,9,4290,2160,6450
3,250,33,260,9,8250,2340,10590
Total,,,,,14520,6390,20910
`,
  },
]
