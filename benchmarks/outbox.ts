// Sends 800 events from one process, and 200 from each of four processes with one data directory, all at once. Measures how long they
// take together and the slowest call. The vendor is a function that answers after five milliseconds.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { connect } from '../packages/testing/src/connect.ts'
import { eventPipeline } from '../apps/event-pipeline/src/server.ts'
import * as z from 'zod'
import { medianOf } from './statistics.ts'

const rounds = 5
const calls = 800

/** The limits: all processes together compared with one, and the slowest call compared with the median. */
const bars = { times_one_process: 1.5, times_median: 3 }

interface Run {
  /** From the first call to the last answer, in milliseconds. */
  readonly ms: number
  /** How long each call took, in milliseconds. */
  readonly latencies: readonly number[]
}

const Times = z.array(z.object({ started: z.number(), ended: z.number() }))

/** In a child: connects, says so, waits for the start, and sends `count` events at once. */
async function sendEvents(dataDirectory: string, count: number): Promise<void> {
  const vendor = () => setTimeout(5).then(() => Response.json({}))
  const environment = { EVENT_PIPELINE_API_KEY: 'key' }
  await using server = await connect(eventPipeline, { dataDirectory, environment, fetch: vendor })
  const send = async (userId: string) => {
    const started = Date.now()
    const arguments_ = { mode: 'execute', request_body: JSON.stringify({ userId, event: 'Paid' }) }
    const { outcome } = await server.call('EventPipelineApi_TrackUserEvent', arguments_)
    if (outcome !== 'delivered') throw new Error(`An event was ${String(outcome)}.`)
    return { started, ended: Date.now() }
  }
  await send(`${process.pid}`)
  process.send?.('ready')
  await once(process, 'message')
  process.send?.(await Promise.all(Array.from({ length: count }, (_, index) => send(`${process.pid}-${index}`))))
}

/** Times of calls from several processes that start at once. */
async function run(processes: number): Promise<Run> {
  const directory = mkdtempSync(path.join(tmpdir(), 'outbox-'))
  const children = Array.from({ length: processes }, () => fork(import.meta.filename, [directory, `${calls / processes}`]))
  try {
    await Promise.all(children.map((child) => once(child, 'message')))
    const results = children.map((child) => once(child, 'message'))
    for (const child of children) child.send('start')
    const times = (await Promise.all(results)).flatMap(([message]) => Times.parse(message))
    const ms = Math.max(...times.map(({ ended }) => ended)) - Math.min(...times.map(({ started }) => started))
    return { ms, latencies: times.map(({ started, ended }) => ended - started) }
  } finally {
    for (const child of children) child.kill()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function compare(): Promise<void> {
  const figures: { one: number; four: number; slowest: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const one = await run(1)
    const four = await run(4)
    figures.push({ one: one.ms, four: four.ms, slowest: Math.max(...four.latencies) / medianOf(four.latencies) })
    console.log(figures.at(-1))
  }
  const ratio = medianOf(figures.map(({ one, four }) => four / one))
  const slowest = medianOf(figures.map((figure) => figure.slowest))
  console.log({ ratio, slowest })
  if (ratio > bars.times_one_process || slowest > bars.times_median) process.exitCode = 1
}

const [directory, count] = process.argv.slice(2)
if (directory === undefined) await compare()
else await sendEvents(directory, Number(count))
