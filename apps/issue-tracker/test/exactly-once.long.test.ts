import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { connect, type ConnectedServer, parseError, runs } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import { storm, stormClock } from './storm.ts'

const apiKey = 'lin_api_test'
const environment = { ISSUE_TRACKER_API_KEY: apiKey }
const limits = { requests: 1e6, points: 1e9 }
const seed = process.env['STORM_SEED'] ?? '20261121'

/** Hangs are rare, because each lasts until the attempt times out. */
const kinds = ['error', 'error', 'ratelimited', 'reset_before', 'reset_after', 'reset_after', 'cut', 'cut'] as const
const withHangs = [...kinds, ...kinds, ...kinds, 'hang'] as const

/** Runs calls over a bad connection, in waves of many at once, and returns the tracker's content afterwards. */
async function inAStorm(tool: string, ...waves: readonly (readonly Record<string, unknown>[])[]) {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey, limits })
  const { fetch, seen } = storm(emulator.fetch, { seed, rate: 0.3, kinds: withHangs })
  const server = await connect(issueTracker, { fetch, environment, clock: stormClock })
  for (const wave of waves) {
    const waiting = [...wave]
    const work = async () => {
      for (let args = waiting.shift(); args; args = waiting.shift()) await callUntilItSucceeds(server, tool, args)
    }
    await Promise.all(Array.from({ length: 32 }, work))
  }
  const { store } = emulator
  const held = { issues: store.issues(), attachments: store.attachments(), comments: store.comments(), relations: store.relations() }
  await server[Symbol.asyncDispose]()
  await emulator.close()
  return { ...held, seen: seen() }
}

/** Retries a call as its error advises, as an agent does. */
async function callUntilItSucceeds(server: ConnectedServer, tool: string, args: Record<string, unknown>): Promise<void> {
  for (let repeats = 0; repeats < 20; repeats += 1) {
    const { isError, content } = await server.result(tool, args)
    if (isError !== true) return
    const [block] = content
    const error = parseError(block?.type === 'text' ? block.text : '')
    if (!error.retryable) throw new Error(`${tool} failed: ${error.message}`)
    await stormClock.sleep((error.retry_after_seconds ?? 0) * 1000)
  }
  throw new Error(`${tool} never succeeded.`)
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const occurrences = (values: readonly unknown[]) => Object.values(Object.groupBy(values, String)).map((each) => each?.length)

const people = ['Ada Okafor', 'Mikael Lindström', 'Priya Nair', 'Tomás Herrera', '@me']

/** Names that no two of 500 calls share, so that each lookup is a separate operation. */
const named = (n: number) => ({
  team: 'ENG',
  parent_issue: `${n % 2 === 0 ? 'ENG' : 'DES'}-${(Math.floor(n / 2) % 10) + 1}`,
  assignee: people[Math.floor(n / 20) % 5],
  labels_to_add:
    n < 100 ? ['Bug', 'Security'] : n < 200 ? ['Bug'] : n < 300 ? ['Security', 'Performance'] : n < 400 ? ['Feature'] : ['Security'],
  state: 'Todo',
  project: 'Apollo',
})

/** With fewer calls, none might hang. */
const created = numbers(Math.max(runs(500), 125))

test(`creates ${created.length} issues with attachments exactly once over a bad connection (STORM_SEED=${seed})`, async () => {
  const calls = created.map((n) => ({ ...named(n), title: `Storm ${n}`, attachment_url: `https://storm.example/${n}` }))
  const { issues, attachments, seen } = await inAStorm('IssueTracker.CreateIssue', calls)
  const made = issues.filter((issue) => String(issue['title']).startsWith('Storm '))
  expect(occurrences(made.map((issue) => issue['title']))).toEqual(created.map(() => 1))
  const attached = attachments.filter((each) => String(each['url']).startsWith('https://storm.example/'))
  expect(occurrences(attached.map((each) => each['url']))).toEqual(created.map(() => 1))
  const titleOf = new Map(made.map((issue) => [issue['id'], issue['title']]))
  for (const { issueId, url } of attached) expect(titleOf.get(issueId)).toBe(`Storm ${String(url).split('/').at(-1)}`)
  for (const kind of withHangs) expect(seen[kind], kind).toBeGreaterThan(0)
})

test(`adds comments exactly once over a bad connection (STORM_SEED=${seed})`, async () => {
  const added = numbers(runs(200))
  const { comments } = await inAStorm(
    'IssueTracker.AddComment',
    added.map((n) => ({ issue: 'ENG-1', body: `Storm ${n}` })),
  )
  expect(occurrences(comments.map((each) => each['body']).filter((body) => String(body).startsWith('Storm ')))).toEqual(added.map(() => 1))
})

test(`creates relations and links exactly once over a bad connection (STORM_SEED=${seed})`, async () => {
  const pairs = numbers(20).map((n) => ({ issue: `ENG-${n + 1}`, related_issue: `DES-${(n % 12) + 1}`, relation_type: 'blockedBy' }))
  const repeated = pairs.map(({ issue, related_issue: related }) => ({ issue: related, related_issue: issue, relation_type: 'blocks' }))
  const { relations } = await inAStorm('IssueTracker.CreateIssueRelation', pairs, pairs, repeated)
  const blocking = relations
    .filter(({ type }) => type === 'blocks')
    .map(({ issueId, relatedIssueId }) => `${String(issueId)} ${String(relatedIssueId)}`)
  expect(new Set(blocking).size).toBe(blocking.length)
  const urls = numbers(50).map((n) => ({ issue: 'ENG-1', code_host_url: `https://github.com/storm/app/pull/${n}` }))
  const { attachments } = await inAStorm('IssueTracker.LinkCodeHostToIssue', urls)
  const linked = attachments.map((each) => String(each['url'])).filter((url) => url.includes('github.com/storm'))
  expect(occurrences(linked)).toEqual(numbers(50).map(() => 1))
})
