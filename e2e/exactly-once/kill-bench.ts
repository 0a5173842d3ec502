import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Create, ServerCreates } from './creates.ts'
import type { Gate } from './gate.ts'
import { differenceOf, openInstallation } from './installation.ts'
import { describePoint, type KillPoint } from './kill-points.ts'
import type { Answer, Call, KillableServer } from './killable-server.ts'

/** The outcome of one kill. */
export interface Trial {
  readonly point: KillPoint
  /** True if the process died without answering; false if the call has no such point. */
  readonly wasKilled: boolean
  /** The fault in the vendor's data, or in the answer to the repeat. */
  readonly failure?: string
  /** True if the repeat says that it resumed an earlier call. */
  readonly hasNotice: boolean
}

export interface TrialOptions {
  readonly isKeyed: boolean
  /** The caller's wait before the repeat, in milliseconds. */
  readonly delayMs: number
  /** The new process's variables. */
  readonly environment?: Readonly<Record<string, string>>
}

/** A vendor and a data directory, used by one server process after another, for one way of creating something. */
export interface KillBench extends AsyncDisposable {
  /** The number of requests in an undisturbed call. */
  readonly requests: number
  /** Makes a call, kills the server at the point, and repeats the call to a new process. */
  readonly kill: (point: KillPoint, options: TrialOptions) => Promise<Trial>
  /** Lets the last process finish its work; if that changes anything, resolves with the fault. */
  readonly settle: () => Promise<string | undefined>
}

export async function openKillBench(server: ServerCreates, create: Create, seed: number): Promise<KillBench> {
  const installation = await openInstallation(server, seed)
  const { gate, held, newCall } = installation
  let current = await installation.start()
  const undisturbed = async () => {
    const call = await newCall(create)
    const before = await held()
    gate.watch(() => false)
    const answer = await current.call(call)
    if (!answer || answer.isError) throw new Error(`${call.name} fails without a kill: ${JSON.stringify(answer?.result)}`)
    return differenceOf(before, await held())
  }
  // The very first call may also create things that later calls find.
  await undisturbed()
  const effect = await undisturbed()
  const requests = gate.requests()
  let last = await held()

  const repeat = async (call: Call) => {
    const answer = await current.call(call)
    const refusal = refusalOf(answer)
    const failure = refusal ?? (call.key === undefined ? undefined : replayFailure(answer, await current.call(call)))
    return { failure, hasNotice: JSON.stringify(answer?.result).includes('notice') }
  }
  return {
    requests,
    async kill(point, { isKeyed, delayMs, environment = {} }) {
      const call = await newCall(create, { isKeyed })
      const before = await held()
      const wasKilled = await callAndKill(current, gate, { point, call })
      const syscall = wasKilled && point.kind === 'write' ? ` (${await current.lastWrite()})` : ''
      await current[Symbol.asyncDispose]()
      if (delayMs > 0) await setTimeout(delayMs)
      current = await installation.start({ environment })
      const { failure: refusal, hasNotice } = wasKilled ? await repeat(call) : { failure: undefined, hasNotice: false }
      last = await held()
      const failure = refusal ?? effectFailure(effect, differenceOf(before, last))
      const place = `${describePoint(point)}${syscall}${isKeyed ? ', with a key' : ''}`
      return { point, wasKilled, hasNotice, ...(failure !== undefined && { failure: `${place}: ${failure}` }) }
    },
    async settle() {
      await current.end()
      return effectFailure([], differenceOf(last, await held()))
    },
    [Symbol.asyncDispose]: () => installation[Symbol.asyncDispose](),
  }
}

/** Returns true if the process died without answering. */
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

/** The reason why a third call with the key did not get the stored result of the second; undefined if it did. */
function replayFailure(second: Answer | undefined, third: Answer | undefined): string | undefined {
  const refusal = refusalOf(third)
  if (refusal !== undefined) return refusal
  if (third?.isReplay !== true) return 'a further call with the key is not answered with the stored result'
  return isDeepStrictEqual(third.result, second?.result) ? undefined : 'a further call with the key has another result'
}
