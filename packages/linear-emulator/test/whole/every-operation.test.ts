import { type JsonObject, toObject } from '@mcp-toolkits/emulator'
import { dig } from '@mcp-toolkits/emulator/testing'
import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { behaviors } from '../../src/whole/api.ts'
import { vendorSchema } from '../../src/whole/schema.ts'
import { openWhole } from './emulator.ts'

const schema = vendorSchema()
const queries = schema.getQueryType()?.getFields() ?? {}
const mutations = schema.getMutationType()?.getFields() ?? {}

/** Entities of the seed to which inputs can refer, by the beginning of their names. */
const roots = { team: 'teams', project: 'projects', initiative: 'initiatives', issue: 'issues', user: 'users', cycle: 'cycles' } as const

/** What inputs need although their types do not say so. */
const needed: Readonly<Record<string, readonly string[]>> = {
  CommentCreateInput: ['body', 'issueId'],
  CustomerNeedCreateInput: ['issueId'],
  IssueCreateInput: ['title'],
  CustomerUpsertInput: ['name'],
  FavoriteCreateInput: ['issueId'],
  NotificationSubscriptionCreateInput: ['teamId'],
  ProjectUpdateCreateInput: ['body'],
  ReactionCreateInput: ['issueId'],
  WebhookCreateInput: ['teamId'],
}

/** Where no value of the right type alone will do. */
const particular: JsonObject = {
  url: 'https://a.example/',
  resourceTypes: ['Issue'],
  endsAt: '2099-02-01',
  startsAt: '2099-01-01',
  size: 1,
  action: 'assign',
  email: 'a@b.example',
}

const types: Readonly<Record<string, unknown>> = {
  Boolean: true,
  Int: 1,
  Float: 1,
  DateTime: '2099-01-01',
  TimelessDate: '2099-01-01',
  Duration: 'P1D',
  UUID: '',
  JSON: {},
  JSONObject: {},
}

type Ids = Readonly<Record<string, string>>

/** A value that a type accepts; ids are those of entities that exist. */
function sample(name: string, type: GraphQLInputType, ids: Ids): unknown {
  const nullable = getNullableType(type)
  if (name in particular) return particular[name]
  if (isListType(nullable)) return [sample(name.replace(/s$/, ''), nullable.ofType, ids)]
  const named = getNamedType(type)
  if (isEnumType(named)) return named.getValues()[0]?.value
  if (isInputObjectType(named)) return inputOf(named.name, ids)
  const reference = /^(?:related|new|original)?(\w+?)Id$/.exec(name)?.[1]
  if (reference !== undefined && reference !== '') return ids[reference.slice(0, 1).toLowerCase() + reference.slice(1)] ?? ids['issue']
  if (name === 'type') return 'started'
  return types[named.name] ?? `sample ${name}`
}

function inputOf(type: string, ids: Ids): JsonObject {
  const declared = schema.getType(type)
  if (!isInputObjectType(declared)) return {}
  const fields = Object.values(declared.getFields()).filter(
    (field) => isRequiredInputField(field) || needed[type]?.includes(field.name) === true,
  )
  return Object.fromEntries(fields.map((field) => [field.name, sample(field.name, field.type, ids)]))
}

/** Every scalar of an object, and one level below it. */
function selectionOf(type: string, depth = 2): string {
  const declared = schema.getType(type)
  if (isInterfaceType(declared)) return 'id' in declared.getFields() ? '__typename id' : '__typename'
  if (!isObjectType(declared)) return '__typename'
  const fields = Object.values(declared.getFields()).filter(({ args }) => !args.some(isRequiredArgument))
  const selected = fields.flatMap((field) => {
    const named = getNamedType(field.type)
    if (isLeafType(named)) return [field.name]
    if (named.name.endsWith('Connection') || depth === 0) return []
    return [`${field.name} { ${depth === 1 ? '__typename' : selectionOf(named.name, depth - 1)} }`]
  })
  return ['__typename', ...selected].join(' ')
}

