// A host page in Chromium that shows a server's app, and the host's client, which is connected to that server.
import path from 'node:path'
import { isObject, member } from '@mcp-toolkits/core/base'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import axe from 'axe-core'
import { build } from 'esbuild'
import type { Frame, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import * as z from 'zod'
import { newPage, picture } from '../chromium.ts'
import { isLookedAt, type Profile, usualHost } from './profiles.ts'

type Row = Readonly<Record<string, unknown>>
type Fetch = (request: Request) => Promise<Response>

const capabilities = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }

interface HostClientOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** True for a client of an earlier protocol revision, which states its capabilities only once. */
  readonly isLegacy?: boolean
}

/** A client like a host's, connected through `fetch` to a server. */
export async function hostClient(fetch: Fetch, { headers = {}, isLegacy = false }: HostClientOptions = {}): Promise<Client> {
  const client = new Client({ name: 'host', version: '1' }, { capabilities, versionNegotiation: { mode: isLegacy ? 'legacy' : 'auto' } })
  const send = (target: string | URL, init?: RequestInit) => fetch(new Request(target, init))
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch: send, requestInit: { headers } })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return client
}

export interface Stage {
  readonly page: Page
  readonly app: Frame
  /** The calls that the app has made, with tool names without the prefix. */
  readonly calls: readonly { readonly tool: string; readonly args: Row; readonly key: unknown }[]
  /** Text that the model would get from the app. */
  readonly context: () => Promise<string>
  /** The time from the first greeting that the host hears to the app's content, in milliseconds. */
  readonly contentMs: () => Promise<number>
  /** Makes the host start to listen. */
  readonly listen: () => Promise<void>
}

export interface Scene {
  readonly client: Client
  /** The tool whose result is shown, by its advertised name. */
  readonly tool: string
  readonly args: Row
  readonly profile?: Profile
  /** Changes the answer to a call before the app gets it. */
  readonly answer?: (call: () => Promise<CallToolResult>) => Promise<CallToolResult>
}

async function hostScript(): Promise<string> {
  const entry = path.join(import.meta.dirname, 'host', 'host.ts')
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: 'iife', platform: 'browser' })
  return outputFiles[0]?.text ?? ''
}

const places = { host: 'http://host.test', app: 'http://app.test' }
const html = { 'content-type': 'text/html; charset=utf-8' }

/** A host's page, which shows one app after another. */
interface HostPage {
  readonly page: Page
  /** Requests, windows and dialogs that have left the sandbox. */
  readonly left: string[]
  /** The app being shown. */
  shown: { readonly html: string; readonly policy: string; readonly callTool: (params: unknown) => Promise<unknown> } | undefined
}

let opening: Promise<HostPage> | undefined

async function openHost(): Promise<HostPage> {
  const page = await newPage({ runsScripts: true })
  const host: HostPage = { page, left: [], shown: undefined }
  page.on('dialog', (dialog) => host.left.push(dialog.message()))
  page.on('popup', (popup) => host.left.push(popup.url()))
  await page.route('**', async (route) => {
    const url = route.request().url()
    if (url === `${places.host}/`) await route.fulfill({ headers: html, body: '<!doctype html><title>Host</title><body style="margin:0">' })
    else if (url === `${places.app}/` && host.shown) {
      const { html: body, policy } = host.shown
      await route.fulfill({ headers: { ...html, 'content-security-policy': policy }, body })
    } else {
      host.left.push(url)
      await route.abort()
    }
  })
  await page.exposeFunction('callTool', (params: unknown) => host.shown?.callTool(params))
  await page.addInitScript(`new MutationObserver(() => {
    if (document.querySelector('[data-key]')) globalThis.shownAt ||= performance.timeOrigin + performance.now()
  }).observe(document, { childList: true, subtree: true })`)
  await page.goto(`${places.host}/`)
  await page.addScriptTag({ content: await hostScript() })
  return host
}

