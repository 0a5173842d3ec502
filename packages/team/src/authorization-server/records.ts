import type { PeopleState } from '@mcp-toolkits/core/base'
import { errors, type Adapter, type AdapterPayload } from 'oidc-provider'
import { digest, ownerIn } from '../connect/connect-records.ts'
import { type ClientDocuments, isDocumentAddress } from './clients/metadata-documents.ts'
import type { RefreshTokens } from './tokens/refresh-tokens.ts'
import type { Registrations } from './clients/registrations.ts'
import { explainStorage, readPayload, recordKey, without, writePayload } from './storage.ts'

export interface StoredModelsOptions {
  readonly state: Pick<PeopleState, 'records' | 'locks'>
  readonly refreshTokens: RefreshTokens
  readonly registrations: Pick<Registrations, 'find'>
  readonly documents: Pick<ClientDocuments, 'find'>
}

/**
 * Storage for oidc-provider, as expiring records. Only the authorization, stored under the person, identifies them: once a person is
 * forgotten, the authorization's codes and refresh tokens stop working. Codes and tokens are stored under their hashes.
 */
export function storedModels(options: StoredModelsOptions): (model: string) => Adapter {
  const authorizations = authorizationRecords(options)
  const models: Readonly<Record<string, Adapter>> = {
    Grant: authorizations,
    AuthorizationCode: codeRecords(options, authorizations),
    RefreshToken: refreshTokenRecords(options, authorizations),
    Interaction: interactionRecords(options),
    Client: { ...nothing, find: (id) => (isDocumentAddress(id) ? options.documents : options.registrations).find(id) },
  }
  // Access tokens are not stored, and neither are sessions: each authorization begins with a sign-in at the identity provider.
  return (model) => withAvailability(models[model] ?? nothing)
}

const done = () => Promise.resolve(undefined)
const nothing: Adapter = {
  upsert: done,
  find: done,
  findByUserCode: done,
  findByUid: done,
  consume: done,
  destroy: done,
  revokeByGrantId: done,
}

type Authorizations = Adapter & { readonly subjectOf: (grantId: string | undefined) => Promise<string | undefined> }

function authorizationRecords({ state: { records } }: StoredModelsOptions): Authorizations {
  const keyOf = (id: string) => {
    const owner = ownerIn(id)
    return owner === undefined ? undefined : { owner, kind: 'oauth authorization', name: digest(id) }
  }
  const find = async (id: string) => {
    const key = keyOf(id)
    const payload = key && readPayload(await records.get(key))
    return payload && { ...payload, jti: id }
  }
  return {
    ...nothing,
    find,
    async upsert(id, payload, seconds = 0) {
      const key = keyOf(id)
      if (!key) throw new Error('An authorization is not named after its person.')
      await records.set(key, JSON.stringify(without(payload, ['jti'])), seconds * 1_000)
    },
    async destroy(id) {
      const key = keyOf(id)
      if (key) await records.delete(key)
    },
    subjectOf: async (grantId) => (grantId === undefined ? undefined : (await find(grantId))?.accountId),
  }
}

/** A code works once across replicas: a second use ends the authorization. */
function codeRecords({ state: { records, locks } }: StoredModelsOptions, authorizations: Authorizations): Adapter {
  const keyOf = (id: string) => recordKey('oauth code', digest(id))
  const read = async (id: string) => readPayload(await records.get(keyOf(id)))
  const write = (id: string, payload: AdapterPayload, seconds: number) => records.set(keyOf(id), writePayload(payload), seconds * 1_000)
  return {
    ...nothing,
    upsert: (id, payload, seconds = 0) => write(id, payload, seconds),
    async find(id) {
      const payload = await read(id)
      const accountId = await authorizations.subjectOf(payload?.grantId)
      return payload && accountId !== undefined ? { ...payload, accountId, jti: id } : undefined
    },
    consume: (id) =>
      locks.withLock(`oauth code ${digest(id)}`, async () => {
        const payload = await read(id)
        if (payload && payload['consumed'] === undefined) {
          // Kept long enough to recognize a second use.
          await write(id, { ...payload, consumed: true }, consumedSeconds)
          return
        }
        if (payload?.grantId !== undefined) await authorizations.destroy(payload.grantId)
        throw new errors.InvalidGrant('authorization code already consumed')
      }),
  }
}

const consumedSeconds = 10 * 60

function refreshTokenRecords({ refreshTokens }: StoredModelsOptions, authorizations: Authorizations): Adapter {
  return {
    ...nothing,
    upsert: (token, payload) => refreshTokens.add(token, payload),
    async find(token) {
      const payload = await refreshTokens.find(token)
      const accountId = await authorizations.subjectOf(payload?.grantId)
      return payload && accountId !== undefined ? { ...payload, accountId, jti: token } : undefined
    },
    destroy: (token) => refreshTokens.delete(token),
  }
}

function interactionRecords({ state: { records } }: StoredModelsOptions): Adapter {
  const keyOf = (id: string) => recordKey('oauth interaction', digest(id))
  return {
    ...nothing,
    upsert: (id, payload, seconds = 0) => records.set(keyOf(id), writePayload(payload), seconds * 1_000),
    async find(id) {
      const payload = readPayload(await records.get(keyOf(id)))
      return payload && { ...payload, jti: id }
    },
    destroy: (id) => records.delete(keyOf(id)),
  }
}

/** Turns every store failure into one that clients can wait out. */
function withAvailability(adapter: Adapter): Adapter {
  return {
    upsert: (...given) => adapter.upsert(...given).catch(explainStorage),
    find: (...given) => adapter.find(...given).catch(explainStorage),
    findByUserCode: (...given) => adapter.findByUserCode(...given).catch(explainStorage),
    findByUid: (...given) => adapter.findByUid(...given).catch(explainStorage),
    consume: (...given) => adapter.consume(...given).catch(explainStorage),
    destroy: (...given) => adapter.destroy(...given).catch(explainStorage),
    revokeByGrantId: (...given) => adapter.revokeByGrantId(...given).catch(explainStorage),
  }
}