/** One operation with the arguments that it needs. */
function operation(kind: 'query' | 'mutation', name: string, given: JsonObject, ids: Ids) {
  const field = (kind === 'query' ? queries : mutations)[name]
  if (field === undefined) throw new Error(name)
  const args = field.args.filter((arg) => isRequiredArgument(arg) || arg.name in given)
  const variables = Object.fromEntries(args.map((arg) => [arg.name, given[arg.name] ?? sample(arg.name, arg.type, ids)]))
  const parameters = args.length === 0 ? '' : `(${args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ')})`
  const passed = args.length === 0 ? '' : `(${args.map((arg) => `${arg.name}: $${arg.name}`).join(', ')})`
  const named = getNamedType(field.type)
  const isConnection = named.name.endsWith('Connection')
  const selection = isLeafType(named)
    ? ''
    : isConnection
      ? '{ nodes { __typename } pageInfo { hasNextPage } }'
      : `{ ${selectionOf(named.name)} }`
  return { text: `${kind}${parameters} { ${name}${passed} ${selection} }`, variables }
}

async function open() {
  const emulator = openWhole()
  const found = await Promise.all(
    Object.entries(roots).map(
      async ([name, root]) => [name, String(await emulator.at(`${root}.nodes.0.id`, `{ ${root}(first: 1) { nodes { id } } }`))] as const,
    ),
  )
  return { ...emulator, ids: Object.fromEntries(found) }
}

const named = (kind: 'Query' | 'Mutation') =>
  [...behaviors()].filter((key) => key.startsWith(`${kind}.`)).map((key) => key.slice(kind.length + 1))

const created = named('Mutation').filter((name) => name.endsWith('Create') && !/Batch|ToProject|Relation|ToRelease|Membership/.test(name))

describe('what behaves', () => {
  it.for(created)('%s is found, changed and removed again', async (name) => {
    const { ask, ids } = await open()
    const run = async (kind: 'query' | 'mutation', field: string, given: JsonObject = {}) => {
      const { text, variables } = operation(kind, field, given, all)
      const { data, errors } = await ask(text, variables)
      expect(errors, `${field} ${JSON.stringify(variables)}`).toEqual([])
      return toObject(toObject(data)[field])
    }
    const all: Record<string, string> = { ...ids }
    // What some entities belong to is made first.
    for (const before of [
      'releasePipelineCreate',
      'releaseStageCreate',
      'roadmapCreate',
      'customerCreate',
      'documentCreate',
      'gitAutomationTargetBranchCreate',
    ]) {
      if (before === name || name === 'releasePipelineCreate' || !/release|roadmap|customerNeed|gitAutomation/.test(name)) continue
      const made = Object.entries(await run('mutation', before)).find(([, value]) => typeof dig(value, 'id') === 'string')
      if (made)
        for (const alias of [made[0], made[0].replace(/^release/, '').toLowerCase(), made[0].replace('gitAutomationT', 't')])
          all[alias] = String(dig(made[1], 'id'))
    }
    const payload = await run('mutation', name)
    const entity = Object.entries(payload).find(([, value]) => typeof dig(value, 'id') === 'string')
    const id = String(dig(entity?.[1], 'id'))
    const kind = name.slice(0, -'Create'.length)
    if (kind in queries && behaviors().has(`Query.${kind}`)) expect((await run('query', kind, { id }))['id']).toBe(id)
    for (const verb of ['Update', 'Archive', 'Unarchive', 'Delete']) {
      if (!behaviors().has(`Mutation.${kind}${verb}`)) continue
      if (verb === 'Archive' && /^(?:workflowState|projectStatus)$/.test(kind)) continue
      const args = verb === 'Update' ? { id, input: entity === undefined ? {} : updateOf(kind, all) } : { id }
      expect((await run('mutation', kind + verb, args))['success']).toBe(true)
    }
  })

  it.for(
    named('Query').filter(
      (name) => queries[name]?.args.every((arg) => !isRequiredArgument(arg)) === true && !/^(?:comment|customerNeed)$/.test(name),
    ),
  )('%s answers', async (name) => {
    const { ask, ids } = await open()
    const { text, variables } = operation('query', name, {}, ids)
    expect((await ask(text, variables)).errors, name).toEqual([])
  })
})

/** What an update needs. */
const updateOf = (kind: string, ids: Ids): JsonObject => inputOf(`${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}UpdateInput`, ids)
