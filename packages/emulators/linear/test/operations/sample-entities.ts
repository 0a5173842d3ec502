import { type JsonObject, toObject } from '@mcp-toolkits/emulator'
import { dig } from '@mcp-toolkits/emulator/testing'
import { openUnlimited } from './emulator.ts'
import { behaving, queries, sampleOperation } from './samples.ts'

/** Seed entities that inputs can refer to: a team that has estimates, cycles and a project with milestones, and others. */
const roots = {
  team: 'teams(first: 1, filter: { key: { eq: "OPS" } })',
  teamWithApp: 'teams(first: 1, filter: { key: { eq: "ENG" } })',
  project: 'projects(first: 2, filter: { name: { in: ["Incident tooling", "Apollo"] } })',
  initiative: 'initiatives(first: 2)',
  issue: 'issues(first: 2)',
  user: 'users(first: 2)',
  cycle: 'cycles(first: 2, filter: { team: { key: { eq: "OPS" } } })',
} as const

/** Owners of some entities, with the prefix of the fields that refer to the owner. */
const owners = {
  releasePipeline: 'pipeline',
  releaseStage: 'stage',
  roadmap: 'roadmap',
  customer: 'customer',
  document: 'document',
  gitAutomationTargetBranch: 'targetBranch',
} as const

/** Entities that exist from the beginning, and the queries that find them. */
const existing: Readonly<Record<string, string>> = {
  organization: 'organization',
  user: 'viewer',
  userSettings: 'userSettings',
  notification: 'notifications(first: 1)',
  teamMembership: 'teamMemberships(first: 1)',
}

/** The plural of an entity's name, as in the name of its query. */
export const plural = (name: string): string =>
  /(?:s|sh|ch|x)$/.test(name) ? `${name}es` : name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`

const behaviors = new Set(behaving('Query'))

/** An emulator, and functions that create every kind of entity. */
export async function openSamples() {
  const emulator = openUnlimited()
  const { ask, at, list } = emulator
  const ids: Record<string, string> = {}
  for (const [name, root] of Object.entries(roots)) {
    const [first, second] = await list('id', `{ ${root} { nodes { id } } }`)
    ids[name] = String(first)
    ids[`related${name.slice(0, 1).toUpperCase()}${name.slice(1)}`] = String(second)
  }

  /** Runs an operation with the arguments that it needs, and returns its field. */
  async function run(kind: 'query' | 'mutation', field: string, given: JsonObject = {}): Promise<JsonObject> {
    const { text, variables } = sampleOperation(kind, field, given, ids)
    const { data, errors } = await ask(text, variables)
    if (errors.length > 0) throw new Error(`${field} ${JSON.stringify(variables)}: ${JSON.stringify(errors)}`)
    return toObject(toObject(data)[field])
  }

  async function created(kind: string, input: JsonObject = {}): Promise<string> {
    const payload = await run('mutation', `${kind}Create`, Object.keys(input).length === 0 ? {} : { input })
    return String(dig(Object.values(payload).find((value) => typeof dig(value, 'id') === 'string') ?? {}, 'id'))
  }

  /** Creates an entity, after the entities that it belongs to. */
  async function create(kind: string): Promise<string> {
    if (kind !== 'releasePipeline' && /release|roadmap|customerNeed|gitAutomation/.test(kind))
      for (const [owner, name] of Object.entries(owners).filter(([each]) => each !== kind)) {
        ids[owner] ??= await created(owner)
        ids[name] = ids[owner]
      }
    return created(kind)
  }

  /** The ids of all entities of a kind. */
  async function idsOf(kind: string): Promise<string[]> {
    const root = plural(kind)
    if (!behaviors.has(root)) return []
    if (String(queries[root]?.type).includes('Connection'))
      return (await list('id', `{ ${root}(first: 100) { nodes { id } } }`)).map(String)
    const found = await at(root, `{ ${root} { id } }`)
    return Array.isArray(found) ? found.map((each) => String(dig(each, 'id'))) : []
  }

  /** An entity of a kind: a new one if the kind can be created. */
  async function entity(kind: string): Promise<string> {
    const found = existing[kind]
    if (found === undefined) return create(kind)
    const isList = found.includes('(')
    const name = /^\w+/.exec(found)?.[0] ?? ''
    return String(await at(isList ? `${name}.nodes.0.id` : `${name}.id`, isList ? `{ ${found} { nodes { id } } }` : `{ ${found} { id } }`))
  }
  return { ...emulator, ids, run, create, idsOf, entity }
}
