import { systemClock, type Clock } from '@mcp-toolkits/core/base'
import { ManualClock } from '@mcp-toolkits/core/testing'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { driveEmulator, type DriveEmulator, type DriveEmulatorOptions } from '@mcp-toolkits/drive-emulator'
import { connect, type ConnectedServer, type ConnectSettings } from '@mcp-toolkits/testing'
import { fileStorage } from '../src/server.ts'

export interface Storage extends ConnectedServer {
  readonly emulator: DriveEmulator
  /** Every request that was sent, as `GET /drive/v3/files`. */
  readonly sent: string[]
  /** Requests that were sent while another of the same kind was still waiting for its response. */
  readonly overlapping: string[]
  /** Counts requests that got no response. */
  readonly lost: () => number
  /** Starts another process of the same server, with the same account and, if one was given, the same data directory. */
  readonly restarted: (settings?: ConnectSettings) => Promise<ConnectedServer>
  /** The requests of one call, as `GET /drive/v3/files`. */
  readonly requestsOf: (tool: string, args: Record<string, unknown>) => Promise<string[]>
}

const accessToken = 'test-token'

/** For concurrent calls: waits take no time and, unlike with a manual clock, one call's wait does not use up the other calls' time. */
export const clockWithoutWaits: Clock = { ...systemClock, sleep: (_ms, signal) => systemClock.sleep(0, signal) }

const rateLimit = {
  error: { code: 403, message: 'Rate limit exceeded.', errors: [{ reason: 'userRateLimitExceeded', domain: 'usageLimits' }] },
}

/** Makes about every third request fail in a transient way, before or after Drive has carried it out. */
export function addRandomFaults({ faults }: Pick<DriveEmulator, 'faults'>): { readonly seed: number } {
  const seed = Number(process.env['CHAOS_SEED'] ?? 20261121)
  faults.add({
    action: {
      kind: 'chaos',
      seed,
      rate: 0.35,
      max_in_a_row: 2,
      kinds: [
        'drop_before',
        'drop_after',
        { kind: 'status', status: 503, retry_after: 0 },
        { kind: 'status_after_commit', status: 500, retry_after: 0 },
        { kind: 'status', status: 403, body: rateLimit, retry_after: 0 },
      ],
    },
  })
  return { seed }
}

export interface StorageOptions extends ConnectSettings {
  readonly emulated?: Omit<DriveEmulatorOptions, 'accessToken'>
  /** Called before every request is sent. */
  readonly seen?: (request: Request) => unknown
  /** Something between the server and Drive, such as a proxy. */
  readonly inFront?: (drive: Fetch) => Fetch
}

/** The server with an account at an emulated Google Drive, which is empty unless `emulated` says otherwise. */
export async function storage({
  emulated = { seed: 'empty' },
  seen,
  inFront = (drive) => drive,
  clock = new ManualClock(),
  ...settings
}: StorageOptions = {}): Promise<Storage> {
  const emulator = driveEmulator({ seed: 'edge-cases', ...emulated, accessToken })
  const sent: string[] = []
  const overlapping: string[] = []
  const open = new Set<string>()
  let lost = 0
  const fetch: typeof emulator.fetch = async (input, init) => {
    const request = new Request(input, init)
    const what = `${request.method} ${new URL(request.url).pathname}`
    sent.push(what)
    if (open.has(what)) overlapping.push(what)
    open.add(what)
    await seen?.(request.clone())
    return emulator
      .fetch(request, { signal: init?.signal ?? null })
      .catch((error: unknown) => {
        lost += 1
        throw error
      })
      .finally(() => open.delete(what))
  }
  const environment = { FILE_STORAGE_ACCESS_TOKEN: accessToken }
  const start = (changed: ConnectSettings = settings) =>
    connect(fileStorage, { fetch: inFront(fetch), clock, ...changed, environment: { ...environment, ...changed.environment } })
  const connected = await start()
  return {
    ...connected,
    emulator,
    sent,
    overlapping,
    lost: () => lost,
    restarted: start,
    async requestsOf(tool, args) {
      const before = sent.length
      await connected.call(tool, args)
      return sent.slice(before)
    },
    async [Symbol.asyncDispose]() {
      await connected[Symbol.asyncDispose]()
      await emulator.close()
    },
  }
}

/** The text at a path in a result, such as `folder.id`; fails the test if there is no text. */
export function textAt(result: unknown, place: string): string {
  const found = place
    .split('.')
    .reduce(
      (value, key): unknown =>
        typeof value === 'object' && value !== null ? Object.entries(value).find(([name]) => name === key)?.[1] : undefined,
      result,
    )
  if (typeof found !== 'string') throw new Error(`There is no text at ${place} in ${JSON.stringify(result)}.`)
  return found
}

/** Changes an item as another of the person's programs would. */
export async function patchByOtherProgram(
  server: Pick<Storage, 'emulator'>,
  id: string,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  await sendPatch(server, `${id}?supportsAllDrives=true`, body)
}

/** Moves an item as another of the person's programs would. */
export async function moveByOtherProgram(
  server: Pick<Storage, 'emulator'>,
  id: string,
  { from, into }: { readonly from: string; readonly into: string },
): Promise<void> {
  await sendPatch(server, `${id}?supportsAllDrives=true&addParents=${into}&removeParents=${from}`, {})
}

/** Sends a PATCH as another of the person's programs would. */
export async function sendPatch(
  { emulator }: Pick<Storage, 'emulator'>,
  place: string,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
  const request = { method: 'PATCH', headers, body: JSON.stringify(body) }
  const { ok, status } = await emulator.fetch(`http://localhost/drive/v3/files/${place}`, request)
  if (!ok) throw new Error(`The item was not changed: HTTP ${status}.`)
}

export const folderType = 'application/vnd.google-apps.folder'

/** Creates nested folders without requests, with a text file in the innermost one. Returns the ids along the path. */
export function addPath({ emulator }: Pick<Storage, 'emulator'>, path: string): string[] {
  const names = path.split('/')
  const ids: string[] = []
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1
    const parent = ids.at(-1)
    ids.push(emulator.addItem({ name, ...(parent !== undefined && { parent }), ...(!isLast && { type: folderType }) }))
  }
  return ids
}
