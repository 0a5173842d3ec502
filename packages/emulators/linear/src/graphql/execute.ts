import { isObject, type JsonObject } from '@mcp-toolkits/emulator'
import { StoreError } from '@mcp-toolkits/sqlite'
import {
  type DocumentNode,
  execute as executeDocument,
  type FragmentDefinitionNode,
  getDirectiveValues,
  getNamedType,
  getOperationAST,
  getVariableValues,
  GraphQLError,
  type GraphQLFieldResolver,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  isCompositeType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isScalarType,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  validate,
  type VariableValues,
} from 'graphql'
import { type Caller, checkScope, checkTypeScope } from '../auth.ts'
import { type StoredField, storedValue } from '../engine/fields.ts'
import { resolverOf } from '../entities.ts'
import { badArgument, badDocument, Interruption, LinearError, notEmulated, tooComplex } from '../errors.ts'
import type { Session } from '../store/session.ts'
import { documentSchema, fragmentsOf, vendorSchema } from './document-schema.ts'

/** The maximum complexity of one operation: https://linear.app/developers/rate-limiting. */
export const maximumComplexity = 10_000

const defaultPageSize = 50

/** An operation and everything that its cost depends on. */
interface CostContext {
  readonly schema: GraphQLSchema
  readonly operation: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: VariableValues
  /** The cost of each fragment seen so far, because fragments that spread others twice would otherwise take exponential time. */
  readonly fragmentCosts: Map<FragmentDefinitionNode, number>
}

// In tenths of a point, so that sums are exact.
const scalarCost = 1
const objectCost = 10

/** An operation's points before rounding: 0.1 for a scalar, 1 for an object; a connection multiplies its children's points. */
export function complexityOf(operation: Omit<CostContext, 'fragmentCosts'>): number {
  const context: CostContext = { ...operation, fragmentCosts: new Map() }
  const root = context.schema.getRootType(context.operation.operation)
  return root ? costOfSet(context, context.operation.selectionSet, root) / 10 : 0
}

function costOfSet(context: CostContext, { selections }: SelectionSetNode, parent: GraphQLNamedType): number {
  return selections
    .filter((selection) => isIncluded(selection, context))
    .reduce((sum, selection) => sum + costOf(context, selection, parent), 0)
}

function costOf(context: CostContext, selection: SelectionNode, parent: GraphQLNamedType): number {
  if (selection.kind === Kind.INLINE_FRAGMENT) {
    const name = selection.typeCondition?.name.value
    return costOfSet(context, selection.selectionSet, (name === undefined ? undefined : context.schema.getType(name)) ?? parent)
  }
  if (selection.kind === Kind.FRAGMENT_SPREAD) {
    const fragment = context.fragments.get(selection.name.value)
    return fragment ? costOfFragment(context, fragment) : 0
  }
  if (!isCompositeType(parent)) return 0
  const field = context.schema.getField(parent, selection.name.value)
  const type = field && getNamedType(field.type)
  if (!type || isLeafType(type) || selection.selectionSet === undefined) return scalarCost
  const inside = costOfSet(context, selection.selectionSet, type)
  return type.name.endsWith('Connection') ? inside * pageSize(context, selection) : objectCost + inside
}

function costOfFragment(context: CostContext, fragment: FragmentDefinitionNode): number {
  const known = context.fragmentCosts.get(fragment)
  if (known !== undefined) return known
  const type = context.schema.getType(fragment.typeCondition.name.value)
  const cost = type ? costOfSet(context, fragment.selectionSet, type) : 0
  context.fragmentCosts.set(fragment, cost)
  return cost
}

function pageSize({ variables }: CostContext, selection: SelectionNode): number {
  if (selection.kind !== Kind.FIELD) return defaultPageSize
  for (const { name, value } of selection.arguments ?? []) {
    if (name.value !== 'first' && name.value !== 'last') continue
    const size =
      value.kind === Kind.INT ? Number(value.value) : value.kind === Kind.VARIABLE ? variables.coerced[value.name.value] : undefined
    if (typeof size === 'number') return Math.max(size, 0)
  }
  return defaultPageSize
}

