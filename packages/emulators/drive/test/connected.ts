import { toObject, isObject, type JsonObject } from '@mcp-toolkits/emulator'
import { dig } from '@mcp-toolkits/emulator/testing'
import { expect, onTestFinished } from 'vitest'
import { driveEmulator, type DriveEmulatorOptions, type Item } from '../src/index.ts'

const start = Date.parse('2026-09-16T12:00:00Z')
export const folderType = 'application/vnd.google-apps.folder'
export const bearer = (token = 'drive-emulator') => ({ authorization: `Bearer ${token}` })

/** A request, without its method and path. */
export interface Request {
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly body?: object | string | Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string | null
}

/** A response with its parsed body. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: JsonObject
}

/** An emulator with a clock that stands still until the test moves it, and `ask`, which sends one request. */
export function connected(options: DriveEmulatorOptions = {}) {
  let time = start
  const emulator = driveEmulator({ seed: 'edge-cases', now: () => time, ...options })
  onTestFinished(() => emulator.close())
  const send = (call: string, { query = {}, body, headers, token }: Request = {}) => {
    const [method = '', path = ''] = call.split(' ')
    const url = new URL(/^\/(upload|drive\/|other)/.test(path) ? path : `/drive/v3${path}`, 'https://www.googleapis.com')
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    return emulator.fetch(url, {
      method,
      headers: { ...(token === null ? {} : bearer(token)), ...(body && !isRaw && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    })
  }
  const ask = async (call: string, request: Request = {}): Promise<Answered> => {
    const response = await send(call, request)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? {} : toObject(JSON.parse(text)) }
  }
  /** The body of a response that must be a success. */
  const get = async (call: string, request: Request = {}): Promise<JsonObject> => {
    const { status, body } = await ask(call, request)
    if (status >= 300) throw new Error(JSON.stringify(body))
    return body
  }
  /** The status and the reason in a response that must be an error. */
  const refusal = async (call: string, request: Request = {}): Promise<unknown[]> => {
    const { status, body } = await ask(call, request)
    return [status, dig(body, 'error.errors.0.reason')]
  }
  /** The names that a query finds, sorted. */
  const names = async (q: string, query: Request['query'] = {}) => {
    const { files } = await get('GET /files', { query: { q, pageSize: 1000, ...query } })
    return rowsIn(files)
      .map(({ name }) => String(name))
      .sort()
  }
  /** The only untrashed item with a name. */
  const one = (name: string): Item => {
    const [item, ...others] = emulator.store.named(name).filter(({ trashed }) => trashed === 0)
    if (item === undefined || others.length > 0) throw new Error(`There is not just one ${name}.`)
    return item
  }
  return {
    ...emulator,
    send,
    ask,
    get,
    refusal,
    names,
    one,
    pass: (milliseconds: number) => {
      time += milliseconds
    },
  }
}

export const allDrives = { supportsAllDrives: true, includeItemsFromAllDrives: true } as const

/** The objects in a list. */
export const rowsIn = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Matches any text. */
export const someText: unknown = expect.any(String)
