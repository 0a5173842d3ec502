import { hash } from 'node:crypto'
import { insertRow, isDeliverable, type JsonObject, undeliverable } from '@mcp-toolkits/emulator'
import { integer } from '@mcp-toolkits/sqlite'
import { DriveError, invalidField, notFound, required } from '../http/errors.ts'
import { parseObject } from '../http/parameters.ts'
import type { Answers, EndpointRequest } from '../session/methods.ts'
import type { Session } from '../session/session.ts'
import type { Item } from '../store/items.ts'
import { newestToken, parseFeedFilter } from './feed.ts'
import type { Channel } from './open-channels.ts'

/** The methods for notification channels: https://developers.google.com/workspace/drive/api/guides/push. */
export const watchMethods: Answers = {
  'changes.watch'(session, request) {
    if (session.params.text('pageToken') === undefined) throw required('pageToken', 'Required parameter: pageToken')
    parseFeedFilter(session)
    return watch(session, request, null)
  },
  'files.watch': (session, request) => watch(session, request, session.find(request.part('fileId'))),
  async 'channels.stop'(session, { body }) {
    await session.store.write(() => {
      closeChannel(session, body())
    })
  },
}

async function watch(session: Session, { body, url }: EndpointRequest, file: Item | null): Promise<object> {
  const { store } = session
  const watched = new URL(url)
  watched.pathname = watched.pathname.replace(/\/watch$/, '')
  watched.searchParams.set('alt', 'json')
  const channel = await store.write(() => openChannel(session, { file, url: watched }, body()))
  session.changed()
  return channelResource(channel)
}

const hour = 3_600_000

/** Maximum lifetime of a channel, in milliseconds: https://developers.google.com/workspace/drive/api/guides/push. */
const longest = { changes: 168 * hour, file: 24 * hour } as const

function parseChannel(json: string, hosts: readonly string[]) {
  const sent = parseObject(json)
  const { id, type, address, token } = sent
  if (typeof id !== 'string' || id === '') throw required('id', 'Required')
  if (!/^[\w+/=-]{1,64}$/.test(id)) throw invalidField('id', 'A channel id has at most 64 characters: letters, digits and - _ + / =.')
  if (type !== 'web_hook' && type !== 'webhook') throw invalidField('type', `Unknown channel type: ${String(type)}`)
  if (typeof address !== 'string' || address === '') throw required('address', 'Required')
  const url = URL.parse(address)
  if (url === null) throw new DriveError(400, 'push.webhookUrlNotHttps', `WebHook callback must be HTTPS: ${address}`)
  if (!isDeliverable(address, hosts))
    throw new DriveError(401, 'push.webhookUrlUnauthorized', `Unauthorized WebHook callback channel: ${address}. ${undeliverable(address)}`)
  if (token !== undefined && (typeof token !== 'string' || token.length > 256)) throw invalidField('token', 'Invalid value for token.')
  return { id, address, token: token ?? null, expiration: parseExpiration(sent) }
}

/** Milliseconds since 1970, as a number or a string. */
function parseExpiration({ expiration }: JsonObject): number | undefined {
  if (expiration === undefined || expiration === null) return undefined
  const value = typeof expiration === 'string' || typeof expiration === 'number' ? Number(expiration) : Number.NaN
  if (!Number.isSafeInteger(value)) throw invalidField('expiration', 'Invalid value for expiration.')
  return value
}

/** A channel's target; without a file, the change feed. */
interface Watched {
  readonly file: Item | null
  readonly url: URL
}

/** Opens a channel without sending its first message. Call inside a write. */
function openChannel({ store, now, caller, hosts }: Session, { file, url }: Watched, json: string): Channel {
  const { id, address, token, expiration } = parseChannel(json, hosts)
  if (expiration !== undefined && expiration <= now) throw invalidField('expiration', 'The expiration is in the past.')
  if (store.rows({ n: integer }, 'select n from channels where id = :id and expiresAt > :now', { id, now }).length > 0)
    throw new DriveError(400, 'channelIdNotUnique', `Channel id ${id} not unique`)
  const fileId = file?.id ?? null
  const latest = now + longest[fileId === null ? 'changes' : 'file']
  const resource = fileId === null ? `changes of ${store.viewer.id} ${url.searchParams.get('driveId') ?? ''}` : `file ${fileId}`
  const channel = {
    ...{ id, address, token, fileId, viewer: store.viewer.id, scopes: caller.scopes.join(' ') },
    resourceId: hash('sha256', resource, 'base64url').slice(0, 27),
    resourceUri: url.href,
    payload: 1,
    expiresAt: Math.min(expiration ?? now + hour, latest),
    position: Number(newestToken(store)) - 1,
    messages: 0,
  }
  const seen = file === null ? undefined : { trashed: file.trashed, headRevisionId: file.headRevisionId, parentId: file.parentId }
  return { n: insertRow(store, 'channels', { ...channel, ...seen }), ...channel, seen }
}

/** Closes a caller's channel; throws if none has both ids. Call inside a write. */
function closeChannel({ store }: Session, json: string): void {
  const { id, resourceId } = parseObject(json)
  if (typeof id !== 'string') throw required('id', 'Required')
  if (typeof resourceId !== 'string') throw required('resourceId', 'Required')
  const where = 'where id = :id and resourceId = :resourceId and viewer = :viewer'
  const values = { id, resourceId, viewer: store.viewer.id }
  if (store.rows({ n: integer }, `select n from channels ${where}`, values).length === 0)
    throw notFound(`Channel '${id}' not found for project '407408718192'`)
  store.run(`delete from channels ${where}`, values)
}

/** A channel as the API returns it. */
const channelResource = ({ id, resourceId, resourceUri, token, expiresAt }: Channel): object => ({
  kind: 'api#channel',
  id,
  resourceId,
  resourceUri,
  ...(token !== null && { token }),
  expiration: String(expiresAt),
})
