import { type Clock, parseJson, type PeopleState } from '@mcp-toolkits/core/base'
import type { AdapterPayload } from 'oidc-provider'
import { randomToken } from '../../connect/connect-records.ts'
import { currentSender, limitRequestsByAddress, requestLimits } from '../../tokens/request-limits.ts'
import { clientMetadata, InvalidClient } from './clients.ts'
import { lifetimes } from '../tokens/lifetimes.ts'
import { readPayload, recordKey, without } from '../storage.ts'

/** The clients that have registered themselves: https://www.rfc-editor.org/rfc/rfc7591 */
export interface Registrations {
  /** Answers a registration; `body` is undefined if it was too long. */
  readonly register: (body: string | undefined) => Promise<Response>
  readonly find: (id: string) => Promise<AdapterPayload | undefined>
  /** Records that a person uses a client, which is then remembered for longer. */
  readonly use: (id: string) => Promise<void>
}

/** Time, in seconds, after which a used client is stored again. */
const renewalSeconds = 24 * 60 * 60

const retryAfterSeconds = 60

export function registrations({ records }: Pick<PeopleState, 'records'>, clock: Clock): Registrations {
  const mayRegister = limitRequestsByAddress(clock, requestLimits.registrations)
  const read = async (kind: 'oauth client' | 'oauth new client', id: string) => readPayload(await records.get(recordKey(kind, id)))
  const now = () => Math.floor(clock.now() / 1_000)
  return {
    async register(body) {
      try {
        const id = randomToken()
        const metadata = { ...clientMetadata(id, body === undefined ? undefined : parseJson(body), { isLenient: false }) }
        if (!mayRegister(currentSender())) return tooMany()
        const issued = { ...metadata, client_id_issued_at: now() }
        await records.set(recordKey('oauth new client', id), JSON.stringify(metadata), lifetimes.newClient * 1_000)
        return answer(201, issued)
      } catch (error) {
        if (!(error instanceof InvalidClient)) throw error
        return answer(400, { error: error.code, error_description: error.message })
      }
    },
    async find(id) {
      const found = (await read('oauth client', id)) ?? (await read('oauth new client', id))
      return found && without(found, ['renewedAt'])
    },
    async use(id) {
      const used = await read('oauth client', id)
      if (used && now() - Number(used['renewedAt']) < renewalSeconds) return
      const client = used ?? (await read('oauth new client', id))
      if (!client) return
      await records.set(recordKey('oauth client', id), JSON.stringify({ ...client, renewedAt: now() }), lifetimes.client * 1_000)
      if (!used) await records.delete(recordKey('oauth new client', id))
    },
  }
}

function tooMany(): Response {
  const problem = `Too many clients have registered themselves. Try again in ${retryAfterSeconds} s, or use a client ID metadata document.`
  const response = answer(429, { error: 'temporarily_unavailable', error_description: problem })
  response.headers.set('retry-after', String(retryAfterSeconds))
  return response
}

/** Allows any origin, because clients in browsers register from their own. */
function answer(status: number, body: object): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', 'access-control-allow-origin': '*' } })
}
