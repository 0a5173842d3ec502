import { pipelinesEmulator, type PipelinesEmulatorOptions } from '../src/index.ts'

export const basic = (userAndPassword: string) => `Basic ${Buffer.from(userAndPassword).toString('base64')}`

/** An object is sent as JSON; text and bytes are sent as they are. */
export type RequestBody = object | string | Uint8Array<ArrayBuffer>

/** An emulator, with `send`, which posts a body to one of its endpoints with a valid key. */
export function connected(options: PipelinesEmulatorOptions = {}) {
  const emulator = pipelinesEmulator({ seed: 'empty', ...options })
  const send = async (endpoint: string, body: RequestBody, headers: Record<string, string> = {}) => {
    const response = await emulator.fetch(`https://cdp.customer.io/v1/${endpoint}`, {
      method: 'POST',
      headers: { authorization: basic('pipelines-emulator:'), ...headers },
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    })
    const answer: unknown = await response.json()
    return { status: response.status, answer }
  }
  const strictly = (endpoint: string, body: RequestBody, headers: Record<string, string> = {}) =>
    send(endpoint, body, { 'x-strict-mode': '1', ...headers })
  return { ...emulator, send, strictly }
}

export const ok = { status: 200, answer: {} }

/** Strict mode's response to a bad body. */
export const bad = (...errors: readonly unknown[]) => ({ status: 400, answer: { meta: { errors } } })
