import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { driveEmulator, localClient } from '@mcp-toolkits/drive-emulator'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { baseEnvironment, exitOf, runNode, startNode, temporaryDirectory, type Finished } from './command.ts'
import { collectOutput } from './http-process.ts'

/** A listening vendor, and the variables that connect a server to it. */
export interface Vendor {
  readonly url: string
  readonly app: 'issue-tracker' | 'file-storage'
  readonly environment: Readonly<Record<string, string>>
  /** The URL at which tokens are revoked. */
  readonly revocation: string
  /** Makes the provider expire an access token early. */
  readonly expire: (token: string) => void
}

export async function startLinear(): Promise<Vendor> {
  let time = Date.now()
  const emulator = linearEmulator({ seed: 'edge-cases', now: () => time })
  onTestFinished(() => emulator.close())
  const { url } = await emulator.listen()
  const environment = {
    ISSUE_TRACKER_CLIENT_ID: 'lodestar-desktop',
    ISSUE_TRACKER_AUTH_URL: url,
    ISSUE_TRACKER_API_URL: `${url}/graphql`,
  }
  // Linear's tokens last for a day.
  const expire = () => {
    time += 86_400_000
  }
  return { url, app: 'issue-tracker', environment, revocation: `${url}/oauth/revoke`, expire }
}

export async function startGoogle() {
  const emulator = driveEmulator({ seed: 'edge-cases' })
  onTestFinished(() => emulator.close())
  const { url } = await emulator.listen()
  const environment = {
    FILE_STORAGE_CLIENT_ID: localClient.id,
    FILE_STORAGE_CLIENT_SECRET: localClient.secret ?? '',
    FILE_STORAGE_AUTH_URL: url,
    FILE_STORAGE_API_URL: url,
  }
  const listening: Vendor = { url, app: 'file-storage', environment, revocation: `${url}/revoke`, expire: emulator.expire }
  return { ...listening, emulator }
}

const Tokens = z.looseObject({ access_token: z.string(), refresh_token: z.string() })
const Stored = z.looseObject({ logins: z.record(z.string(), z.looseObject({ default: Tokens })) })

/** A user at a terminal, with the built command and a data directory. */
export async function userOf({ app, environment: vendor, revocation, expire }: Vendor) {
  const directory = path.join(await temporaryDirectory(), 'data')
  await mkdir(directory)
  const program = path.join(import.meta.dirname, '..', 'apps', app, 'dist', 'main.js')
  const environment = { ...vendor, MCP_TOOLKITS_DATA_DIR: directory }
  const file = path.join(directory, 'accounts', 'credentials.json')
  const content = async () => Stored.parse(JSON.parse(await readFile(file, 'utf8')))
  const stored = async () => Tokens.parse((await content()).logins[app]?.default)
  const modeOf = async (name: string) => ((await stat(name)).mode & 0o777).toString(8)
  return {
    environment,
    stored,
    modes: async () => [await modeOf(file), await modeOf(path.dirname(file))],
    command: (...args: readonly string[]): Promise<Finished> => runNode([program, ...args], { environment }),
    /** Starts a login. Resolves with the address that it prints, and a function that waits until it ends. */
    login: async () => {
      const child = startNode([program, 'login', '--no-browser'], environment)
      const [output, errors] = [collectOutput(child.stdout), text(child.stderr)]
      const address = await output.match(/^(http\S+)\n/m)
      const finished = async (): Promise<Finished> => ({ code: await exitOf(child), output: output.all(), errors: await errors })
      return { address, finished }
    },
    /** Marks the stored access token as expired. */
    age: async () => {
      const { logins, ...rest } = await content()
      const login = { ...logins[app]?.default, expires_at: '2026-01-01T00:00:00Z', renew_from: '2026-01-01T00:00:00Z' }
      await writeFile(file, JSON.stringify({ ...rest, logins: { ...logins, [app]: { default: login } } }))
    },
    /** Makes the provider refuse the access token. */
    expire: async () => {
      expire((await stored()).access_token)
    },
    /** Revokes the login at the provider, as a user does in the account settings. */
    revoke: async () => {
      const { refresh_token: token } = await stored()
      const { status } = await fetch(revocation, { method: 'POST', body: new URLSearchParams({ token }) })
      return status
    },
    /** Starts the server as a client would. */
    server: async () => {
      const client = new Client({ name: 'e2e', version: '1' })
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [program, '--log-level', 'error'],
          env: { ...baseEnvironment(), ...environment },
        }),
      )
      onTestFinished(() => client.close())
      return async (name: string, args: Record<string, unknown> = {}) => {
        const { isError = false, structuredContent, content } = await client.callTool({ name, arguments: args })
        const [block] = content
        return {
          isError,
          result: z.record(z.string(), z.unknown()).parse(structuredContent ?? JSON.parse(block?.type === 'text' ? block.text : '{}')),
        }
      }
    },
  }
}
