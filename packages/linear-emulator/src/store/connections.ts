import type { Store } from '@mcp-toolkits/store'
import { bind, condition, entityTypeOf, parametersIn, type StatementDraft } from './filters.ts'
import type { EntityRow } from './entity-type.ts'
import { badArgument } from '../errors.ts'
import { select } from './tables.ts'
import { toObject, isObject, parseJson, stringAt, type JsonObject } from '@mcp-toolkits/emulator'

/** One page of a connection. The functions compute fields that few queries select. */
export interface ConnectionPage {
  readonly nodes: readonly EntityRow[]
  readonly edges: () => readonly { readonly cursor: string; readonly node: EntityRow }[]
  readonly pageInfo: () => Readonly<Record<string, string | boolean | null>>
}

/** Limits a connection to its parent: a condition on `a` and its parameters. */
export interface ConnectionScope {
  readonly where: string
  readonly values: Readonly<Record<string, string | number>>
}

const maxPageSize = 250
const defaultPageSize = 50

/** Reads one page of a type, newest first. Ids decide ties, so that pages are stable. */
export function readPage(
  store: Store,
  draft: StatementDraft,
  request: { type: string; args: JsonObject; scope?: ConnectionScope },
): ConnectionPage {
  const { type, args, scope } = request
  const entityType = entityTypeOf(draft.entityTypes, type)
  const order = args['orderBy'] === 'updatedAt' ? 'updatedAt' : 'createdAt'
  const { size, backward } = sizeOf(args)
  const positionOf = (name: string) => (typeof args[name] === 'string' ? parseCursor(args[name], { type, order }) : undefined)
  const [after, before] = [positionOf('after'), positionOf('before')]
  const beyond = (position: Position | undefined, operator: '<' | '>') =>
    position === undefined ? [] : [`(a.${order}, a.id) ${operator} (${bind(draft, position.at)}, ${bind(draft, position.id)})`]
  const where = [
    ...(args['includeArchived'] === true ? [] : ['a.archivedAt is null']),
    ...(scope === undefined ? [] : [`(${scope.where})`]),
    ...(isObject(args['filter']) ? [condition(draft, args['filter'], { type, alias: 'a' })] : []),
    ...beyond(after, '<'),
    ...beyond(before, '>'),
  ]
  const direction = backward ? 'asc' : 'desc'
  const clause = `where ${where.join(' and ') || 'true'} order by a.${order} ${direction}, a.id ${direction} limit :limit`
  const values = { ...parametersIn(draft), ...scope?.values, limit: size + 1 }
  const found = select(store, entityType, clause, values)
  const nodes = found.slice(0, size)
  if (backward) nodes.reverse()
  const more = found.length > size
  return {
    nodes,
    edges: () => nodes.map((node) => ({ cursor: cursorOf(node, { type, order }), node })),
    pageInfo: () => ({
      hasNextPage: backward ? before !== undefined : more,
      hasPreviousPage: backward ? more : after !== undefined,
      startCursor: edgeCursor(nodes.at(0), { type, order }),
      endCursor: edgeCursor(nodes.at(-1), { type, order }),
    }),
  }
}

/** The size of the page and its direction. */
function sizeOf(args: JsonObject): { size: number; backward: boolean } {
  const { first, last } = args
  if (typeof first === 'number' && typeof last === 'number') throw badArgument('first and last cannot be used together.')
  const size = typeof first === 'number' ? first : typeof last === 'number' ? last : defaultPageSize
  if (size < 1 || size > maxPageSize) throw badArgument(`first and last must be from 1 to ${maxPageSize}.`)
  return { size, backward: typeof last === 'number' || (typeof first !== 'number' && typeof args['before'] === 'string') }
}

interface Position {
  readonly at: string
  readonly id: string
}

interface Ordering {
  readonly type: string
  readonly order: string
}

function cursorOf(row: EntityRow, { type, order }: Ordering): string {
  return Buffer.from(JSON.stringify([type, order, row[order], row['id']])).toString('base64url')
}

const edgeCursor = (row: EntityRow | undefined, ordering: Ordering) => (row === undefined ? null : cursorOf(row, ordering))

function parseCursor(cursor: string, { type, order }: Ordering): Position {
  const parsed = parseJson(Buffer.from(cursor, 'base64url').toString())
  const parts: unknown[] = Array.isArray(parsed) ? parsed : []
  const position = { type: parts[0], order: parts[1], at: parts[2], id: parts[3] }
  const isValid = position.type === type && position.order === order && typeof position.at === 'string' && typeof position.id === 'string'
  if (!isValid) throw badArgument('The cursor is not one of this connection.')
  return { at: stringAt(toObject(position), 'at'), id: stringAt(toObject(position), 'id') }
}
