import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { connect, type ConnectedServer, runs } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { issueTracker } from '../../src/server.ts'

const apiKey = 'lin_api_test'
const edit = 'IssueTracker.EditDescription'
const document = 'On-call handbook'
const rounds = runs(1_000)
/** One in this many rounds kills a writer, alternately before and after Linear has carried out its write. */
const killEvery = 25

test(
  `two simultaneous writers of one text lose no words in ${rounds} rounds with kills, unless a conflict says so`,
  { timeout: 600_000 },
  async () => {
    const emulator = linearEmulator({ seed: 'company', apiKey, limits: { requests: 1e6, points: 1e9 } })
    const directories = [await mkdtemp(path.join(tmpdir(), 'writers-'))]
    const opened: ConnectedServer[] = []
    onTestFinished(async () => {
      await Promise.all(opened.map((server) => server[Symbol.asyncDispose]()))
      await emulator.close()
      await Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true })))
    })
    const start = async (fetch: Fetch = emulator.fetch) => {
      const settings = {
        fetch,
        environment: { ISSUE_TRACKER_API_KEY: apiKey },
        toolsets: ['planning'],
        dataDirectory: directories.at(-1) ?? '',
      }
      const server = await connect(issueTracker, settings)
      opened.push(server)
      return server
    }
    const stored = () => emulator.store.documents().find(({ title }) => title === document)
    const [kept, refused] = [new Set<string>(), new Set<string>()]
    const [dead, lines]: [Promise<unknown>[], { readonly die: () => void }[]] = [[], []]
    let writers = [await start(), await start()]
    const write = async (server: ConnectedServer | undefined, args: Record<string, unknown>) => {
      const result = await server?.result(edit, args)
      if (result?.isError === true) expect(JSON.stringify(result.content)).toContain('\\"code\\":\\"conflict\\"')
      const words = result?.isError === true ? refused : kept
      words.add(String(args['text']))
    }
    for (let round = 0; round < rounds; round += 1) {
      const calls = writers.map((_, index) => {
        const expected_version = String(stored()?.['updatedAt'])
        return { document, action: 'append', text: `w${index}r${round}.`, expected_version }
      })
      if (round % killEvery !== 0) {
        await Promise.all(calls.map((args, index) => write(writers[index], args)))
        continue
      }
      const line = losingLine(emulator.fetch, round % (2 * killEvery) === 0)
      const victim = await start(line.fetch)
      const [first = {}, second = {}] = calls
      const unanswered = victim.result(edit, first).catch(() => undefined)
      await line.lost
      // A process's locks die with it: in a copy of its files, no lock is held.
      const copy = await mkdtemp(path.join(tmpdir(), 'writers-'))
      await cp(directories.at(-1) ?? '', copy, { recursive: true })
      directories.push(copy)
      writers = [await start(), await start()]
      await Promise.all([write(writers[0], first), write(writers[1], second)])
      dead.push(unanswered)
      lines.push(line)
    }
    for (const line of lines) line.die()
    await Promise.all(dead)
    const text = String(stored()?.['content'])
    const count = (word: string) => text.split(word).length - 1
    expect([...kept].flatMap((word) => (count(word) === 1 ? [] : [`${word} ${count(word)}`]))).toEqual([])
    expect([...refused].flatMap((word) => (count(word) === 0 ? [] : [`${word} ${count(word)}`]))).toEqual([])
    expect(kept.size + refused.size).toBe(2 * rounds)
    process.stdout.write(`${kept.size} edits, ${refused.size} conflicts, ${Math.ceil(rounds / killEvery)} kills.\n`)
  },
)

/** A connection on which the first write gets no response, whether or not Linear has carried it out. */
function losingLine(fetch: Fetch, arrives: boolean) {
  const { promise: lost, resolve } = Promise.withResolvers<undefined>()
  const dying = new AbortController()
  let isFirst = true
  return {
    lost,
    die() {
      dying.abort()
    },
    fetch: async (input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]) => {
      const request = new Request(input, init)
      if (!(await request.clone().text()).includes('"mutation ')) return fetch(request)
      if (arrives && isFirst) await fetch(request)
      isFirst = false
      resolve(undefined)
      if (!dying.signal.aborted) await Promise.race([once(dying.signal, 'abort'), once(request.signal, 'abort')])
      throw new TypeError('fetch failed')
    },
  }
}