function isIncluded(selection: SelectionNode, { variables }: CostContext): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variables)
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variables)
  return skip?.['if'] !== true && include?.['if'] !== false
}

/** A document, and the schema for which it is valid. */
interface ValidDocument {
  readonly document: DocumentNode
  readonly schema: GraphQLSchema
  /** Names of the schema's input fields; all of them if undefined. */
  readonly names: ReadonlySet<string> | undefined
}

interface GraphQLCall {
  readonly query: string
  readonly variables: JsonObject
  readonly operationName: string | undefined
  readonly caller: Caller
  /** True if the call fails after its first mutation. */
  readonly isInterrupted: boolean
  /** Called after the operation has been found valid. */
  readonly openSession: (complexity: number) => Session
}

/** Runs an operation. Mutations run in order, each in its own transaction, until the first one fails. */
export async function execute(call: GraphQLCall) {
  const { document, ...valid } = validDocument(call)
  const operation = getOperationAST(document, call.operationName)
  if (!operation) throw badDocument('Must provide the name of an operation of the document.', 'OPERATION_RESOLUTION_FAILURE')
  const { schema, variables } = withVariables(call, operation, valid.schema)
  const complexity = complexityOf({ schema, operation, fragments: fragmentsOf(document), variables })
  if (complexity > maximumComplexity) throw tooComplex(complexity, maximumComplexity)
  const { caller } = call
  const session = call.openSession(Math.ceil(complexity))
  let mutations = 0
  const fieldResolver = (...[source, args, , info]: Parameters<GraphQLFieldResolver<unknown, unknown, unknown>>) => {
    if (info.parentType.name === 'Mutation') mutations += 1
    if (mutations > 1 && call.isInterrupted) throw new Interruption()
    return resolve({ source: isObject(source) ? source : {}, args: isObject(args) ? args : {}, session, caller }, info)
  }
  const { data = null, errors: failures = [] } = await executeDocument({
    schema,
    document,
    rootValue: {},
    contextValue: session,
    variableValues: call.variables,
    ...(call.operationName !== undefined && { operationName: call.operationName }),
    fieldResolver,
    typeResolver: (source: unknown) => (isObject(source) && typeof source['kind'] === 'string' ? source['kind'] : undefined),
  })
  const unusable = failures.find(({ cause }) => cause instanceof StoreError)
  if (unusable) throw unusable.cause
  if (failures.some(({ cause }) => cause instanceof Interruption)) return { status: 500, body: { errors: [internalError] } }
  const scopeFailed = data === null && failures.some(({ cause }) => cause instanceof LinearError && cause.status === 400)
  return { status: scopeFailed ? 400 : 200, body: { data, ...(failures.length > 0 && { errors: failures.map(toErrorBody) }) } }
}

/** An operation's variables. The full schema reports errors in them. */
function withVariables(
  call: GraphQLCall,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
): Pick<CostContext, 'schema' | 'variables'> {
  const { errors, variableValues } = getVariableValues(schema, operation.variableDefinitions ?? [], call.variables)
  if (errors === undefined) return { schema, variables: variableValues }
  if (schema === vendorSchema()) throw badDocument(errors[0]?.message ?? 'Bad variables.', 'BAD_USER_INPUT')
  return withVariables(call, operation, vendorSchema())
}

/** Maximum number of documents to remember. Clients send few different ones, and parsing one takes as long as running it. */
const maxDocuments = 200

/** Valid documents of earlier calls by text, for all emulators in the process. */
const served = new Map<string, ValidDocument>()

