import {
  buildSchema,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type SelectionSetNode,
  type TypeNode,
  visit,
} from 'graphql'
import { definitionOf, fieldsOf, interfacesOf, isRequired, kindOf, loadedSdl, nameOf, possibleTypes } from '../vendor/declarations.ts'

const build = (sdl: string) => buildSchema(sdl, { assumeValid: true, assumeValidSDL: true, noLocation: true })

let full: GraphQLSchema | undefined

/** Linear's full schema, which takes a quarter of a second to build. Only invalid documents need it. */
export const vendorSchema = (): GraphQLSchema => (full ??= build(loadedSdl()))

/** Thrown for a document that does not match the vendor's schema. */
class Unknown extends Error {}

/**
 * The part of the vendor's schema that a document uses, built in a few milliseconds: the selected fields, and input fields with the given
 * names. A document that is valid for this part is valid for the whole schema. Undefined if a document uses anything unknown to the vendor.
 */
export function documentSchema(document: DocumentNode, names: ReadonlySet<string>): GraphQLSchema | undefined {
  try {
    return build(partOf(document, new Set([...names, ...namesIn(document)])))
  } catch (error) {
    if (error instanceof Unknown) return undefined
    throw error
  }
}

/** The names of input fields in a document. */
function namesIn(document: DocumentNode): ReadonlySet<string> {
  const names = new Set<string>()
  visit(document, {
    ObjectField: ({ name }) => {
      names.add(name.value)
    },
  })
  return names
}

/** The root type for each kind of operation; there are no subscriptions. */
const rootTypes = { query: 'Query', mutation: 'Mutation', subscription: '' }

/** A document's fragments, by name. */
export const fragmentsOf = ({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> =>
  new Map(definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [])))

function partOf(document: DocumentNode, names: ReadonlySet<string>): string {
  const fragments = fragmentsOf(document)
  /** Each type's used fields, with their used arguments. */
  const used = new Map<string, Map<string, Set<string>>>()
  const others = new Map<string, string>()
  const visited = new Map<SelectionSetNode, Set<string>>()

  const addInput = (type: string) => {
    if (others.has(type)) return
    const kind = kindOf(type)
    if (['type', 'interface', 'union'].includes(kind)) throw new Unknown()
    const kept = kind === 'input' ? [...fieldsOf(type)].filter(([name, field]) => names.has(name) || isRequired(field.type)) : []
    const fields = kept.map(([name, field]) => `${name}: ${field.type}`)
    others.set(type, kind === 'input' ? defined(`input ${type}`, fields) : (definitionOf(type) ?? ''))
    for (const [, field] of kept) addInput(nameOf(field.type))
  }
  const addSelection = (type: string, selectionSet: SelectionSetNode) => {
    const seen = visited.get(selectionSet) ?? new Set<string>()
    if (seen.has(type)) return
    visited.set(selectionSet, seen.add(type))
    const fields = used.get(type) ?? new Map<string, Set<string>>()
    used.set(type, fields)
    for (const each of possibleTypes(type)) addSelection(each, selectionSet)
    for (const selection of selectionSet.selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) addSelection(selection.typeCondition?.name.value ?? type, selection.selectionSet)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(selection.name.value)
        if (fragment === undefined) throw new Unknown()
        addSelection(fragment.typeCondition.name.value, fragment.selectionSet)
      } else if (selection.name.value !== '__typename' && kindOf(type) !== 'union') {
        const field = fieldsOf(type).get(selection.name.value)
        if (field === undefined) throw new Unknown()
        const args =
          fields.get(selection.name.value) ?? new Set([...field.args].flatMap(([name, each]) => (isRequired(each) ? [name] : [])))
        fields.set(selection.name.value, args)
        for (const { name } of selection.arguments ?? []) args.add(name.value)
        for (const name of args) addInput(nameOf(field.args.get(name) ?? ''))
        if (selection.selectionSet === undefined) addInput(nameOf(field.type))
        else addSelection(nameOf(field.type), selection.selectionSet)
      }
    }
  }
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    addSelection(rootTypes[definition.operation], definition.selectionSet)
    for (const { type } of definition.variableDefinitions ?? []) addInput(namedTypeOf(type))
  }
  return [...[...used].map(([type, fields]) => written(type, fields, used)), ...others.values()].join('\n')
}

const namedTypeOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : namedTypeOf(type.type))

/** A type's definition with only the used fields. */
function written(type: string, fields: ReadonlyMap<string, ReadonlySet<string>>, used: ReadonlyMap<string, unknown>): string {
  if (kindOf(type) === 'union') return `union ${type} = ${possibleTypes(type).join(' | ')}`
  const interfaces = interfacesOf(type).filter((each) => used.has(each))
  const declared = fieldsOf(type)
  const lines = [...fields].map(([name, args]) => {
    const field = declared.get(name)
    const given = [...args].flatMap((each) => (field?.args.has(each) === true ? [`${each}: ${field.args.get(each) ?? ''}`] : []))
    return `${name}${given.length === 0 ? '' : `(${given.join(' ')})`}: ${field?.type ?? ''}`
  })
  const heading = `${kindOf(type)} ${type}${interfaces.length === 0 ? '' : ` implements ${interfaces.join(' & ')}`}`
  return defined(heading, lines)
}

const defined = (heading: string, fields: readonly string[]) => (fields.length === 0 ? heading : `${heading} { ${fields.join(' ')} }`)
