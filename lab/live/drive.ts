import { onTestFinished } from 'vitest'
import { account } from '../../apps/file-storage/src/account.ts'
import { type Environment, readBaseUrl, readSecret } from '../../packages/core/src/upstream/credentials.ts'
import { at, parsed, textAt } from './json.ts'
import { prefix, Refused, runOf, withoutKey } from './questions.ts'

export interface Answered {
  readonly status: number
  readonly headers: Headers
  /** The answer's JSON, or its text if it is not JSON. */
  readonly body: unknown
}

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The body; text is sent unchanged, anything else as JSON. */
  readonly body?: unknown
}

/** A My Drive for testing. What is created through it is deleted when the test ends. */
export interface Drive {
  /** Sends one request, which may fail. The address may be that of an upload session. */
  readonly ask: (to: string, asked?: Asked) => Promise<Answered>
  /** Sends a request that must succeed, and resolves with the answer's body. */
  readonly run: (to: string, asked?: Asked) => Promise<unknown>
  /** Creates a text file, or a folder if there is no text, under a name unique to this run and purpose. Resolves with its id. */
  readonly add: (purpose: string, made?: { readonly text?: string; readonly parent?: string }) => Promise<string>
  /** Replaces a file's content. */
  readonly write: (id: string, text: string) => Promise<void>
}

/** The reason why questions cannot be asked; undefined if they can. */
export function missingToken({ FILE_STORAGE_ACCESS_TOKEN: token }: Environment): string | undefined {
  return token === undefined ? 'Set FILE_STORAGE_ACCESS_TOKEN to a token with the scope drive of an account for testing.' : undefined
}

/** Opens the My Drive of the environment's token. */
export function openDrive(environment: Environment): Drive {
  const token = readSecret(environment, 'FILE_STORAGE_ACCESS_TOKEN', 'token')
  if (token === undefined) throw new Error('FILE_STORAGE_ACCESS_TOKEN is not set.')
  const root = readBaseUrl(environment, account.api.variable) ?? account.api.url
  const name = (purpose: string) => `${prefix}${runOf(environment)}-${purpose}`
  const ask: Drive['ask'] = async (to, { method = 'GET', headers = {}, body } = {}) => {
    const isJson = body !== undefined && typeof body !== 'string'
    const response = await fetch(to.startsWith('http') ? to : `${root}/${to}`, {
      method,
      redirect: 'error',
      headers: { authorization: `Bearer ${token.reveal()}`, ...(isJson && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: parsed(withoutKey(await response.text(), [token.reveal()])),
    }
  }
  const run: Drive['run'] = async (to, asked) => {
    const { status, body } = await ask(to, asked)
    if (status >= 200 && status < 300) return body
    throw new Refused(`A request that must succeed was answered with ${status}: ${String(at(body, 'error.message'))}`)
  }
  const write = async (id: string, text: string) => {
    const headers = { 'content-type': 'text/plain' }
    await run(`upload/drive/v3/files/${id}?uploadType=media`, { method: 'PATCH', headers, body: text })
  }
  return {
    ask,
    run,
    write,
    async add(purpose, { text, parent = 'root' } = {}) {
      const mimeType = text === undefined ? 'application/vnd.google-apps.folder' : 'text/plain'
      const made = await run('drive/v3/files', { method: 'POST', body: { name: name(purpose), mimeType, parents: [parent] } })
      const id = textAt(made, 'id')
      onTestFinished(async () => {
        const { status } = await ask(`drive/v3/files/${id}`, { method: 'DELETE' })
        if (status !== 204 && status !== 404) throw new Error(`Something whose name begins with ${name('')} is left in the Drive.`)
      })
      if (text !== undefined && text !== '') await write(id, text)
      return id
    },
  }
}