function validDocument({ query, variables }: GraphQLCall): ValidDocument {
  const known = served.get(query)
  const names = namesWithin(variables)
  if (known !== undefined && (known.names === undefined || names.every((name) => known.names?.has(name)))) return known
  const valid = withSchema(known?.document ?? parseDocument(query), new Set([...names, ...(known?.names ?? [])]))
  served.set(query, valid)
  const [oldest] = served.keys()
  if (served.size > maxDocuments && oldest !== undefined) served.delete(oldest)
  return valid
}

/** The field names of objects in a value. */
const namesWithin = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.flatMap(namesWithin)
    : isObject(value)
      ? Object.entries(value).flatMap(([name, each]) => [name, ...namesWithin(each)])
      : []

/** A document with its part of the schema or, if invalid for that part, with the full schema, which reports why. */
function withSchema(document: DocumentNode, names: ReadonlySet<string>): ValidDocument {
  const part = documentSchema(document, names)
  if (part !== undefined && validate(part, document).length === 0) return { document, schema: part, names }
  const schema = vendorSchema()
  const [problem] = validate(schema, document)
  if (problem !== undefined) throw badDocument(problem.message, 'GRAPHQL_VALIDATION_FAILED')
  return { document, schema, names: undefined }
}

/** Maximum number of tokens in a document: several times the length of our client's longest. Validation takes quadratic time. */
const maxLexicalTokens = 4_000

function parseDocument(query: string): DocumentNode {
  try {
    return parse(query, { maxLexicalTokens })
  } catch (error) {
    throw error instanceof GraphQLError ? badDocument(error.message, 'GRAPHQL_PARSE_FAILED') : error
  }
}

interface Field extends Pick<StoredField, 'source' | 'args' | 'session'> {
  readonly caller: Caller
}

function resolve({ source, args, session, caller }: Field, info: GraphQLResolveInfo): unknown {
  const { name } = info.parentType
  const resolver = resolverOf(name, info.fieldName)
  if (name === 'Query' || name === 'Mutation') {
    if (resolver === undefined) throw notEmulated(name, info.fieldName)
    checkScope(caller, name, info.fieldName)
  }
  if (info.operation.operation === 'query') checkTypeScope(caller, getNamedType(info.returnType).name)
  if (args['sort'] !== undefined && args['sort'] !== null) throw badArgument('sort is internal.')
  if (name === 'Mutation' && resolver !== undefined) return session.mutate(info.fieldName, () => resolver(source, args, session))
  const found = resolver === undefined ? source[info.fieldName] : resolver(source, args, session)
  const value: unknown = isFunction(found) ? found() : found
  const stored = resolver === undefined ? storedValue(value, { source, args, session, parent: name, name: info.fieldName }) : value
  return stored ?? emptyValue(info.returnType)
}

const isFunction = (value: unknown): value is () => unknown => typeof value === 'function'

/** The value of an unsupported field: null or, if its type forbids that, an empty value. */
function emptyValue(type: GraphQLOutputType): unknown {
  if (!isNonNullType(type)) return null
  if (isListType(type.ofType)) return []
  const named = getNamedType(type)
  if (isEnumType(named)) return named.getValues()[0]?.value
  if (!isScalarType(named)) return null
  const empty: Readonly<Record<string, unknown>> = { Boolean: false, Int: 0, Float: 0, String: '', JSONObject: {} }
  return empty[named.name] ?? null
}

/** An error in Linear's format. An unexpected error reveals nothing about its cause. */
function toErrorBody({ message, path, locations, cause }: GraphQLError): JsonObject {
  const at = { ...(path && { path }), ...(locations && { locations }) }
  if (cause instanceof LinearError) return { message: cause.message, ...at, extensions: cause.extensions }
  if (cause === undefined) return { message, ...at, extensions: { type: 'graphql error', code: 'GRAPHQL_ERROR', statusCode: 400 } }
  return { ...internalError, ...at }
}

const internalError = {
  message: 'Internal server error',
  extensions: { type: 'internal error', code: 'INTERNAL_SERVER_ERROR', statusCode: 500 },
}
