import { randomUUID } from 'node:crypto'
import { type Clock, isObject, type JsonObject, member, parseJson, systemClock } from '@mcp-toolkits/core/base'
import { Conflict, NotFound, type ToolError, Unavailable } from '@mcp-toolkits/core/errors'
import { repeatedPage } from '@mcp-toolkits/core/references'
import type { CallScope, Identity, Operation } from '@mcp-toolkits/core/tool'
import {
  type ClientOptions,
  type CompleteResponse,
  createTransport,
  jsonOf,
  memoryLimits,
  transientStatuses,
} from '@mcp-toolkits/core/upstream'
import * as z from 'zod'
import { conditionOf, type Document, documentOf, field, query, snakeCase, toRecord, type VariableTypes } from './document.ts'
import {
  errorOf,
  errorsIn,
  gatewayError,
  holdsIn,
  noData,
  partialNotice,
  SchemaMismatch,
  type UnknownField,
  type VendorError,
} from './errors.ts'

/** A Linear client. All its calls share the account's limits. */
export interface LinearClient {
  /** The client for one tool call. When the call ends, so do all its requests. */
  readonly forCall: (scope: CallScope, notice?: (text: string) => void) => LinearCall
}

export interface LinearCall {
  /**
   * Sends one document and resolves with its data, in snake_case and checked against the document's schema. Throws typed errors;
   * transient ones are retried.
   */
  readonly send: <Variables extends object, Data extends z.ZodType>(
    document: Document<Variables, Data>,
    variables: NoInfer<Variables>,
  ) => Promise<z.output<Data>>
  /** True once Linear has rejected a field with this name as unknown, on any type. */
  readonly lacks: (field: string) => boolean
}

/** Maximum number of times that a document is sent. The backoff grows, so the call usually runs out of time first. */
const maxAttempts = 7

/** A client that sends each document in its own request. */
export function linearClient({ fetch, url, clock = systemClock, limits = memoryLimits(clock), telemetry }: ClientOptions): LinearClient {
  const transport = createTransport({
    fetch,
    vendor: 'Linear',
    limits,
    telemetry,
    holdsIn: (response, error) => holdsIn(response, error, clock),
  })
  /** Fields that Linear turned out not to know, by document. */
  const unknownFields = new Map<string, readonly UnknownField[]>()
  return {
    forCall: (scope, notice = () => undefined) => ({
      lacks: (name) => [...unknownFields.values()].flat().some(({ field }) => field === name),
      async send(document, variables) {
        let unknown = unknownFields.get(document.name) ?? []
        for (;;) {
          const { text, conditions } = unknown.length === 0 ? document : document.without(unknown)
          const body = JSON.stringify({ query: text, operationName: document.name, variables: withConditions(conditions, variables) })
          const headers = { 'content-type': 'application/json' }
          const isWrite = text.startsWith('mutation')
          const request = { url, method: 'POST', isWrite, headers, body, operation: document.name, maxAttempts }
          try {
            const data = await transport.send(request, reader(document, variables, { clock, notice }), scope)
            for (const { field, type } of unknown) notice(`Linear no longer knows ${field} of ${type}; it is left out.`)
            return data
          } catch (error) {
            // A document that does not match the schema is refused before any of it runs, so even a mutation can be resent.
            if (!(error instanceof SchemaMismatch)) throw error
            unknown = [...unknown, ...error.unknown]
            if (error.unknown.length === 0 || document.without(unknown).text === text) throw error
            unknownFields.set(document.name, unknown)
          }
        }
      },
    }),
  }
}

/** Reads the response to a document. Complete data counts even if Linear also reports an error, which becomes a notice. */
function reader<Data extends z.ZodType>(
  document: { readonly name: string; readonly data: Data },
  variables: object,
  { clock, notice }: { readonly clock: Clock; readonly notice: (text: string) => void },
) {
  return (response: CompleteResponse): z.output<Data> => {
    const { data, errors } = answerIn(response, clock)
    if (isPageAfter(data, member(variables, 'after'))) throw repeatedPage('Linear')
    if (errors.length === 0) {
      if (isRefused(data)) throw new RefusedWithoutReason()
      return recordsOf(document, data)
    }
    const kept = document.data.safeParse(toRecord(data, true))
    if (!kept.success || isRefused(data)) throw errorOf(response, errors, clock)
    notice(partialNotice(errors))
    return kept.data
  }
}

/** The error for a response with an unsuccessful status. */
export function refusalOf(response: CompleteResponse, clock: Clock): ToolError {
  // For a server error, the status alone decides: the body may come from a gateway.
  if (response.status !== 429 && transientStatuses.includes(response.status)) return gatewayError(response, clock)
  return errorOf(response, errorsIn(member(parseJson(response.text), 'errors')), clock)
}

/** A response's data, and any errors alongside it. Throws typed errors if there is no data. */
function answerIn(response: CompleteResponse, clock: Clock): { readonly data: JsonObject; readonly errors: readonly VendorError[] } {
  if (!response.ok) throw refusalOf(response, clock)
  const json = jsonOf(response, 'Linear')
  const data = member(json, 'data')
  const errors = errorsIn(member(json, 'errors'))
  if (errors.length > 0 && !isObject(data)) throw errorOf(response, errors, clock)
  if (!isObject(data)) throw noData()
  return { data, errors }
}

/** True if Linear answered a mutation with `success: false`, perhaps without an error. */
function isRefused(data: Readonly<Record<string, unknown>>): boolean {
  return Object.values(data).some((payload) => member(payload, 'success') === false)
}

/** Error for a payload with `success: false`; Linear continues with the request's other mutations. */
export class RefusedWithoutReason extends Unavailable {
  constructor() {
    super('Linear answered "success: false" and gave no reason. Read the record before you try again.', { retryable: false })
  }
}

