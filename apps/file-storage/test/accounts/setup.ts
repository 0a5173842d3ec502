import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { driveEmulator, localClient, type DriveEmulatorOptions } from '@mcp-toolkits/drive-emulator'
import {
  connect,
  countRequests,
  startCommand,
  fetchPage,
  type ConnectedServer,
  type ConnectSettings,
  type ProgramResult,
  type ProgramEnvironment,
} from '@mcp-toolkits/testing'
import { expect, onTestFinished } from 'vitest'
import * as z from 'zod'
import { fileStorage } from '../../src/server.ts'

const Login = z.looseObject({
  access_token: z.string(),
  refresh_token: z.string(),
  scopes: z.array(z.string()),
  identity: z.record(z.string(), z.string()),
})
const Stored = z.looseObject({ logins: z.looseObject({ 'file-storage': z.looseObject({ default: Login.optional() }) }) })
type Stored = z.output<typeof Login>

/** A listening Google emulator, the server's command connected to it, and a person who uses both. */
export async function setUpAccount(options: DriveEmulatorOptions = {}) {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'accounts-'))
  const emulator = driveEmulator({ seed: 'edge-cases', ...options })
  const { url } = await emulator.listen()
  onTestFinished(async () => {
    await emulator.close()
    await rm(dataDirectory, { recursive: true, force: true })
  })
  const environment = {
    HOME: dataDirectory,
    MCP_TOOLKITS_DATA_DIR: dataDirectory,
    FILE_STORAGE_CLIENT_ID: localClient.id,
    FILE_STORAGE_CLIENT_SECRET: localClient.secret,
    FILE_STORAGE_AUTH_URL: url,
    FILE_STORAGE_API_URL: url,
  }
  const file = path.join(dataDirectory, 'accounts', 'credentials.json')
  /** Starts a command, and waits for the URL that it prints. */
  const start = (args: readonly string[], more: ProgramEnvironment) => {
    const running = startCommand(fileStorage, args, { ...environment, ...more })
    running.endInput()
    const address = running.waitForLine(/^http\S+$/).then((line) => new URL(line))
    // Most commands print no URL.
    address.catch(() => undefined)
    return { finished: running.result, address }
  }
  const command = (args: readonly string[], more: ProgramEnvironment = {}): Promise<ProgramResult> => start(args, more).finished
  const startLogin = (args: readonly string[] = [], more: ProgramEnvironment = {}) => start(['login', '--no-browser', ...args], more)
  const stored = async () => Stored.parse(JSON.parse(await readFile(file, 'utf8'))).logins['file-storage'].default
  return {
    emulator,
    url,
    dataDirectory,
    environment,
    file,
    command,
    startLogin,
    stored,
    /** A complete login by a person who allows everything except the scopes in `leave`. */
    login: async (
      args: readonly string[] = [],
      { more = {}, leave = [] }: { more?: ProgramEnvironment; leave?: readonly string[] } = {},
    ) => {
      const running = startLogin(args, more)
      const back = await consent(await running.address, { leave })
      const page = await fetchPage(back)
      return { page, ...(await running.finished) }
    },
    /** A server in this process, used by a client, that reaches the emulator over the network. */
    server: async ({ environment: added, ...settings }: ConnectSettings = {}): Promise<ConnectedServer> => {
      const server = await connect(fileStorage, { dataDirectory, environment: { ...environment, ...added }, ...settings })
      onTestFinished(() => server[Symbol.asyncDispose]())
      return server
    },
    /** Changes the stored login. */
    change: async (how: (login: Stored) => void) => {
      const content = Stored.parse(JSON.parse(await readFile(file, 'utf8')))
      const login = content.logins['file-storage'].default
      if (login) how(login)
      await writeFile(file, JSON.stringify(content))
    },
    /** Counts requests that arrived for a path. */
    requests: (to: string) => countRequests(to, url),
  }
}

export { fetchPage } from '@mcp-toolkits/testing'

/** Answers the consent page. Resolves with the URL to which the browser is redirected. */
export async function consent(
  address: URL,
  { decision = 'allow', leave = [] }: { decision?: string; leave?: readonly string[] } = {},
): Promise<URL> {
  const { body } = await fetchPage(address)
  const form = new URLSearchParams({ ticket: /name="ticket" value="([^"]+)"/.exec(body)?.[1] ?? '', decision })
  const scopes = (address.searchParams.get('scope') ?? '').split(' ')
  for (const scope of scopes) if (!leave.some((left) => scope.endsWith(`/${left}`))) form.append('scope', scope)
  const headers = { origin: address.origin }
  return new URL((await fetchPage(`${address.origin}${address.pathname}`, { method: 'POST', body: form, headers })).location, address)
}

/** Matches text that contains `part`, inside an expected value. */
export const containing = (part: string): unknown => expect.stringContaining(part)
