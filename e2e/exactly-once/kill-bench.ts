import { setTimeout } from 'node:timers/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { RunningClock } from '../reliability/clock.ts'
import { environmentOf } from '../reliability/sockets.ts'
import type { OpenVendor } from '../reliability/vendors/vendor.ts'
import { openContentSource } from './content-source.ts'
import type { Create, ServerCreates } from './creates.ts'
import { openGate, type Gate } from './gate.ts'
import { describePoint, type KillPoint } from './kill-points.ts'
import { startKillable, type Answer, type Call, type KillableServer } from './killable-server.ts'

/** A clock for a vendor that is used in real time: its limits are per hour. */
class RealClock extends RunningClock {
  override readonly now = (): number => Date.now()
}

/** What one kill led to. */
export interface Trial {
  readonly point: KillPoint
  /** Whether the process died without an answer; otherwise the call has no such point. */
  readonly wasKilled: boolean
  /** What is wrong with what the vendor holds, or with the answer to the repeat. */
  readonly failure?: string
  /** Whether the repeat says that it resumed an earlier call. */
  readonly hasNotice: boolean
}

export interface TrialOptions {
  readonly isKeyed: boolean
  /** How long the caller waits before it repeats the call, in milliseconds. */
  readonly delayMs: number
}

/** One vendor, one data directory, and one server process after the other, for one way of creating something. */
export interface KillBench extends AsyncDisposable {
  /** Makes a call, kills the server at the point, and repeats the call to a new process. */
  readonly kill: (point: KillPoint, options: TrialOptions) => Promise<Trial>
  /** Lets the last process end what it has to do, and returns what that has changed. */
  readonly settle: () => Promise<string | undefined>
}

export interface KillBenchOptions {
  readonly server: ServerCreates
  readonly create: Create
  /** Distinguishes the calls of this run. */
  readonly mark: string
}

export async function openKillBench({ server: { vendor, server: product }, create, mark }: KillBenchOptions): Promise<KillBench> {
  const opened = await vendor.open(new RealClock())
  const gate = await openGate(opened.fetch)
  const source = await openContentSource()
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'exactly-once-'))
  const environment = {
    ...environmentOf(vendor, { url: gate.url, options: opened.options }),
    FILE_STORAGE_ALLOW_PRIVATE_URLS: source.host,
  }
  const start = () => startKillable({ app: product.name, environment, dataDirectory })
  let current = await start()
  let number = 0
  const nextCall = async (isKeyed: boolean): Promise<Call> => {
    const own = `${mark}x${(number += 1)}x`
    const args = await create.args(own, { vendor: opened, source })
    return { name: `${product.prefix}_${create.tool}`, args, key: isKeyed ? `key of ${own}` : undefined }
  }
  const restart = async () => {
    await current[Symbol.asyncDispose]()
    current = await start()
  }
  const undisturbed = async () => {
    const call = await nextCall(false)
    const held = await linesOf(opened, mark)
    const answer = await current.call(call)
    if (!answer || answer.isError) throw new Error(`${call.name} fails without a kill: ${JSON.stringify(answer?.result)}`)
    return differenceOf(held, await linesOf(opened, mark))
  }
  // The first call of all may also change what later ones find as it should be.
  await undisturbed()
  const effect = await undisturbed()
  let last = await linesOf(opened, mark)

  return {
    async kill(point, { isKeyed, delayMs }) {
      const call = await nextCall(isKeyed)
      const held = await linesOf(opened, mark)
      const wasKilled = await callAndKill(current, gate, { point, call })
      const victim = current
      const syscall = wasKilled && point.kind === 'write' ? ` (${await victim.lastWrite()})` : ''
      await restart()
      if (delayMs > 0) await setTimeout(delayMs)
      let failure: string | undefined
      let hasNotice = false
      if (wasKilled) {
        const answer = await current.call(call)
        hasNotice = JSON.stringify(answer?.result).includes('notice')
        failure = refusalOf(answer)
        if (failure === undefined && isKeyed) failure = replayFailure(await current.call(call))
      }
      last = await linesOf(opened, mark)
      failure ??= effectFailure(effect, differenceOf(held, last))
      return {
        point,
        wasKilled,
        hasNotice,
        ...(failure !== undefined && { failure: `${describePoint(point)}${syscall}${isKeyed ? ', with a key' : ''}: ${failure}` }),
      }
    },
    async settle() {
      await current.end()
      return effectFailure([], differenceOf(last, await linesOf(opened, mark)))
    },
    async [Symbol.asyncDispose]() {
      await current[Symbol.asyncDispose]()
      await gate[Symbol.asyncDispose]()
      await source[Symbol.asyncDispose]()
      await opened[Symbol.asyncDispose]()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}

/** Whether the process died without an answer. */
async function callAndKill(server: KillableServer, gate: Gate, { point, call }: { point: KillPoint; call: Call }): Promise<boolean> {
  if (point.kind === 'write') await server.killAt(point.writes, point.number)
  gate.watch((index, moment) => {
    const isReached = point.kind === 'request' && point.index === index && point.moment === moment
    if (isReached) server.kill()
    return isReached
  })
  const answer = await server.call(call)
  gate.watch(() => false)
  return answer === undefined
}

/** What the vendor counts or derives from the names that it was given. */
const counted = [/"permissionId":"\d+",?/g, /\bENG-\d+/gi, /"number":\d+,?/g, /"sortOrder":-?\d+(?:\.\d+)?,?/g]

/** What the vendor holds, one line each, alike for calls that differ in their mark alone. */
async function linesOf({ state }: OpenVendor, mark: string): Promise<string[]> {
  const marks = new RegExp(`${mark}x\\d+x`, 'g')
  return (await state()).map((line) => [marks, ...counted].reduce((text, pattern) => text.replaceAll(pattern, '<>'), line))
}

/** The lines that one list has more often than the other, with `+` or `-`. */
function differenceOf(before: readonly string[], after: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const line of after) counts.set(line, (counts.get(line) ?? 0) + 1)
  for (const line of before) counts.set(line, (counts.get(line) ?? 0) - 1)
  return [...counts].flatMap(([line, count]) => Array.from({ length: Math.abs(count) }, () => `${count > 0 ? '+' : '-'} ${line}`)).sort()
}

function effectFailure(expected: readonly string[], actual: readonly string[]): string | undefined {
  const [missing, extra] = [withoutLines(expected, actual), withoutLines(actual, expected)]
  if (missing.length === 0 && extra.length === 0) return undefined
  const kind = missing.length === 0 ? 'doubled' : extra.length === 0 ? 'lost' : 'different'
  const short = kind === 'different' ? (line: string) => line.slice(0, 300) : (line: string) => line.split(' ').slice(0, 2).join(' ')
  return [`${kind}:`, ...missing.map((line) => `not ${short(line)}`), ...extra.map(short)].join(' ')
}

function withoutLines(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return lines.filter((line) => {
    const index = left.indexOf(line)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
}

function refusalOf(answer: Answer | undefined): string | undefined {
  if (!answer) return 'the new process died'
  return answer.isError ? `the repeat is refused: ${JSON.stringify(answer.result)}` : undefined
}

/** A third call with the key gets the stored result. */
function replayFailure(answer: Answer | undefined): string | undefined {
  const refusal = refusalOf(answer)
  if (refusal !== undefined) return refusal
  return answer?.isReplay === true ? undefined : 'a further call with the key is not answered with the stored result'
}
