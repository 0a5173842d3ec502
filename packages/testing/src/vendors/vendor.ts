import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { Server } from '../../../../servers.ts'
import type { RunningClock } from './clock.ts'
import type { Refusal } from './faults.ts'
import type { Failure } from './network.ts'

export type Arguments = Readonly<Record<string, unknown>>

type Awaitable<Value> = Value | Promise<Value>

/** A vendor as the suite knows it, and its stand-in. */
export interface Vendor {
  /** The server that uses it. */
  readonly server: Server
  /** Its tools, with those of its toolsets and of its apps. */
  readonly tools: Server['tools']
  /** Values that the vendor receives, and that must never reach a caller or a log: the credential, and its form in a request. */
  readonly secrets: readonly string[]
  /** Refusals of this vendor. */
  readonly refusals: readonly Refusal[]
  /** The tools whose request carries no identity. */
  readonly unrepeatable?: readonly string[]
  readonly open: (clock: RunningClock) => Promise<OpenVendor>
}

/** The emulator of a vendor, with the state that calls change. */
export interface OpenVendor extends AsyncDisposable {
  readonly fetch: Fetch
  /** Options of `createServer` that name the account. */
  readonly options: Readonly<Record<string, unknown>>
  /** The example of each tool, which succeeds. */
  readonly calls: Readonly<Record<string, Arguments>>
  /** Call that must have failed, and how, before the example of a tool has something to do. */
  readonly failedBefore?: Readonly<Record<string, { readonly tool: string; readonly fail: Failure }>>
  /** URL of the request that decides the result of a tool, if that is not the last one: others only add to it. */
  readonly decisive?: Readonly<Record<string, RegExp>>
  /** Everything that the vendor holds, one line each, without values that differ between two equal runs. */
  readonly state: () => Awaitable<readonly string[]>
  /** Counts changes that took effect, which is faster than reading the whole state. */
  readonly changes: () => Awaitable<number>
  readonly reset: () => Awaitable<void>
}

/** The tools of a server, with those of its toolsets, and those that only apps call. */
export function toolsOf({ tools, withDefinition }: Server): Promise<Server['tools']> {
  return withDefinition(async ({ toolsets = {}, toolsForApps }) => {
    const groups = await Promise.all(Object.values(toolsets).map(({ listed }) => listed()))
    const forModels = [...tools, ...groups.flatMap(({ listedTools }) => listedTools)]
    const others = toolsForApps?.listed.filter(({ name }) => !forModels.some((tool) => tool.name === name)) ?? []
    return [...forModels, ...others]
  })
}

/** The examples of all these tools, by name. They are about the data of the seed `company`. */
export function examplesOf({ withDefinition }: Server): Promise<Readonly<Record<string, Arguments>>> {
  return withDefinition(async ({ load, toolsets = {}, toolsForApps }) => {
    const groups = await Promise.all(Object.values(toolsets).map(({ tools }) => tools()))
    const tools = [...(await load.tools()), ...groups.flatMap((group) => group.tools), ...((await toolsForApps?.tools()) ?? [])]
    return Object.fromEntries(tools.map(({ name, example }) => [name, example]))
  })
}

const hour = 3_600_000

/** Responses by which a vendor refuses too many requests: with a hint, without one, and with one that no call waits for. */
export function tooManyRequests(answer: Pick<Refusal, 'status' | 'body'>): readonly Refusal[] {
  return [
    { ...answer, name: 'HTTP 429 with a hint', class: 'limited', hintMs: 2_000, headers: { 'retry-after': '2' } },
    { ...answer, name: 'HTTP 429 without a hint', class: 'limited' },
    { ...answer, name: 'HTTP 429 with a long hint', class: 'exhausted', hintMs: hour, headers: { 'retry-after': '3600' } },
  ]
}

/** Rows as lines that are equal when two runs did the same, whatever ids and times they got. `volatile` columns are left out. */
export function linesOf(table: string, rows: readonly object[], volatile: readonly string[] = []): string[] {
  const stable = (row: object) => Object.fromEntries(Object.entries(row).filter(([name]) => !volatile.includes(name)))
  return rows.map((row) => `${table} ${withoutIdentity(JSON.stringify(stable(row)))}`)
}

function withoutIdentity(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
}
