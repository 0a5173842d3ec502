import { isObject, type JsonObject } from '@mcp-toolkits/emulator'
import { dig } from '@mcp-toolkits/emulator/testing'
import {
  getNamedType,
  getNullableType,
  type GraphQLInputField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql'
import { expect, it } from 'vitest'
import { openSamples } from './sample-entities.ts'
import { behaving, mutations, queries, sampleInput, sampleValues } from './samples.ts'

/** A field of an update's input, and its place in the entity. */
interface Shown {
  readonly input: GraphQLInputField
  /** Selects the field of the entity. */
  readonly selection: string
  /** Path of the value in the selection. */
  readonly path: string
  /** The kind of entity that the field refers to. */
  readonly refersTo?: string
  /** True if the entity has the value as text. */
  readonly isText: boolean
}

const isQueried = new Set(behaving('Query'))
const isMutation = new Set(behaving('Mutation'))

/** The entity's field that shows an input field; undefined if there is none. */
function shownBy(input: GraphQLInputField, entity: GraphQLObjectType | GraphQLInterfaceType): Shown | undefined {
  const fields = entity.getFields()
  const { name } = input
  const related = name.endsWith('Ids')
    ? fields[name.replace(/Ids$/, 's')]
    : name.endsWith('Id')
      ? fields[name.replace(/Id$/, '')]
      : undefined
  const type = related && getNamedType(related.type).name
  if (related !== undefined && type !== undefined) {
    const isPage = type.endsWith('Connection')
    const target = type.replace(/Connection$/, '')
    const selection = `${related.name} { ${isPage ? 'nodes { id }' : 'id'} }`
    const path = isPage ? `${related.name}.nodes` : related.name
    return { input, selection, path, refersTo: target.slice(0, 1).toLowerCase() + target.slice(1), isText: false }
  }
  const own = fields[name]
  if (own === undefined || name === 'id' || !isLeafType(getNamedType(own.type))) return undefined
  return { input, selection: name, path: name, isText: String(getNullableType(own.type)) === 'String' }
}

/** An update's types: its input, its entity, and the payload field with the entity. */
function typesOf(mutation: string) {
  const field = mutations[mutation]
  const payload = field && getNamedType(field.type)
  const argument = field?.args.find(({ name }) => name === 'input')
  const input = argument && getNamedType(argument.type)
  if (!isObjectType(payload) || !isInputObjectType(input)) throw new Error(`${mutation} has no input or no payload.`)
  for (const { name, type } of Object.values(payload.getFields())) {
    const entity = getNamedType(type)
    if (isObjectType(entity) || isInterfaceType(entity)) return { input, entity, member: name }
  }
  throw new Error(`${mutation} returns no entity.`)
}

/** Replaces entities with their ids. */
const idsIn = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(idsIn) : isObject(value) && typeof value['id'] === 'string' ? value['id'] : value

/** The entity that another field must refer to before a field can have a value. */
const together: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  projectMilestoneId: { projectId: 'project' },
  delegateId: { teamId: 'teamWithApp' },
}

/** Kinds whose fields depend on each other, so each field is changed in a new entity. */
const dependent = new Set(['issue'])

/** Changes one entity field by field. */
async function openUpdate(mutation: string) {
  const samples = await openSamples()
  const kind = mutation.slice(0, -'Update'.length)
  const { input, entity, member } = typesOf(mutation)
  let only: Promise<string> | undefined
  const takesId = mutations[mutation]?.args.some(({ name }) => name === 'id') === true

  /** A field of the entity, read through its query; undefined if there is none. */
  async function read(id: string, selection: string): Promise<unknown> {
    const query = queries[kind]
    if (query === undefined || !isQueried.has(kind)) return undefined
    return query.args.some(({ name }) => name === 'id')
      ? samples.at(kind, `query($id: String!) { ${kind}(id: $id) { ${selection} } }`, { id })
      : samples.at(kind, `{ ${kind} { ${selection} } }`)
  }

  async function change(id: string, values: JsonObject, selection: string) {
    const [declared, passed] = takesId ? ['$id: String!, ', 'id: $id, '] : ['', '']
    const text = `mutation(${declared}$input: ${input.name}!) { ${mutation}(${passed}input: $input) { ${member} { ${selection} } } }`
    const { data, errors } = await samples.ask(text, {
      ...(takesId && { id }),
      input: { ...sampleInput(input.name, samples.ids), ...values },
    })
    return { entity: dig(data, `${mutation}.${member}`), refused: errors.length === 0 ? undefined : JSON.stringify(errors) }
  }

  async function valuesFor({ input: field, refersTo }: Shown): Promise<readonly unknown[]> {
    if (refersTo === undefined) return sampleValues(field)
    const found = await samples.idsOf(refersTo)
    const all = found.length > 0 || !isMutation.has(`${refersTo}Create`) ? found : [await samples.create(refersTo)]
    return isListType(getNullableType(field.type)) ? all.map((each) => [each]) : all
  }

  /** Why a field's update failed; undefined if a query shows the new value. */
  async function problem(shown: Shown): Promise<string | undefined> {
    const {
      selection,
      path,
      isText,
      input: { name },
    } = shown
    const id = dependent.has(kind) ? await samples.entity(kind) : await (only ??= samples.entity(kind))
    const others = Object.fromEntries(Object.entries(together[name] ?? {}).map(([field, target]) => [field, samples.ids[target]]))
    const before = idsIn(dig(await read(id, selection), path))
    const written = (value: unknown) => (isText && typeof value !== 'string' ? JSON.stringify(value) : value)
    const values = (await valuesFor(shown)).filter((value) => value !== id && JSON.stringify(written(value)) !== JSON.stringify(before))
    let refusal: string | undefined
    for (const value of values) {
      const { entity: changed, refused } = await change(id, { ...others, [name]: value }, selection)
      refusal = refused
      if (refused !== undefined) continue
      const after = idsIn(dig((await read(id, selection)) ?? changed, path))
      return JSON.stringify(after) === JSON.stringify(written(value))
        ? undefined
        : `${name}: sent ${JSON.stringify(value)}, reads ${JSON.stringify(after)}`
    }
    return refusal === undefined ? undefined : `${name}: ${refusal}`
  }
  return { fields: Object.values(input.getFields()).flatMap((field) => shownBy(field, entity) ?? []), problem }
}

it.for(behaving('Mutation').filter((name) => name.endsWith('Update') && name !== 'issueBatchUpdate'))(
  '%s changes what a query reads',
  async (mutation) => {
    const { fields, problem } = await openUpdate(mutation)
    const problems: string[] = []
    for (const field of fields) problems.push(...[await problem(field)].filter((each) => each !== undefined))
    expect(problems).toEqual([])
  },
)
