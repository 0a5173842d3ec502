import { linear } from '../../packages/testing/src/vendors/linear.ts'
import { openCluster } from '../../packages/testing/src/cluster/cluster.ts'
import type { Rehearsal } from './drill.ts'
import { startLoad } from './load.ts'

/** Every replica is replaced, again and again, while clients make calls. */
export const upgrade: Rehearsal = {
  title: 'The servers are upgraded',
  async run({ postgres, replicas, restarts, step, see }) {
    await using cluster = await openCluster({
      ...{ vendor: linear, databaseUrl: postgres.pooledUrl, seed: 1, replicas },
      args: ['--drain-wait', '1'],
    })
    step(`${restarts} times a replica gets SIGTERM and is started again, behind nginx.`)
    const codes: (number | null)[] = []
    const stop = startLoad(cluster.url, 'upgrade')
    for (let turn = 0; turn < restarts; turn += 1) {
      const replica = cluster.replicas[turn % cluster.replicas.length]
      codes.push((await replica?.terminate()) ?? null)
      await replica?.restart()
    }
    const { calls, failures, lost, retryable } = await stop()
    see(`every process ended with code 0`, codes.length === restarts && codes.every((code) => code === 0))
    see(
      `of ${calls} calls meanwhile ${failures.length} failed, ${lost} broke off and ${retryable} had to be repeated`,
      calls > 0 && failures.length + lost + retryable === 0,
    )
    const titles = (await cluster.vendor.state()).filter((line) => line.startsWith('issues ') && /upgraden\d+x/.test(line))
    see(`${titles.length} issues were made, one for each call`, titles.length === calls)
  },
}
