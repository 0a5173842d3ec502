import { linear } from '../../e2e/reliability/vendors/linear.ts'
import { callAll, type Call } from '../../e2e/replicas/client.ts'
import { openCluster } from '../../e2e/replicas/cluster.ts'
import type { Rehearsal } from './drill.ts'

const restarts = 20

/** Every replica is replaced, again and again, while clients call. */
export const upgrade: Rehearsal = {
  title: 'The servers are upgraded',
  async run({ postgres, step, see }) {
    await using cluster = await openCluster({
      ...{ vendor: linear, databaseUrl: postgres.pooledUrl, seed: 1 },
      args: ['--drain-wait', '1'],
    })
    step(`${restarts} times a replica is told to end, and started again, behind nginx.`)
    let isOver = false
    const codes: (number | null)[] = []
    const rolling = async () => {
      for (let turn = 0; turn < restarts; turn += 1) {
        const replica = cluster.replicas[turn % cluster.replicas.length]
        codes.push((await replica?.terminate()) ?? null)
        await replica?.restart()
      }
      isOver = true
    }
    const totals = { calls: 0, failures: 0, lost: 0, retryable: 0 }
    const work = async (worker: number) => {
      while (!isOver) {
        const call: Call = { name: 'IssueTracker_CreateIssue', args: { team: 'ENG', title: `upgrade${worker}n${(totals.calls += 1)}x` } }
        const tally = await callAll(cluster.url, [call], { parallel: 1 })
        totals.failures += tally.failures.length
        totals.lost += tally.lost
        totals.retryable += tally.retryable
      }
    }
    await Promise.all([rolling(), ...[0, 1, 2, 3].map(work)])
    const { calls, failures, lost, retryable } = totals
    see(`every process ended with code 0`, codes.length === restarts && codes.every((code) => code === 0))
    see(
      `of ${calls} calls meanwhile ${failures} failed, ${lost} broke off and ${retryable} had to be repeated`,
      calls > 0 && failures + lost + retryable === 0,
    )
    const titles = (await cluster.vendor.state()).filter((line) => line.startsWith('issues ') && /upgrade\dn\d+x/.test(line))
    see(`${titles.length} issues were made, one for each call`, titles.length === calls)
  },
}
