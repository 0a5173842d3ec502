import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { RealClock } from '../../packages/testing/src/vendors/clock.ts'
import { environmentOf } from '../../packages/testing/src/vendors/environment.ts'
import type { OpenVendor } from '../../packages/testing/src/vendors/vendor.ts'
import { openContentSource } from '../../packages/testing/src/processes/content-source.ts'
import type { Create, ServerCreates } from './creates.ts'
import { openGate, type Gate } from './gate.ts'
import { startKillable, type Call, type KillableServer, type StartOptions } from './killable-server.ts'

/** A data directory and a vendor for the processes of one server. */
export interface Installation extends AsyncDisposable {
  readonly gate: Gate
  readonly dataDirectory: string
  /** Starts a process; it ends with the installation. */
  readonly start: (options?: Partial<StartOptions>) => Promise<KillableServer>
  /** Returns a call that differs from all others. */
  readonly newCall: (create: Create, options?: CallOptions) => Promise<Call>
  /** The items at the vendor, one per line; lines are equal if their calls differ only in their number. */
  readonly held: () => Promise<readonly string[]>
}

export interface CallOptions {
  readonly isKeyed?: boolean
}

/** Values that the vendor counts up or derives from given names. */
const counted = [/"position":\d+,?/g, /"permissionId":"\d+",?/g, /\bENG-\d+/gi, /"number":\d+,?/g, /"sortOrder":-?\d+(?:\.\d+)?,?/g]

/** The seed of the run; `KILL_SEED` repeats an earlier one. */
export const killSeed = Number(process.env['KILL_SEED'] ?? Math.trunc(Math.random() * 1e6))

/** Opens a vendor and a data directory. `seed` sets this run's calls apart. */
export async function openInstallation({ vendor, server }: ServerCreates, seed: number): Promise<Installation> {
  const opened = await vendor.open(new RealClock())
  const gate = await openGate(opened.fetch)
  const source = await openContentSource()
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'exactly-once-'))
  const environment = {
    ...environmentOf(vendor, { url: gate.url, options: opened.options }),
    FILE_STORAGE_ALLOW_PRIVATE_URLS: source.host,
  }
  const started: KillableServer[] = []
  let calls = 0
  return {
    gate,
    dataDirectory,
    async start(options = {}) {
      const process = await startKillable({
        app: server.name,
        dataDirectory,
        ...options,
        environment: { ...environment, ...options.environment },
      })
      started.push(process)
      return process
    },
    async newCall(create, { isKeyed = false } = {}) {
      const mark = `mark${seed}x${(calls += 1)}x`
      const args = await create.args(mark, { vendor: opened, source })
      return { name: `${server.prefix}_${create.tool}`, args, key: isKeyed ? `key of ${mark}` : undefined }
    },
    held: () => linesOf(opened, seed),
    async [Symbol.asyncDispose]() {
      for (const process of started) await process[Symbol.asyncDispose]()
      await gate[Symbol.asyncDispose]()
      await source[Symbol.asyncDispose]()
      await opened[Symbol.asyncDispose]()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}

async function linesOf({ state }: OpenVendor, seed: number): Promise<string[]> {
  const marks = new RegExp(`mark${seed}x\\d+x`, 'g')
  return (await state()).map((line) => [marks, ...counted].reduce((text, pattern) => text.replaceAll(pattern, '<>'), line))
}

/** Lines that occur more often in one list than in the other, marked with `+` or `-`. */
export function differenceOf(before: readonly string[], after: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const line of after) counts.set(line, (counts.get(line) ?? 0) + 1)
  for (const line of before) counts.set(line, (counts.get(line) ?? 0) - 1)
  return [...counts].flatMap(([line, count]) => Array.from({ length: Math.abs(count) }, () => `${count > 0 ? '+' : '-'} ${line}`)).sort()
}
