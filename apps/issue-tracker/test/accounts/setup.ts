import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { linearEmulator, type LinearEmulatorOptions } from '@mcp-toolkits/linear-emulator'
import { connect, countRequests, runCommand, startCommand, fetchPage, type ProgramResult } from '@mcp-toolkits/testing'
import { expect, onTestFinished } from 'vitest'
import * as z from 'zod'
import { issueTracker } from '../../src/server.ts'

const Tokens = z.looseObject({ access_token: z.string(), refresh_token: z.string(), expires_at: z.string(), renew_from: z.string() })
const Stored = z.looseObject({ logins: z.looseObject({ 'issue-tracker': z.looseObject({ default: Tokens }) }) })

/** Changes to the environment; undefined unsets a variable. */
type More = Readonly<Record<string, string | undefined>>

/** A listening Linear emulator, the server's command connected to it, and a person who uses both. */
export async function setUpAccount(options: LinearEmulatorOptions = {}) {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'accounts-'))
  let time = Date.now()
  const emulator = linearEmulator({ seed: 'edge-cases', now: () => time, ...options })
  const { url } = await emulator.listen()
  onTestFinished(async () => {
    await emulator.close()
    await rm(dataDirectory, { recursive: true, force: true })
  })
  const environment = {
    HOME: dataDirectory,
    MCP_TOOLKITS_DATA_DIR: dataDirectory,
    ISSUE_TRACKER_CLIENT_ID: 'lodestar-desktop',
    ISSUE_TRACKER_AUTH_URL: url,
    ISSUE_TRACKER_API_URL: `${url}/graphql`,
  }
  const file = path.join(dataDirectory, 'accounts', 'credentials.json')
  const said: string[] = []
  const noted = (finished: ProgramResult) => {
    said.push(finished.output, finished.errors)
    return finished
  }
  /** Runs a command to completion. */
  const command = async (args: readonly string[], more: More = {}) =>
    noted(await runCommand(issueTracker, args, { ...environment, ...more }))
  const start = (args: readonly string[], more: More = {}) => startCommand(issueTracker, args, { ...environment, ...more })
  /** Starts a login. Resolves with the URL that it prints. */
  const startLogin = async (args: readonly string[] = [], more: More = {}) => {
    const running = start(['login', '--no-browser', ...args], more)
    return { running, address: new URL(await running.waitForLine(/^http/)), end: async () => noted(await running.result) }
  }
  /** Submits the consent page. Resolves with the URL that the browser is redirected to. */
  const consent = async (address: URL, decision = 'allow') => {
    const { body } = await fetchPage(address)
    const ticket = /name="ticket" value="([^"]+)"/.exec(body)?.[1] ?? ''
    const form = new URLSearchParams({ ticket, decision })
    return new URL((await fetchPage(new URL('/oauth/authorize', url), { method: 'POST', body: form, headers: { origin: url } })).location)
  }
  return {
    emulator,
    url,
    dataDirectory,
    environment,
    file,
    /** Everything that the commands have printed. */
    said,
    command,
    start,
    startLogin,
    consent,
    pass: (milliseconds: number) => {
      time += milliseconds
    },
    /** A login that fails before it prints an address. */
    refused: async (more: More = {}) => {
      const running = start(['login', '--no-browser'], more)
      await expect(running.waitForLine(/^http/)).rejects.toThrow('It ended without')
      return noted(await running.result)
    },
    /** A complete login by a person who allows everything. */
    login: async (args: readonly string[] = [], more: More = {}) => {
      const { address, end } = await startLogin(args, more)
      const page = await fetchPage(await consent(address))
      return { page, ...(await end()) }
    },
    /** A server in this process that reaches the emulator over the network, with a client. */
    server: async (more: { readonly environment?: Readonly<Record<string, string>>; readonly profile?: string } = {}) => {
      const { environment: added, ...settings } = more
      const server = await connect(issueTracker, {
        dataDirectory,
        environment: { ...environment, ...added },
        dataDirectoryIsChosen: false,
        ...settings,
      })
      onTestFinished(() => server[Symbol.asyncDispose]())
      return server
    },
    stored: async () => {
      return Stored.parse(JSON.parse(await readFile(file, 'utf8'))).logins['issue-tracker'].default
    },
    /** Replaces the stored access token with one that expired long ago. */
    expireToken: async () => {
      const content = Stored.parse(JSON.parse(await readFile(file, 'utf8')))
      const past = { expires_at: '2026-01-01T00:00:00Z', renew_from: '2026-01-01T00:00:00Z' }
      Object.assign(content.logins['issue-tracker'].default, past)
      await writeFile(file, JSON.stringify(content))
    },
    /** Number of token pairs issued for each grant. */
    issued: () => emulator.store.grants().map((grant) => grant.issued),
    /** Counts requests that arrived for a path. */
    requests: (to: string) => countRequests(to, url),
  }
}

export type AccountSetup = Awaited<ReturnType<typeof setUpAccount>>

export { fetchPage } from '@mcp-toolkits/testing'

/** Matches text that contains `part`, inside an expected value. */
export const containing = (part: string): unknown => expect.stringContaining(part)

/** A URL with changed parameters. */
export function changed(address: URL, parameters: Readonly<Record<string, string>>): URL {
  const other = new URL(address)
  for (const [name, value] of Object.entries(parameters)) other.searchParams.set(name, value)
  return other
}
