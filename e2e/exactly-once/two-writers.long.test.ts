import { expect, test } from 'vitest'
import { member } from '@mcp-toolkits/core/base'
import { randomNumbers } from '../../packages/testing/src/processes/random.ts'
import { isFull } from '../../packages/testing/src/runs.ts'
import { issueTrackerCreates } from './creates.ts'
import { moments } from './gate.ts'
import { type Installation, killSeed, openInstallation } from './installation.ts'
import type { Answer, Call, KillableServer } from './killable-server.ts'

const rounds = isFull ? 1_000 : 20
/** In one round out of this many, a writer is killed at a random stage of its requests. */
const killEvery = 10
const document = 'On-call handbook'

test(
  `two writers of one text at once lose no words in ${rounds} rounds with kills, unless a conflict says so (KILL_SEED=${killSeed})`,
  { timeout: 1_200_000 },
  async () => {
    const random = randomNumbers(killSeed)
    await using installation = await openInstallation(issueTrackerCreates, killSeed)
    const writers = [await installation.start(), await installation.start()]
    const [expected, refused] = [new Set<string>(), new Set<string>()]
    let kills = 0
    for (let round = 0; round < rounds; round += 1) {
      const expected_version = await versionOf(writers[0])
      const isKilled = round % killEvery === 0
      const victim = Math.floor(random() * writers.length)
      if (isKilled) killAtRandom(installation, writers[victim], random)
      await Promise.all(
        writers.map(async (writer, index) => {
          const word = `w${index}r${round}.`
          const call = { name: 'IssueTracker_EditDescription', args: { document, action: 'append', text: word, expected_version } }
          const answer = (await writer.call(call)) ?? (await again(installation, writers, index, call))
          if (answer.isError) expect(answer.result).toMatchObject({ code: 'conflict' })
          const words = answer.isError ? refused : expected
          words.add(word)
        }),
      )
      installation.gate.watch(() => false)
      if (isKilled) kills += 1
    }
    const text = await textOf(writers[0])
    const count = (word: string) => text.split(word).length - 1
    expect([...expected].flatMap((word) => (count(word) === 1 ? [] : [`${word} ${count(word)}`]))).toEqual([])
    expect([...refused].flatMap((word) => (count(word) === 0 ? [] : [`${word} ${count(word)}`]))).toEqual([])
    expect(expected.size + refused.size).toBe(2 * rounds)
    process.stdout.write(`Two writers: ${expected.size} edits, ${refused.size} conflicts, ${kills} kills, none lost.\n`)
  },
)

/** Kills a writer when one of its requests in this round reaches a stage. What it has sent by then arrives. */
function killAtRandom({ gate }: Installation, writer: KillableServer | undefined, random: () => number): void {
  const [at, when] = [Math.floor(random() * 4), moments[Math.floor(random() * moments.length)]]
  gate.watch((index, moment) => {
    if (index === at && moment === when) writer?.kill()
    return false
  })
}

/** Repeats the call of a writer that died, in a new process. */
async function again(installation: Installation, writers: KillableServer[], index: number, call: Call): Promise<Answer> {
  const writer = await installation.start()
  writers[index] = writer
  const answer = await writer.call(call)
  if (!answer) throw new Error('The new process died, too.')
  return answer
}

async function versionOf(writer: KillableServer | undefined): Promise<string> {
  const answer = await writer?.call({ name: 'IssueTracker_GetDocument', args: { document, limit: 1 } })
  return String(member(answer?.result['document'], 'updated_at'))
}

async function textOf(writer: KillableServer | undefined): Promise<string> {
  let text = ''
  for (let offset: unknown = 0; offset !== null;) {
    const answer = await writer?.call({ name: 'IssueTracker_GetDocument', args: { document, offset, limit: 20_000 } })
    text += String(answer?.result['text'])
    offset = answer?.result['next_offset'] ?? null
  }
  return text
}
