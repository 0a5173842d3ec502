import type { SeedItem } from '../schema.ts'
import { address } from './people.ts'

/** Press material of the launch. */
export const press: SeedItem[] = [
  {
    name: 'Press release draft.md',
    createdAt: 14,
    modifiedAt: 2.2,
    modifiedBy: address.hana,
    text: `# Everyone on the same map. Even where there is no signal.

*Draft 4, {{day 2}}. Not before {{day -21}}, 09:00 UTC. Comments in brackets; please do not delete those of others.*

**Innsbruck and Lisbon, {{day -21}}.** Lodestar, the route planner of mountain guides, today launches **Trails**: map packs that a whole team shares and carries offline. One guide prepares an area; everybody who comes along has the same map and the same routes, with or without signal.

"On the first morning I asked everyone to open the map, and for the first time it was the same map," says Lena Hofer, founder of Alpenpass Guides in Innsbruck.
[Hana: Lena has approved this sentence by email.]

In a beta with twelve teams in ten countries, guides shared 47 packs from the Tetons to Lyngen.
[Noah: count the countries again before we print this. I get nine: AT, GB, ES, FR, NO, PL, US, DE, IT, CH, SI makes eleven. So neither.]
[Hana: eleven, then. Thank you.]

When two guides change the same route offline, Trails keeps both versions and asks. It never decides by itself.
[Ada Okafor: good. Please keep "never decides by itself", it is the point.]

~~Trails makes sure that nobody gets lost.~~
[Ada Okafor: no promise about safety. Robin: agreed, this is decided. Hana: struck.]

Downloading maps for offline use stays free for single guides. Teams of up to five pay 29 euros a month; each further member costs 4 euros. Mountain rescue uses Trails for free.
[Ines: correct as of the pricing decision.]

Trails is available today for iOS and Android.
[Yara: both stores on the same day is likely, not certain. Can we say "this week"? Hana: "today" or I move the release.]

**About Lodestar.** See *Boilerplate.txt*.
`,
  },
  {
    name: 'FAQ.md',
    createdAt: 13,
    modifiedAt: 5,
    modifiedBy: address.hana,
    text: `# Questions that we will be asked

**Does it work without any signal?** Yes. Packs are on the phone. Changes travel as soon as one phone of the team has signal.

**What if two guides change the same route?** Both versions stay, and whoever opens the route next chooses.

**How large is a pack?** Between 60 and 550 MB, usually about 180. The app shows the size before it downloads.

**How old is the map?** Terrain is renewed twice a year, paths every week where volunteers do. From the summer on, the app says so for each pack.

**What happens when I stop paying?** The packs on your phone keep working. You get no more updates and cannot share.
[Ada Okonkwo: true only when ENG-17 is done. Do not publish before.]

**Was there not an outage?** Yes, on {{day 9}}, for 2 hours and 40 minutes. Nothing was lost, maps on phones kept working. We have published what we changed.

**Where is my position stored?** On your phone, and on our servers for 30 days if your team shares it live. It is not used for anything else.
[Robin: wording agreed with our lawyer.]

**Who makes the maps?** Mikael, on top of public elevation models and the paths of volunteers.
`,
  },
  {
    name: 'Boilerplate.txt',
    createdAt: 60,
    modifiedBy: address.hana,
    text: `Lodestar plans routes for people who lead others through mountains. Founded by two guides and an engineer, it is used by 9,000 guides in 31 countries. Fourteen people work in Lisbon, Innsbruck and at home. More at https://www.lodestar.example.\n`,
  },
  {
    name: 'Press list.csv',
    createdAt: 20,
    modifiedAt: 8,
    modifiedBy: address.hana,
    text: `name,publication,email,language,early access,state
Miriam Vogel,Bergzeit,miriam.vogel@bergzeit-magazin.example,de,yes,interested
Tom Ashby,The Summit Post,tom.ashby@summitpost.example,en,yes,asked for a call
Lucie Garnier,Alpes Hebdo,l.garnier@alpes-hebdo.example,fr,yes,interested
Javier Ortega,Cumbres,jortega@cumbres.example,es,no,no answer
Solveig Dahl,Fjell og Sjø,solveig@fjellogsjo.example,no,yes,interested
Kenji Arai,Yama Weekly,arai@yamaweekly.example,ja,no,no answer
`,
  },
  {
    name: 'Map of Lyngen.png',
    createdAt: 11,
    picture: 'Lyngen',
    modifiedBy: address.mikael,
    description: 'For the press kit. New elevation model.',
  },
]
