import { member, type JsonObject } from '../../../packages/core/src/base/json.ts'
import { linearEmulator } from '../../../packages/emulators/linear/src/library.ts'
import { rows } from '../tools.ts'
import { changesIn, sendJson, type World } from './world.ts'

/** Columns that are derived from others, or only say when something was done. */
const derived =
  /^(?:id|number|url|slugId|updatedById|metadata|progress\w*|startedAt|completedAt|canceledAt|createdAt|updatedAt|editedAt)$|Fold$|Bare$|[sS]ortOrder$|(?:triaged|addedTo\w+|health\w*|read|snoozed\w*|startedTriage|lastApplied|generated\w*)At$/

const named = `{ users(first: 100) { nodes { id name } } teams(first: 100) { nodes { id name: key } }
  workflowStates(first: 250) { nodes { id name } } issueLabels(first: 250) { nodes { id name } } cycles(first: 100) { nodes { id number } }
  projects(first: 100, includeArchived: true) { nodes { id name } } projectMilestones(first: 100) { nodes { id name } }
  projectStatuses { nodes { id name } } initiatives(first: 100, includeArchived: true) { nodes { id name } } documents(first: 100) { nodes { id title } } }`

export async function openLinear(): Promise<World> {
  const key = 'lin_api_emulator'
  const emulator = linearEmulator({ seed: 'company', apiKey: key, limits: { requests: 1e9, points: 1e12 } })
  const { url } = await emulator.listen()
  const ask = (query: string, variables: object = {}) => sendJson(`${url}/graphql`, key, { query, variables })
  return {
    ...{ vendor: 'linear', url, key },
    begin({ prepare }) {
      emulator.reset()
      prepare?.linear?.(emulator)
      emulator.snapshot('beginning')
    },
    async signIn() {
      const { accessToken } = await emulator.login('robin.vance@lodestar.example')
      emulator.snapshot('beginning')
      return accessToken
    },
    requests: () => emulator.requests().length,
    async changes() {
      emulator.faults.clear()
      const diff = emulator.diff('beginning')
      const names = await readNames(ask, emulator.store)
      return changesIn(diff, {
        nameOf: (_, row) => nameIn(row, names),
        fieldsOf: (_, row) => fieldsOf(row, names),
      })
    },
    async doHarm() {
      const found = await ask('{ issue(id: "DES-13") { id } }')
      await ask('mutation($id: String!) { issueArchive(id: $id) { success } }', { id: member(member(found['data'], 'issue'), 'id') })
    },
    async [Symbol.asyncDispose]() {
      await emulator.close()
    },
  }
}

/** The names of everything that a row can refer to, by id. */
async function readNames(ask: (query: string) => Promise<JsonObject>, store: ReturnType<typeof linearEmulator>['store']) {
  const data = (await ask(named))['data']
  const lists = ['users', 'teams', 'workflowStates', 'issueLabels', 'cycles', 'projects', 'projectMilestones', 'projectStatuses']
  const records = [...lists, 'initiatives', 'documents'].flatMap((list) => rows(member(member(data, list), 'nodes')))
  return new Map([
    ...records.map((row) => [String(row['id']), row['name'] ?? row['number'] ?? row['title']] as const),
    ...store.issues().map(({ id, identifier }) => [String(id), identifier] as const),
    ...store.comments().map(({ id, body }) => [String(id), body] as const),
  ])
}

/** A row's name, or a comment's text. */
function nameIn(row: JsonObject, names: ReadonlyMap<string, unknown>): string {
  const name = names.get(String(row['id']))
  return typeof name === 'string' || typeof name === 'number' ? String(name) : ''
}

function fieldsOf(row: JsonObject, names: ReadonlyMap<string, unknown>): JsonObject {
  const kept = Object.entries(row).filter(([column]) => !derived.test(column))
  return Object.fromEntries(
    kept.map(([column, value]) => {
      if (column.endsWith('At')) return [column.replace(/At$/, ''), value !== null]
      return column.endsWith('Id') ? [column.replace(/Id$/, ''), names.get(String(value)) ?? value] : [column, value]
    }),
  )
}
