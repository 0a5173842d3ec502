import { randomUUID } from 'node:crypto'
import type { Clock } from '../src/base/clock.ts'
import {
  type BegunRecord,
  type IdempotencyStore,
  keyLifetimeMs,
  type KeyState,
  type OperationRequest,
  unkeyedLifetimeMs,
} from '../src/tool/call/operation-types.ts'

interface StoredRecord {
  readonly id: string
  readonly request: OperationRequest
  readonly identity: string
  readonly begunAt: number
  readonly state: 'running' | 'abandoned' | { readonly result: string }
}

/** Records that end with the process, for tests. */
export function memoryIdempotencyStore(clock: Pick<Clock, 'monotonic'>): IdempotencyStore {
  const records = new Map<string, StoredRecord>()
  const forgetExpired = () => {
    for (const { id, request, begunAt } of records.values()) {
      const lifetime = request.key === undefined ? unkeyedLifetimeMs : keyLifetimeMs
      if (clock.monotonic() - begunAt > lifetime) records.delete(id)
    }
  }
  const recordOf = (request: OperationRequest) => {
    forgetExpired()
    const all = [...records.values()]
    const { key, isLateKey, ...unkeyed } = request
    const found = all.find((record) => (key === undefined ? isIdentical : hasSameKey)(record, request))
    return found ?? (isLateKey === true ? all.find((record) => isIdentical(record, unkeyed)) : undefined)
  }
  const begun = (record: StoredRecord, isRepeat: boolean): BegunRecord => {
    records.set(record.id, { ...record, begunAt: clock.monotonic(), state: 'running' })
    return { kind: 'begun', id: record.id, identity: record.identity, isRepeat }
  }
  const earlier = (request: OperationRequest): BegunRecord | KeyState | undefined => {
    const record = recordOf(request)
    return record && (stateOf(record, request) ?? begun(record, true))
  }
  const change = (id: string, state: StoredRecord['state']) => {
    const record = records.get(id)
    if (record) records.set(id, { ...record, state })
  }
  return {
    begin: (request) => Promise.resolve(earlier(request)),
    claim(request, identity) {
      return Promise.resolve(earlier(request) ?? begun({ id: randomUUID(), request, identity, begunAt: 0, state: 'running' }, false))
    },
    find(request) {
      const record = recordOf(request)
      return Promise.resolve(record && stateOf(record, request))
    },
    renew(id, identity) {
      const record = records.get(id)
      if (record?.state === 'running') records.set(id, { ...record, identity })
      return Promise.resolve()
    },
    assignKey(id, key) {
      const record = records.get(id)
      if (record?.state === 'running') records.set(id, { ...record, request: { ...record.request, key } })
      return Promise.resolve()
    },
    touch(id) {
      const record = records.get(id)
      if (record?.state === 'running') records.set(id, { ...record, begunAt: clock.monotonic() })
      return Promise.resolve()
    },
    complete(id, result) {
      if (result === undefined || records.get(id)?.request.key === undefined) records.delete(id)
      else change(id, { result })
      return Promise.resolve()
    },
    abandon(id) {
      change(id, 'abandoned')
      return Promise.resolve()
    },
    close: () => Promise.resolve(),
  }
}

function isIdentical({ request, state }: StoredRecord, { account, tool, argumentsHash }: OperationRequest): boolean {
  if (request.key !== undefined || state !== 'abandoned') return false
  return request.account === account && request.tool === tool && request.argumentsHash === argumentsHash
}

function hasSameKey({ request }: StoredRecord, { account, tool, key }: OperationRequest): boolean {
  return request.account === account && request.tool === tool && request.key === key
}

/** The reason why a record cannot be taken over; undefined if it can. */
function stateOf({ request, state }: StoredRecord, { argumentsHash }: OperationRequest): KeyState | undefined {
  if (request.argumentsHash !== argumentsHash) return { kind: 'different' }
  if (state === 'abandoned') return undefined
  return state === 'running' ? { kind: 'running' } : { kind: 'done', result: state.result }
}
