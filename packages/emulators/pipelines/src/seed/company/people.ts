/** A team of guides that uses Lodestar. */
export interface Team {
  readonly id: string
  readonly name: string
  readonly country: string
  readonly plan: 'team' | 'trial' | 'rescue'
  readonly pack: string
  readonly megabytes: number
}

export const teams = {
  alpenpass: { id: 'team_alpenpass', name: 'Alpenpass Guides', country: 'AT', plan: 'team', pack: 'Stubai Glacier', megabytes: 212 },
  ridgeline: { id: 'team_ridgeline', name: 'Ridgeline Mountaineering', country: 'GB', plan: 'team', pack: 'Cairngorms', megabytes: 148 },
  picoNorte: { id: 'team_pico_norte', name: 'Pico Norte', country: 'ES', plan: 'team', pack: 'Picos de Europa', megabytes: 176 },
  cordeeSud: { id: 'team_cordee_sud', name: 'Cordée Sud', country: 'FR', plan: 'team', pack: 'Vallée Blanche', megabytes: 231 },
  fjellvakt: { id: 'team_fjellvakt', name: 'Fjellvakt', country: 'NO', plan: 'rescue', pack: 'Lyngen', megabytes: 264 },
  kuma: { id: 'team_kuma', name: 'Kuma Trails', country: 'JP', plan: 'trial', pack: 'Daisetsuzan', megabytes: 190 },
  tatra: { id: 'team_tatra', name: 'Tatra Paths', country: 'PL', plan: 'team', pack: 'High Tatras', megabytes: 133 },
  stoneSky: { id: 'team_stone_sky', name: 'Stone & Sky', country: 'US', plan: 'trial', pack: 'Tetons', megabytes: 540 },
} as const satisfies Readonly<Record<string, Team>>

export type TeamKey = keyof typeof teams

/** A person of the story. */
export interface Guide {
  readonly id: string
  readonly name: string
  /** Absent for guides who work alone. */
  readonly team?: TeamKey
  /** Days ago; those before the first week have signed up earlier than the events begin. */
  readonly joined: number
  readonly phone: 'iOS' | 'Android'
  /** Tours in ten days. */
  readonly tours: number
  /** The last day of use; still active when absent. */
  readonly left?: number
}

export const guides: readonly Guide[] = [
  { id: 'lena.hofer', name: 'Lena Hofer', team: 'alpenpass', joined: 240, phone: 'iOS', tours: 4 },
  { id: 'jonas.pichler', name: 'Jonas Pichler', team: 'alpenpass', joined: 44, phone: 'Android', tours: 4 },
  { id: 'felix.gruber', name: 'Felix Gruber', team: 'alpenpass', joined: 26, phone: 'Android', tours: 2 },
  { id: 'callum.fraser', name: 'Callum Fraser', team: 'ridgeline', joined: 310, phone: 'Android', tours: 3 },
  { id: 'isla.munro', name: 'Isla Munro', team: 'ridgeline', joined: 33, phone: 'iOS', tours: 2 },
  { id: 'marta.ibanez', name: 'Marta Ibáñez', team: 'picoNorte', joined: 120, phone: 'iOS', tours: 3 },
  { id: 'diego.salas', name: 'Diego Salas', team: 'picoNorte', joined: 68, phone: 'Android', tours: 2 },
  { id: 'elise.moreau', name: 'Élise Moreau', team: 'cordeeSud', joined: 96, phone: 'iOS', tours: 4 },
  { id: 'hugo.perrin', name: 'Hugo Perrin', team: 'cordeeSud', joined: 43, phone: 'Android', tours: 5 },
  { id: 'ingrid.solberg', name: 'Ingrid Solberg', team: 'fjellvakt', joined: 45, phone: 'Android', tours: 3 },
  { id: 'anders.lie', name: 'Anders Lie', team: 'fjellvakt', joined: 31, phone: 'iOS', tours: 2 },
  { id: 'haruki.tanaka', name: 'Haruki Tanaka', team: 'kuma', joined: 14, phone: 'iOS', tours: 3 },
  { id: 'yui.mori', name: 'Yui Mori', team: 'kuma', joined: 12, phone: 'iOS', tours: 2 },
  { id: 'piotr.zajac', name: 'Piotr Zając', team: 'tatra', joined: 75, phone: 'Android', tours: 3 },
  { id: 'agata.wrona', name: 'Agata Wrona', team: 'tatra', joined: 32, phone: 'Android', tours: 2 },
  { id: 'dana.whitfield', name: 'Dana Whitfield', team: 'stoneSky', joined: 40, phone: 'iOS', tours: 3, left: 10 },
  { id: 'marcus.bell', name: 'Marcus Bell', team: 'stoneSky', joined: 24, phone: 'Android', tours: 2, left: 10 },
  { id: 'sofia.rossi', name: 'Sofia Rossi', joined: 29, phone: 'iOS', tours: 2 },
  { id: 'ben.adler', name: 'Ben Adler', joined: 27, phone: 'Android', tours: 1 },
  { id: 'noor.haddad', name: 'Noor Haddad', joined: 22, phone: 'iOS', tours: 2 },
  { id: 'thea.lindqvist', name: 'Thea Lindqvist', joined: 19, phone: 'iOS', tours: 1 },
  { id: 'owen.price', name: 'Owen Price', joined: 17, phone: 'Android', tours: 1, left: 15 },
  { id: 'camila.duarte', name: 'Camila Duarte', joined: 11, phone: 'Android', tours: 2 },
  { id: 'ravi.menon', name: 'Ravi Menon', joined: 6, phone: 'Android', tours: 2 },
  { id: 'jakub.novak', name: 'Jakub Novák', joined: 2, phone: 'iOS', tours: 3 },
]

/** Email address in the person's own style. Guides of a team have its domain. */
export function emailOf({ id, team }: Pick<Guide, 'id' | 'team'>): string {
  const domain =
    team === undefined
      ? 'mail'
      : teams[team].name
          .normalize('NFD')
          .toLowerCase()
          .replaceAll(/[^a-z]/g, '')
  return `${id}@${domain}.example`
}