/** True if a page ends at the cursor that it was meant to start after, which would make paging endless. */
function isPageAfter(value: unknown, cursor: unknown): boolean {
  if (typeof cursor !== 'string' || typeof value !== 'object' || value === null) return false
  if (member(value, 'hasNextPage') === true && member(value, 'endCursor') === cursor) return true
  return Object.values(value).some((each) => isPageAfter(each, cursor))
}

function withConditions(conditions: readonly string[], variables: object): JsonObject {
  const present = conditions.map((name) => [conditionOf(name), member(variables, name) !== undefined] as const)
  return { ...variables, ...Object.fromEntries(present) }
}

function recordsOf<Data extends z.ZodType>(document: { readonly name: string; readonly data: Data }, data: unknown): z.output<Data> {
  const parsed = document.data.safeParse(toRecord(data))
  if (parsed.success) return parsed.data
  const where = parsed.error.issues[0]?.path.map(String).join('.') ?? ''
  throw new Unavailable(`Linear answered ${document.name} in a form that this version does not know (at ${where}). Update the server.`, {
    retryable: false,
  })
}

/** A created record, with a flag that is true if an earlier attempt had created it. */
export interface CreateResult<Record> {
  readonly record: Record
  readonly wasCreatedEarlier: boolean
}

/**
 * Creates a record under an id that we chose. If Linear already has that id, an earlier attempt succeeded but its response was lost, so we
 * read the record. Throws `Conflict` if reading fails.
 */
export async function createOnce<Record>(create: () => Promise<Record>, read: () => Promise<Record>): Promise<CreateResult<Record>> {
  try {
    return { record: await create(), wasCreatedEarlier: false }
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    const record = await read().catch((missing: unknown) => {
      throw missing instanceof NotFound ? new CreatedButMissing() : missing
    })
    return { record, wasCreatedEarlier: true }
  }
}

/** The types of records that Linear creates or updates. */
type Written<Kind extends 'Create' | 'Update'> = {
  [Name in keyof VariableTypes]: Name extends `${infer Type}${Kind}Input` ? Type : never
}[keyof VariableTypes]

const fieldOf = (type: string) => type.charAt(0).toLowerCase() + type.slice(1)

/** Selects the record that a mutation writes. */
function payload<Row>(mutation: string, variables: string, member: string, schema: z.ZodType<Row>) {
  return { [snakeCase(mutation)]: field(`${fieldOf(mutation)}(${variables})`, z.object({ [member]: schema })) }
}

/** The record in a response, its only member. */
function only<Row>(answer: Readonly<Record<string, Row>>): Row {
  const [row] = Object.values(answer)
  if (row === undefined) throw new Error('The schema has one member.')
  return row
}

/** Creates exactly one record under the id in its input, no matter how often the request is sent. */
export function creation<Type extends Written<'Create'>, Row>(name: string, type: Type, schema: z.ZodType<Row>, member = snakeCase(type)) {
  type Input = VariableTypes[`${Type}CreateInput`]
  const shape = payload(`${type}Create`, 'input: $input', member, schema)
  const made = documentOf<{ readonly input: Input }, typeof shape>('mutation', name, { input: `${type}CreateInput!` }, shape)
  const stored = query(
    name.replace(/^(?:Add|Create)/, 'Created'),
    { id: 'String!' },
    { [snakeCase(type)]: field(`${fieldOf(type)}(id: $id)`, schema) },
  )
  const create = async (linear: LinearCall, input: Input & { readonly id: string }): Promise<CreateResult<Row>> =>
    createOnce(
      async () => only(only(await linear.send(made, { input }))),
      async () => only(await linear.send(stored, { id: input.id })),
    )
  return Object.assign(create, { documents: [made, stored] })
}

/** Updates one record of a type. */
export function update<Type extends Written<'Update'>, Row>(name: string, type: Type, schema: z.ZodType<Row>) {
  interface Change {
    readonly id: string
    readonly input: VariableTypes[`${Type}UpdateInput`]
  }
  const shape = payload(`${type}Update`, 'id: $id, input: $input', snakeCase(type), schema)
  const changed = documentOf<Change, typeof shape>('mutation', name, { id: 'String!', input: `${type}UpdateInput!` }, shape)
  const send = async (linear: LinearCall, change: Change): Promise<Row> => only(only(await linear.send(changed, change)))
  return Object.assign(send, { documents: [changed] })
}

/** Error if Linear says that an id that we chose is taken, but shows no record with it. */
export class CreatedButMissing extends Conflict {
  constructor() {
    super(
      'An earlier attempt at this call had created it, and Linear does not show it now: it was deleted, or cannot be read yet. Nothing was created now. Look for it first. To create it again, change an argument or retry the call in ten minutes; if it has an idempotency key, use a different key.',
    )
  }
}

/** The result of a creation, and the identity under which it succeeded. */
interface UniqueCreation<Result> {
  readonly identity: Identity
  readonly result: Result
  /** True if this replaces a record that an earlier call created and that has since been deleted. */
  readonly isReplacement: boolean
}

/**
 * Creates something that the caller has just looked for and not found. If an earlier call had created the record, it has since been
 * deleted, and is recreated under a new id. If only this call has tried, the record may be too new to be visible; then `CreatedButMissing`
 * is thrown.
 */
export async function createUnique<Result>(
  operation: Operation,
  create: (identity: Identity) => Promise<Result>,
): Promise<UniqueCreation<Result>> {
  const identity = await operation.claim()
  try {
    return { identity, result: await create(identity), isReplacement: false }
  } catch (error) {
    if (!(error instanceof CreatedButMissing) || !identity.isRepeat) throw error
    const other = await operation.renew(randomUUID())
    return { identity: other, result: await create(other), isReplacement: true }
  }
}