/** Makes a call, and shows its result in the tool's app. */
export async function showApp({ client, tool, args, profile = usualHost, answer }: Scene): Promise<Stage> {
  const { tools } = await client.listTools()
  const listed = tools.find(({ name }) => name === tool)
  const uri = member(member(listed?._meta, 'ui'), 'resourceUri')
  if (typeof uri !== 'string') throw new Error(`${tool} has no app.`)
  const [resource] = (await client.readResource({ uri })).contents
  const result = await client.callTool({ name: tool, arguments: { ...args } })

  const calls: { tool: string; args: Row; key: unknown }[] = []
  const callTool = async (params: unknown) => {
    const name = z.string().parse(member(params, 'name'))
    // A host refuses tools that the server has not listed.
    if (!tools.some((each) => each.name === name)) throw new Error(`${name} is not listed.`)
    const [sent, meta] = [member(params, 'arguments'), member(params, '_meta')]
    calls.push({ tool: name.replace(/^\w+?_/, ''), args: isObject(sent) ? sent : {}, key: member(meta, 'mcp-toolkits/idempotency-key') })
    const call = () =>
      client.callTool({ name, arguments: isObject(sent) ? { ...sent } : {}, ...(isObject(meta) && { _meta: { ...meta } }) })
    return answer ? answer(call) : call()
  }
  const host = await (opening ??= openHost())
  const { page, left } = host
  host.shown = { html: resource && 'text' in resource ? resource.text : '', policy: profile.policy, callTool }
  onTestFinished(() => {
    expect(left.splice(0), 'Something left the sandbox.').toEqual([])
  })
  const { width, capabilities, context, honoursSize, sandbox, listens } = profile
  const shown = { address: `${places.app}/`, width, capabilities, context, honoursSize, sandbox, listens, input: args, result }
  await page.evaluate(`openApp(${JSON.stringify(shown)})`)
  const app = await frameOf(page)
  return {
    page,
    app,
    calls,
    context: async () => z.string().parse(await page.evaluate('told.context')),
    contentMs: async () => z.number().parse(await app.evaluate('shownAt')) - z.number().parse(await page.evaluate('told.greeted')),
    async listen() {
      await page.evaluate('listen()')
    },
  }
}

async function frameOf(page: Page): Promise<Frame> {
  await page.waitForFunction('frames.length > 0')
  await expect.poll(() => page.frames().some((each) => each.url().startsWith(places.app))).toBe(true)
  const frame = page.frames().find((each) => each.url().startsWith(places.app))
  await frame?.waitForLoadState()
  if (!frame) throw new Error('The app is not shown.')
  return frame
}

const Violations = z.array(z.object({ id: z.string(), impact: z.string().nullish(), nodes: z.array(z.object({ html: z.string() })) }))

/** Checks an app with axe; no violation may be serious. */
export async function inspectApp({ app }: Pick<Stage, 'app'>): Promise<void> {
  await app.evaluate(axe.source)
  const found = Violations.parse(await app.evaluate('axe.run(document).then(({ violations }) => violations)'))
  const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(serious.map(({ id, nodes }) => ({ id, on: nodes.map(({ html }) => html) }))).toEqual([])
  expect(await app.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
}

/** Checks an app in one host: it shows content without a blank page, and is no higher than a conversation has room for. */
export async function inspectEverywhere(name: string, profile: Profile, stage: Stage): Promise<void> {
  const { app } = stage
  if (!profile.listens) {
    expect(await app.locator('body').innerText()).toBe('Waiting for the result…')
    await stage.listen()
  }
  await app.locator('[data-key]').nth(2).waitFor()
  const height = await app.evaluate('document.documentElement.scrollHeight')
  expect(height, profile.name).toBeGreaterThan(100)
  expect(height, profile.name).toBeLessThanOrEqual(240)
  if (isLookedAt(profile)) await inspectApp(stage)
  await picture(stage.page, `${name} ${profile.name}`)
  process.stdout.write(`${name}, ${profile.name}: ${Math.round(await stage.contentMs())} ms to content\n`)
}
