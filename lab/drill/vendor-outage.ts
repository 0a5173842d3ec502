import { pipelines } from '../../packages/testing/src/vendors/pipelines.ts'
import { callAll } from '../../packages/testing/src/cluster/client.ts'
import { openCluster } from '../../packages/testing/src/cluster/cluster.ts'
import { freePort } from '../../packages/testing/src/postgres/daemon.ts'
import { until, type Rehearsal } from './drill.ts'
import { countByNumber, numberedEvents } from './events.ts'

const count = 100

/** The value of a gauge on the metrics page; undefined while the page lacks it. */
async function gauge(port: number, name: string, state: string): Promise<number | undefined> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const line = page.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(`state="${state}"`))
  return line === undefined ? undefined : Number(line.split(' ')[1])
}

/** Customer.io is down while a hundred events are sent. */
export const vendorOutage: Rehearsal = {
  title: 'The vendor is down',
  async run({ postgres, step, see }) {
    const metrics = await freePort()
    await using cluster = await openCluster({
      ...{ vendor: pipelines, databaseUrl: postgres.pooledUrl, seed: 1, replicas: 1 },
      args: ['--metrics-port', String(metrics)],
    })
    step(`Customer.io refuses everything, and clients send ${count} events.`)
    cluster.faults.setFaults(1)
    const { failures } = await callAll(cluster.url, numberedEvents(0, count), { parallel: 20 })
    see(`every event was accepted (${failures.length} errors)`, failures.length === 0)
    const waiting = () => gauge(metrics, 'mcp_outbox_entries', 'waiting')
    const seen = await until(async () => (await waiting()) === count)
    see(`the metric mcp_outbox_entries says how many wait: ${(await waiting()) ?? 'it is missing'}`, seen)
    const oldest = await gauge(metrics, 'mcp_outbox_oldest_seconds', 'waiting')
    const since = oldest === undefined ? 'it is missing' : `${oldest.toFixed(1)} s`
    see(`the metric mcp_outbox_oldest_seconds, on which the alert is, says since when: ${since}`, oldest !== undefined && oldest > 0)
    step('Customer.io is back, and no one does anything.')
    cluster.faults.setFaults(0)
    const delivered = await until(() => countByNumber(cluster.faults.bodies).size === count)
    const counts = [...countByNumber(cluster.faults.bodies).values()]
    see(`all ${counts.length} events arrived, each once`, delivered && counts.every((times) => times === 1))
    const isBack = await until(async () => (await waiting()) === 0)
    see(`the metric is back at 0: ${(await waiting()) ?? 'it is missing'}`, isBack)
  },
}
