import type { SeedItem } from '../schema.ts'
import { address } from './people.ts'

const interview = (team: string, at: number, text: string): SeedItem => ({
  name: `Interview ${team}.md`,
  createdAt: at,
  modifiedBy: address.priya,
  text,
})

/** Interviews of the beta and their lessons. */
export const research: SeedItem[] = [
  {
    name: 'Interview guide.md',
    createdAt: 26,
    modifiedAt: 25,
    modifiedBy: address.priya,
    text: `# Interview guide

An hour, by video, with the phone in hand. Record only with permission. Do not explain the product.

1. Tell me about your last tour with others. Who planned it, who had which map?
2. Show me how you prepared it. (Be quiet.)
3. When did two of you have different maps? What happened?
4. What do you do the evening before? What at five in the morning?
5. When did you last not trust the phone?
6. If I took Trails away tomorrow, what would you use?
7. Who pays for your apps? Who decides?

Ask "why" once more than is polite. Never ask "would you use".
`,
  },
  interview(
    'Alpenpass Guides',
    20,
    `# Interview: Alpenpass Guides, Innsbruck

With Lena Hofer (founder, 14 years a guide) and Jonas Pichler. By Priya, 71 minutes, {{day 20}}.

**How they plan.** Always in pairs: one does the route, the other looks for what is wrong with it. In summer up to twelve aspirants come along for single tours.

**What works.** Packs. "On the first morning I asked everyone to open the map, and for the first time it was the same map." Jonas had the pack on his phone before Lena had finished explaining.

**What does not.** Twice they edited the same route in two huts, and one edit was gone. Lena noticed it on the glacier: "If the app moves a point that I have set, I stop trusting all points." They now phone each other before editing.

**On price.** 29 € is "two coffees per guide". What annoys Lena is paying for aspirants who come once.

**Without Trails** they would go back to paper and a photo of it in a chat.

> Lena: "I do not need a better map. I need to know that Jonas has the same one."
`,
  ),
  interview(
    'Ridgeline Mountaineering',
    22,
    `# Interview: Ridgeline Mountaineering, Aviemore

With Callum Fraser and Isla Munro. By Priya, 64 minutes, {{day 22}}.

**How they plan.** Callum plans everything on Sunday for the week, Isla and three freelancers follow. Freelancers work for several schools and must not see each other's routes.

**What works.** Resuming downloads. "The hut has signal for ten minutes when the wind is right. It used to start from zero every time."

**What does not.** One freelancer left in spring and still got their updates for weeks (fixed since, ENG-6). Bridges: three on the map are gone. They would gladly tell us, but there is no way to.

**Search.** Isla types names of bothies into the search and it says *no connection*. She asked for it twice in the hour.

**On price.** Isla: "Twenty-nine is fine. Do not make me count freelancers every week."

> Callum: "In Scotland the weather decides in the car park. I change the route there, and four phones have to know it before we lose signal at the gate."
`,
  ),
  interview(
    'Fjellvakt',
    12,
    `# Interview: Fjellvakt, Tromsø

Mountain rescue, 22 volunteers. With Ingrid Solberg and Anders Lie. By Priya, 80 minutes, {{day 12}}.

**How they work.** Alarm, ten minutes, helicopter or snowmobile. Nobody downloads anything then: the pack has to be there already, and current.

**What works.** One pack for the whole district that renews itself at night.

**What does not.** It renews itself at night *and empties the battery*. Ingrid's phone was at 30 percent in the morning; she sent us the report (ENG-7). For her that is worse than an old map. Around Lyngen the heights are up to 20 metres off (ENG-31).

**Trust.** Anders compares the map with his GPS on every tour. "I trust it as much as I have checked it."

**On price.** They run on donations. Free is not a discount for them, it is the only possibility.

> Ingrid: "Tell me how old the map is. I can work with an old map. I cannot work with one that says nothing."
`,
  ),
  interview(
    'Cordée Sud',
    18,
    `# Interview: Cordée Sud, Chamonix

With Élise Moreau and Hugo Perrin. By Noah, 51 minutes, {{day 18}}.

**How they plan.** Hugo has 400 tours from fifteen years in GPX files, many tours to a file. He splits them by hand before he imports them, every evening, at eight. Syncs at five, before he wakes the clients.

**What works.** Élise shares *Vallée Blanche* with whoever comes along: "A link, and they have it. My mother could."

**What does not.** The import. And Élise's new phone is warm in the morning and half empty; she thought it was the phone (see ENG-7).

**On price.** Hesitated at 29 €. They are two, and feel that five members are made for others.

> Hugo: "Your app is the only one that my clients have not deleted on the train home."
`,
  ),
  interview(
    'Pico Norte',
    16,
    `# Interview: Pico Norte, Potes

With Marta Ibáñez. By Priya, 58 minutes, {{day 16}}.

**How they plan.** Marta makes one pack per valley, and Diego checks it on foot. They keep packs for years.

**What works.** Since the new contrast she can read the controls in snow (DES-4). "You listened, and nobody sent me a survey afterwards."

**What does not.** No search. No way to write a note for the others *on* the map: "water here until July".

**On price.** Pays 25 €, keeps it for a year, finds 29 € fair: "It is less than one lost client."

> Marta: "I do not want to be always connected. I want to be the same when I am not."
`,
  ),
  interview(
    'Stone & Sky',
    9.5,
    `# Interview: Stone & Sky, Jackson

With Dana Whitfield, after she had cancelled. By Noah, by telephone, 35 minutes, {{day 9}}.

**What happened.** Their trial of 30 days ended at midnight. At five in the morning the pack of the Tetons was locked, on two phones, in a car park without signal. They went with paper.

**What she expected.** An email a week before, one the day before, and a map that keeps working whatever the billing says. "I would have paid. Nobody asked me."

**Would she return?** Yes, when we can promise that it will not happen to anybody again. She wants to read that sentence, not hear it.

**What we change.** ENG-17: warnings seven days and one day before; packs on the phone are never locked. Noah promised to write to her on the day it ships.

> Dana: "You built a map for places without signal, and a lock that needs signal to open."
`,
  ),
  {
    name: 'What we learned.md',
    createdAt: 10.2,
    modifiedAt: 9.4,
    modifiedBy: address.priya,
    starred: true,
    text: `# What we learned from six teams

Alpenpass, Ridgeline, Fjellvakt, Cordée Sud, Pico Norte, Stone & Sky. Priya and Noah, {{day 10}}.

**In one sentence:** they do not want more map, they want to be sure that everyone has the same map.

| Theme | Who said it | What we do |
| --- | --- | --- |
| The same map for everyone is the product | all six | headline of the page |
| Edits that disappear destroy trust at once | Alpenpass | ENG-9, before the launch |
| Battery matters more than a fresh map | Fjellvakt, Cordée Sud | ENG-7, before the launch |
| A map must never be locked in the field | Stone & Sky | ENG-17, before the launch |
| Say how old the map is | Fjellvakt, Pico Norte | ENG-33 and DES-9 |
| Search by name | Ridgeline, Pico Norte | ENG-12, after the launch |
| Guests are not members | Alpenpass, Ridgeline | 14 days as a guest, see the pricing decision |
| Report what is wrong on the map | Ridgeline | no issue yet |
| Notes on the map | Pico Norte | no issue yet |

**Surprise:** nobody asked for a nicer map. We had planned a month for it.

**Doubt:** all six came to us by themselves. We know nothing about teams who tried it for a day and left.
`,
  },
  {
    name: 'Retrospective of the beta.md',
    createdAt: 15,
    modifiedAt: 14.5,
    modifiedBy: address.robin,
    text: `# Retrospective of the private beta

{{day 15}}. Ada Okafor, Mikael, Yara, Sam, Priya, Noah, Tomás; Robin moderates and writes.

## What went well

- Twelve teams said yes, ten still use it every week.
- Fixed within a week: packs of former teams (ENG-6), net prices (ENG-15). Teams noticed, and said so.
- Mikael with a phone in a biscuit tin. The download has not been reported once since.

## What did not

- We learned of old Android phones from a customer. None of us has one. (Bought two since.)
- Ada answered most questions of the teams herself, at night. That does not scale, and it is not her job.
- The events did not say which team they belong to for four weeks (ENG-27), so half of our numbers are guesses.

## What we change

1. Ada Okonkwo answers beta teams; engineers join when she asks.
2. A drawer with six old phones, and a list of who has tested on which.
3. No number in a decision without the query behind it.

## What we did not agree on

Whether twelve teams were too few. Noah would have taken forty; Ada says that with forty we would have answered none of them properly.
`,
  },
  {
    name: 'Beta feedback.csv',
    createdAt: 28,
    modifiedAt: 16,
    modifiedBy: address.noah,
    text: `team,country,members,packs,active every week,wants search,rating
Alpenpass Guides,AT,4,9,yes,yes,5
Ridgeline Mountaineering,GB,5,6,yes,yes,4
Pico Norte,ES,3,8,yes,yes,5
Cordée Sud,FR,2,5,yes,no,4
Fjellvakt,NO,6,2,yes,no,4
Tatra Paths,PL,3,4,yes,yes,3
Stone & Sky,US,3,1,yes,no,3
Nordkante,DE,4,3,yes,yes,4
Sierra Clara,ES,2,2,no,no,3
Valgrande,IT,3,4,yes,yes,5
Hut to Hut,CH,5,3,yes,yes,4
Karst and Co,SI,2,0,no,no,2
`,
  },
]
