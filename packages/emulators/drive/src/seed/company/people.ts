import type { DriveSeedData } from '../schema.ts'

const domain = 'lodestar.example'

/** The addresses of the people who own or change files. */
export const address = {
  adaOkafor: `ada.okafor@${domain}`,
  adaOkonkwo: `ada.okonkwo@${domain}`,
  mikael: `mikael.lindstrom@${domain}`,
  yara: `yara.costa@${domain}`,
  sam: `sam.idowu@${domain}`,
  priya: `priya.nair@${domain}`,
  tomas: `tomas.herrera@${domain}`,
  noah: `noah.weiss@${domain}`,
  hana: `hana.sato@${domain}`,
  ines: `ines.carvalho@${domain}`,
  grace: 'grace.kim@studio-kim.example',
  engineers: `team-engineering@${domain}`,
  robin: `robin.vance@${domain}`,
} as const

export const people: DriveSeedData['people'] = [
  { name: 'Ada Okafor', email: address.adaOkafor, aliases: [`ada@${domain}`] },
  { name: 'Ada Okonkwo', email: address.adaOkonkwo },
  { name: 'Mikael Lindström', email: address.mikael },
  { name: 'Yara Costa', email: address.yara },
  { name: 'Sam Idowu', email: address.sam },
  { name: 'Priya Nair', email: address.priya },
  { name: 'Tomás Herrera', email: address.tomas },
  { name: 'Noah Weiss', email: address.noah },
  { name: 'Hana Sato', email: address.hana },
  { name: 'Ines Carvalho', email: address.ines },
  { name: 'Grace Kim', email: address.grace },
]

export const groups: DriveSeedData['groups'] = [{ name: 'Engineering', email: address.engineers }]
