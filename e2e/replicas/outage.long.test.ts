import { expect, test } from 'vitest'
import { member, parseJson } from '@mcp-toolkits/core/base'
import { killSeed as seed } from '../exactly-once/installation.ts'
import { isFull } from '../../packages/testing/src/runs.ts'
import { pipelines } from '../../packages/testing/src/vendors/pipelines.ts'
import { callAll } from '../../packages/testing/src/cluster/client.ts'
import { openCluster } from '../../packages/testing/src/cluster/cluster.ts'
import { startDatabase } from './database.ts'

/** Length of the vendor's outage, in milliseconds. */
const outageMs = isFull ? 60_000 : 4_000
/** Fewer than the number that one client may have in flight. */
const [people, eventsOfEach] = isFull ? [100, 10] : [40, 5]

const postgres = startDatabase()

/** The key is checked by sending an empty batch, which is about nobody; replicas may do so at the same time. */
const isKeyCheck = (body: string) => body === '{"batch":[]}'
const personIn = (body: string) => String(member(parseJson(body), 'userId'))
const numberIn = (body: string) => Number(member(member(parseJson(body), 'properties'), 'number'))

test(`the order of the events about each person survives an outage of ${outageMs / 1_000} s`, { timeout: 3_600_000 }, async () => {
  await using cluster = await openCluster({
    vendor: pipelines,
    databaseUrl: postgres().directUrl,
    seed,
    peopleIn: (body) => (isKeyCheck(body) ? [] : [personIn(body)]),
  })
  const { faults, url } = cluster
  faults.setFaults(1)
  const outage = new Promise((resolve) => setTimeout(resolve, outageMs))
  const about = async (userId: string) => {
    for (let number = 0; number < eventsOfEach; number += 1) {
      const body = JSON.stringify({ userId, event: 'Step', properties: { number } })
      const call = { name: 'EventPipelineApi_TrackUserEvent', args: { mode: 'execute', request_body: body } }
      expect(await callAll(url, [call], { parallel: 1 })).toMatchObject({ failures: [], lost: 0 })
    }
  }
  const sent = Promise.all(Array.from({ length: people }, (_, index) => about(`person${index}`)))
  await outage
  const bodies = () => faults.bodies.filter((body) => !isKeyCheck(body))
  const delivered = () => new Set(bodies().map((body) => `${personIn(body)} ${numberIn(body)}`)).size
  expect(delivered()).toBe(0)
  faults.setFaults(0)
  await expect.poll(() => bodies().length).toBeGreaterThan(0)
  const started = performance.now()
  await expect.poll(delivered, { timeout: 120_000, interval: 100 }).toBe(people * eventsOfEach)
  const seconds = (performance.now() - started) / 1_000
  await sent
  process.stdout.write(`${people * eventsOfEach} events drained in ${seconds.toFixed(1)} s.\n`)

  const numbers = new Map<string, number[]>()
  for (const body of bodies()) numbers.set(personIn(body), [...(numbers.get(personIn(body)) ?? []), numberIn(body)])
  const expected = Array.from({ length: eventsOfEach }, (_, number) => number)
  expect([...numbers.values()].filter((each) => JSON.stringify(each) !== JSON.stringify(expected))).toEqual([])
  expect(faults.overlaps).toEqual([])
})
