import { insertRow, isObject, parseJson, stringsIn } from '@mcp-toolkits/emulator'
import { hash, randomBytes } from 'node:crypto'
import { integer, nullable, text, type RowOf, type SqlParameters, type Store } from '@mcp-toolkits/sqlite'
import { addToCounter } from '../store/ids.ts'
import { callerWithScopes, type Caller } from '../oauth/tokens.ts'
import { firstViewer, viewerOf } from '../people/people.ts'
import { pathNotFound } from '../http/errors.ts'

const shape = {
  id: text,
  createdAt: integer,
  fileId: nullable(text),
  request: text,
  total: nullable(integer),
  received: integer,
  madeId: nullable(text),
}

/** A resumable upload. */
export type UploadSession = RowOf<typeof shape>

/** Data from the first request that the last request needs. */
export interface FirstRequest {
  /** The metadata, as JSON. */
  readonly metadata: string
  readonly type: string | null
  readonly scopes: readonly string[]
  /** The person who started the upload; null for the first person. */
  readonly person: string | null
}

const lifetimeMs = 7 * 86_400_000

/** Starts an upload session for a new file, or for new content of `fileId`. */
export function insertSession(
  store: Store,
  values: { now: number; fileId: string | null; total: number | null; request: FirstRequest },
): string {
  const { now, fileId, total, request } = values
  const wantedId = fileId ?? parseFileId(request.metadata)
  const id = `AEmu${sessionKey(store, wantedId)}`
  insertRow(store, 'sessions', { id, createdAt: now, fileId, total, wantedId, request: JSON.stringify(request) })
  return id
}

/** A session key, derived from the file's id if there is one, so that runs are reproducible. Keys of removed sessions are not reused. */
function sessionKey(store: Store, wantedId: string | null): string {
  if (wantedId === null) return randomBytes(48).toString('base64url')
  const earlier = addToCounter(store, `uploads of ${wantedId}`) - 1
  return hash('sha512', `${wantedId} ${earlier}`, 'base64url')
}

function parseFileId(metadata: string): string | null {
  const sent = parseJson(metadata)
  return isObject(sent) && typeof sent['id'] === 'string' ? sent['id'] : null
}

/** The sessions selected by a clause. */
export const selectSessions = (store: Store, clause: string, values: SqlParameters): UploadSession[] =>
  store.rows(shape, `select * from sessions ${clause}`, values)

/** A live session; throws if there is none. Sessions last a week. */
export function sessionById(store: Store, { id, now }: { id: string | null; now: number }): UploadSession {
  const [found] = selectSessions(store, 'where id = :id', { id })
  if (found === undefined || now - found.createdAt >= lifetimeMs) throw pathNotFound()
  return found
}

/** Deletes expired sessions and returns their ids. */
export function removeExpired(store: Store, now: number): readonly string[] {
  const expired = store.rows({ id: text }, 'select id from sessions where createdAt <= :oldest', { oldest: now - lifetimeMs })
  for (const { id } of expired) removeSession(store, id)
  return expired.map(({ id }) => id)
}

export function parseFirstRequest({ request }: UploadSession): FirstRequest {
  const stored = parseJson(request)
  const { metadata, type, scopes, person } = isObject(stored) ? stored : {}
  return {
    metadata: typeof metadata === 'string' ? metadata : '',
    type: typeof type === 'string' ? type : null,
    scopes: stringsIn(scopes),
    person: typeof person === 'string' ? person : null,
  }
}

/** The caller who started the session: later requests need only the session's URL. */
export function sessionCaller(store: Store, at: { id: string | null; now: number }): Caller {
  const { scopes, person } = parseFirstRequest(sessionById(store, at))
  return callerWithScopes(viewerOf(store, person) ?? firstViewer, scopes)
}

/** Records received bytes; false if another request was first. */
export function recordReceived(store: Store, { id, received }: UploadSession, to: number): Promise<boolean> {
  return store.write(() => {
    const [current] = store.rows({ received: integer }, 'select received from sessions where id = :id', { id })
    if (current?.received !== received) return false
    store.run('update sessions set received = :to where id = :id', { id, to })
    return true
  })
}

/** Records the file that an upload created. */
export function recordFile(store: Store, id: string, madeId: string): void {
  store.run('update sessions set madeId = :madeId where id = :id', { id, madeId })
}

export function removeSession(store: Store, id: string): void {
  store.run('delete from sessions where id = :id', { id })
}
