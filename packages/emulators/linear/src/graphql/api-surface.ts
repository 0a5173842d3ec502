import type { JsonObject, ReceivedRequest, Store, StoreClock } from '@mcp-toolkits/emulator'
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql'
import type { FieldResolver } from '../engine/entity-module.ts'
import type { EntityTypes } from '../store/entity-type.ts'
import type { EntityChange, Session } from '../store/session.ts'

/** The operations that an emulator has behavior for. */
export interface ApiSurface {
  readonly entityTypes: EntityTypes
  /** The resolver of a field; undefined when the field is a column, or a query or mutation that is not emulated. */
  readonly resolverOf: (type: string, field: string) => FieldResolver | undefined
  /** The vendor's full schema, for documents that are not valid for the servers'. */
  readonly vendorSchema?: () => GraphQLSchema
  /** The value of a field, from the value of its resolver or its column. */
  readonly storedValue?: (found: unknown, field: ResolvedField) => unknown
  /** Answers requests that are no GraphQL; undefined for those that it does not know. */
  readonly answer?: (request: ReceivedRequest, context: AnswerContext) => Promise<Response | undefined>
  /** Called with the changes of a mutation, within its transaction. */
  readonly onMutation?: (changes: readonly EntityChange[], session: Session) => void
  /** Begins work that goes on between requests, such as deliveries; returns the surface that takes part in it. */
  readonly open?: (context: OpenContext) => OpenApi
}

/** A surface with work that goes on between requests. */
export interface OpenApi extends ApiSurface {
  /** Called after the data was replaced. */
  readonly restored: () => void
  readonly close: () => void
}

export interface OpenContext {
  readonly store: Store
  readonly now: () => number
  readonly clock: Pick<StoreClock, 'sleep'> | undefined
  readonly webhooksTo: readonly string[]
}

export interface AnswerContext {
  readonly store: Store
  /** True if the request has a valid key or token. */
  readonly isAuthorized: boolean
}

/** A field that is resolved. */
export interface ResolvedField {
  readonly source: JsonObject
  readonly args: JsonObject
  readonly session: Session
  readonly info: GraphQLResolveInfo
}
