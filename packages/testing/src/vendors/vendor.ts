import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { Server } from '../../../../servers.ts'
import type { RunningClock } from './clock.ts'
import type { Refusal } from './faults.ts'
import type { Failure } from './network.ts'

export type Arguments = Readonly<Record<string, unknown>>

type Awaitable<Value> = Value | Promise<Value>

/** A vendor as the reliability tests see it, with the emulator that stands in for it. */
export interface Vendor {
  /** The server that uses the vendor. */
  readonly server: Server
  /** The server's tools, including those of its toolsets and apps. */
  readonly tools: Server['tools']
  /**
   * Values that the vendor receives and that must never reach a caller or a log: the credential, and the form in which requests carry it.
   */
  readonly secrets: readonly string[]
  readonly refusals: readonly Refusal[]
  /** Tools whose request contains no id by which the vendor could recognize a repeat. */
  readonly unrepeatable?: readonly string[]
  readonly open: (clock: RunningClock) => Promise<OpenVendor>
}

/** A vendor's emulator, with the state that calls change. */
export interface OpenVendor extends AsyncDisposable {
  readonly fetch: Fetch
  /** Options of `createServer` for the account. */
  readonly options: Readonly<Record<string, unknown>>
  /** Each tool's example, which succeeds. */
  readonly calls: Readonly<Record<string, Arguments>>
  /** Call that must have failed, and the failure, before a tool's example has anything to do. */
  readonly failedBefore?: Readonly<Record<string, { readonly tool: string; readonly fail: Failure }>>
  /** URL of the request that decides a tool's result, if that is not the last one; the others only add to the result. */
  readonly decisive?: Readonly<Record<string, RegExp>>
  /** Everything stored at the vendor, one line for each row, without values that differ between two equal runs. */
  readonly state: () => Awaitable<readonly string[]>
  /** Counts changes that took effect, which is faster than reading the whole state. */
  readonly changes: () => Awaitable<number>
  readonly reset: () => Awaitable<void>
}

/** A server's tools, including those of its toolsets, and those that only apps call. */
export function toolsOf({ tools, withDefinition }: Server): Promise<Server['tools']> {
  return withDefinition(async ({ toolsets = {}, toolsForApps }) => {
    const groups = await Promise.all(Object.values(toolsets).map(({ listed }) => listed()))
    const forModels = [...tools, ...groups.flatMap(({ listedTools }) => listedTools)]
    const others = toolsForApps?.listed.filter(({ name }) => !forModels.some((tool) => tool.name === name)) ?? []
    return [...forModels, ...others]
  })
}

/** The examples of all tools of a server, by name. They use the `company` seed's data. */
export function examplesOf({ withDefinition }: Server): Promise<Readonly<Record<string, Arguments>>> {
  return withDefinition(async ({ load, toolsets = {}, toolsForApps }) => {
    const groups = await Promise.all(Object.values(toolsets).map(({ tools }) => tools()))
    const tools = [...(await load.tools()), ...groups.flatMap((group) => group.tools), ...((await toolsForApps?.tools()) ?? [])]
    return Object.fromEntries(tools.map(({ name, example }) => [name, example]))
  })
}

const hour = 3_600_000

/** Responses to too many requests: with Retry-After, without it, and with a wait too long for any call. */
export function tooManyRequests(answer: Pick<Refusal, 'status' | 'body'>): readonly Refusal[] {
  return [
    { ...answer, name: 'HTTP 429 with Retry-After', class: 'limited', hintMs: 2_000, headers: { 'retry-after': '2' } },
    { ...answer, name: 'HTTP 429 without Retry-After', class: 'limited' },
    { ...answer, name: 'HTTP 429 with a long Retry-After', class: 'exhausted', hintMs: hour, headers: { 'retry-after': '3600' } },
  ]
}

/** Rows as lines, equal for two runs that did the same, whatever their ids and times. `volatile` columns are left out. */
export function linesOf(table: string, rows: readonly object[], volatile: readonly string[] = []): string[] {
  const stable = (row: object) => Object.fromEntries(Object.entries(row).filter(([name]) => !volatile.includes(name)))
  return rows.map((row) => `${table} ${withoutIdentity(JSON.stringify(stable(row)))}`)
}

function withoutIdentity(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
}
