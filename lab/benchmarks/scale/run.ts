// Starts each emulator twice, on few records and on many, and asks the same of both in turns.
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { memoryOf, peakOf } from '../../../packages/testing/src/processes/proc.ts'
import { type Figures, figuresOf } from '../statistics.ts'
import { drive } from './drive.ts'
import { linear } from './linear.ts'
import { pipelines } from './pipelines.ts'
import { type RunningEmulator, startEmulator } from './running-emulator.ts'
import type { ScaledEmulator, ScaleRequest } from './scaled-emulator.ts'

/** How many records are few. */
const few = 1_000

/** What one request got. */
interface Answer {
  readonly ms: number
  readonly bytes: number
  readonly items: number
}

/** One request on few records and on many. */
export interface ScaleRow {
  readonly kind: ScaleRequest['kind']
  readonly name: string
  readonly few_ms: Figures
  readonly many_ms: Figures
  /** The median on many records by the one on few. */
  readonly times: number
  readonly few_bytes: number
  readonly many_bytes: number
  readonly few_items: number
  readonly many_items: number
}

export interface EmulatorResults {
  readonly name: string
  readonly records: string
  readonly few: number
  readonly many: number
  readonly memory_mb: number
  readonly peak_mb: number | null
  readonly rows: readonly ScaleRow[]
}

export interface ScaleResults {
  readonly node: string
  readonly load: number
  readonly rounds: number
  readonly emulators: readonly EmulatorResults[]
}

export interface ScaleRun {
  /** How often each request is measured. */
  readonly rounds: number
  /** How many records are many; what is promised when absent. */
  readonly many?: number
}

interface Planted {
  readonly directory: string
  readonly requests: readonly ScaleRequest[]
}

/** Elements of a list on a page, and records of a result. */
const itemsIn = (text: string, { kind }: ScaleRequest) => text.split(kind === 'page' ? '<li id=' : '"id":').length - 1

async function ask(
  { url }: RunningEmulator,
  { authorization }: ScaledEmulator,
  { request, number }: { request: ScaleRequest; number: number },
) {
  const { path: target, method = 'GET', body } = request
  const started = performance.now()
  const response = await fetch(url + target, {
    method,
    headers: { ...(request.kind === 'query' && { authorization }), ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body(number)) }),
  })
  const text = await response.text()
  const ms = performance.now() - started
  if (!response.ok || text.includes('"errors":')) throw new Error(`${request.name}: ${response.status} ${text.slice(0, 300)}`)
  return { ms, bytes: Buffer.byteLength(text), items: itemsIn(text, request) }
}

async function plant(emulator: ScaledEmulator, count: number): Promise<Planted & Disposable> {
  const directory = mkdtempSync(path.join(tmpdir(), 'scale-'))
  const file = path.join(directory, emulator.file)
  await emulator.plant(file, count)
  return {
    directory,
    requests: emulator.requests(file),
    [Symbol.dispose]() {
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Rounds before the measured ones, in which Node compiles. */
const warmingRounds = 5

async function measureEmulator(emulator: ScaledEmulator, { rounds, many = emulator.count }: ScaleRun): Promise<EmulatorResults> {
  using fewPlanted = await plant(emulator, few)
  using manyPlanted = await plant(emulator, many)
  await using fewRunning = await startEmulator(emulator.name, fewPlanted.directory)
  await using manyRunning = await startEmulator(emulator.name, manyPlanted.directory)
  const answers = fewPlanted.requests.map((): { few: Answer; many: Answer }[] => [])
  for (let round = -warmingRounds; round < rounds; round += 1) {
    for (const [index, request] of fewPlanted.requests.entries()) {
      const same = manyPlanted.requests[index]
      if (same === undefined) throw new Error('Both are asked the same.')
      const number = round + warmingRounds
      const pair = {
        few: await ask(fewRunning, emulator, { request, number }),
        many: await ask(manyRunning, emulator, { request: same, number }),
      }
      if (round >= 0) answers[index]?.push(pair)
    }
  }
  const { name, records } = emulator
  const rows = fewPlanted.requests.map((request, index) => rowOf(request, answers[index] ?? []))
  return { name, records, few, many, memory_mb: memoryOf(manyRunning.pid), peak_mb: peakOf(manyRunning.pid), rows }
}

function rowOf({ kind, name }: ScaleRequest, answers: readonly { readonly few: Answer; readonly many: Answer }[]): ScaleRow {
  const fewMs = figuresOf(answers.map((each) => each.few.ms))
  const manyMs = figuresOf(answers.map((each) => each.many.ms))
  const last = answers.at(-1)
  return {
    ...{ kind, name, few_ms: fewMs, many_ms: manyMs, times: Math.round((10 * manyMs.median) / fewMs.median) / 10 },
    ...{ few_bytes: last?.few.bytes ?? 0, many_bytes: last?.many.bytes ?? 0 },
    ...{ few_items: last?.few.items ?? 0, many_items: last?.many.items ?? 0 },
  }
}

/** Measures all emulators, one after the other. */
export async function runScale(run: ScaleRun, chosen: readonly ScaledEmulator[] = [linear, drive, pipelines]): Promise<ScaleResults> {
  const [load = 0] = loadavg()
  const emulators: EmulatorResults[] = []
  for (const emulator of chosen) emulators.push(await measureEmulator(emulator, run))
  return { node: process.versions.node, load: Math.round(10 * load) / 10, rounds: run.rounds, emulators }
}
