import { expect, test } from 'vitest'
import { killSeed as seed } from '../exactly-once/installation.ts'
import { isFull } from '../../packages/testing/src/runs.ts'
import { pipelines } from '../../packages/testing/src/vendors/pipelines.ts'
import { type Call, type Outcome, send } from '../../packages/testing/src/cluster/client.ts'
import { openCluster } from '../../packages/testing/src/cluster/cluster.ts'
import { startDatabase } from './database.ts'

const restarts = isFull ? 20 : 6
const callers = 8

const postgres = startDatabase()

const eventCall = (index: number): Call => {
  const body = { userId: `person${index}x`, event: 'Order Completed', messageId: `order-${index}` }
  return { name: 'EventPipelineApi_TrackUserEvent', args: { mode: 'execute', request_body: JSON.stringify(body) } }
}

test(`replicas behind nginx are restarted ${restarts} times under load, and each call gets its answer`, { timeout: 300_000 }, async () => {
  await using cluster = await openCluster({ vendor: pipelines, databaseUrl: postgres().directUrl, seed, args: ['--drain-wait', '1'] })
  const { replicas, url } = cluster
  let isRestarting = true
  const restartAll = async () => {
    for (let count = 0; count < restarts; count += 1) {
      const replica = replicas[count % replicas.length]
      expect(await replica?.terminate()).toBe(0)
      await replica?.restart()
    }
    isRestarting = false
  }
  const counts = { events: 0, lost: 0 }
  const errors: Outcome[] = []
  const callOnce = async (call: Call) => {
    let outcome = await send(url, call)
    for (; outcome.kind === 'lost'; outcome = await send(url, call)) counts.lost += 1
    if (outcome.kind === 'error') errors.push(outcome)
  }
  const work = async () => {
    while (isRestarting) await callOnce(eventCall((counts.events += 1)))
  }
  await Promise.all([restartAll(), ...Array.from({ length: callers }, work)])
  const { events, lost } = counts
  process.stdout.write(`${events} calls during ${restarts} restarts, ${lost} of them made again\n`)
  expect(errors).toEqual([])
  expect(events).toBeGreaterThan(callers * restarts)
  expect(lost).toBe(0)
  const accepted = (await cluster.vendor.state()).flatMap((line) => /person\d+x/.exec(line)?.[0] ?? [])
  expect(accepted).toHaveLength(events)
  expect(new Set(accepted).size).toBe(events)
})
