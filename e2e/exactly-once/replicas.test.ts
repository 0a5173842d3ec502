import { expect, test } from 'vitest'
import { isFull } from '../../packages/testing/src/runs.ts'
import { creatingServers, titleOf } from './creates.ts'
import { differenceOf, killSeed, openInstallation } from './installation.ts'
import type { Answer, Call, KillableServer } from './killable-server.ts'

const keys = isFull ? 200 : 30
const processes = 3

const samples = creatingServers.flatMap((server) =>
  server.creates.slice(0, 1).map((create) => ({ server, create, title: titleOf(create) })),
)

test.for(samples)(
  `$title: ${processes} processes on one data directory, sent the same ${keys} keys at once, create ${keys} things (KILL_SEED=${killSeed})`,
  { timeout: 300_000 },
  async ({ server, create }) => {
    await using installation = await openInstallation(server, killSeed)
    const started = await Promise.all(Array.from({ length: processes }, () => installation.start()))
    const before = await installation.held()
    const calls: Call[] = []
    for (let number = 0; number < keys; number += 1) calls.push(await installation.newCall(create, { isKeyed: true }))
    const answers = await Promise.all(started.flatMap((process) => calls.map((call) => callUntilAnswered(process, call))))
    expect(answers.filter((answer) => answer?.isError !== false)).toEqual([])
    // One process has created each thing, and the others have returned its result.
    expect(answers.filter((answer) => answer?.isReplay === true)).toHaveLength(keys * (processes - 1))
    const lines = differenceOf(before, await installation.held())
    const counts = Object.values(Object.groupBy(lines, (line) => line)).map((same) => same?.length)
    expect(counts).toEqual(counts.map(() => keys))
    expect(lines.length).toBeGreaterThan(0)
  },
)

/** Repeats a call as its error says: on a busy machine, 600 calls at once take longer than a request is allowed to. */
async function callUntilAnswered(server: KillableServer, call: Call): Promise<Answer | undefined> {
  for (;;) {
    const answer = await server.call(call)
    if (answer?.isError !== true || answer.result['retryable'] !== true) return answer
  }
}
