import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isObject, member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { drive } from '../../packages/testing/src/vendors/drive.ts'
import { randomNumbers } from '../../packages/testing/src/processes/random.ts'
import { isFull } from '../../packages/testing/src/runs.ts'
import { fileStorageCreates } from './creates.ts'
import { killSeed, openInstallation } from './installation.ts'
import type { Answer, KillableServer } from './killable-server.ts'

const rounds = isFull ? 1_000 : 20
/** In one round out of `killEvery`, a server is ended at one of `killPoints` requests; in a short run, these are certain to come. */
const killEvery = 5
const killPoints = isFull ? 8 : 4
/** Maximum number of rounds for a file, because Drive keeps only a hundred revisions. */
const roundsOfFile = 40
/** Maximum number of attempts at a call, including those after kills. */
const attempts = 10

const authorization = `Bearer ${drive.secrets[0] ?? ''}`

/** A writer on a separate machine, so that no lock delays the other. */
interface Writer {
  readonly directory: string
  server: KillableServer
}

/** A file at the vendor, as another program sees it. */
function fileAt(url: string, id: string) {
  const get = (place: string) => fetch(`${url}/drive/v3/files/${id}${place}`, { headers: { authorization } })
  return {
    text: async () => (await get('?alt=media')).text(),
    head: async () => String(member(await (await get('?fields=headRevisionId')).json(), 'headRevisionId')),
    textOf: async (revision: string) => (await get(`/revisions/${revision}?alt=media`)).text(),
    async kept(): Promise<readonly string[]> {
      const listed: unknown = member(await (await get('/revisions?fields=revisions(id,keepForever)&pageSize=1000')).json(), 'revisions')
      const rows: readonly unknown[] = Array.isArray(listed) ? listed : []
      return rows.flatMap((row) => (isObject(row) && row['keepForever'] === true ? [String(row['id'])] : []))
    },
  }
}

async function newFile(url: string, name: string): Promise<string> {
  const headers = { authorization, 'content-type': 'application/json' }
  const response = await fetch(`${url}/drive/v3/files`, { method: 'POST', headers, body: JSON.stringify({ name, mimeType: 'text/plain' }) })
  return String(member(await response.json(), 'id'))
}

test(
  `two writers at once lose no text without a conflict, and write nothing twice (KILL_SEED=${killSeed})`,
  { timeout: 900_000 },
  async () => {
    await using installation = await openInstallation(fileStorageCreates, killSeed)
    const { gate, start } = installation
    const random = randomNumbers(killSeed)
    const directories = [installation.dataDirectory, await mkdtemp(path.join(tmpdir(), 'exactly-once-'))]
    const writers: Writer[] = []
    for (const directory of directories) writers.push({ directory, server: await start({ dataDirectory: directory }) })
    const tally = { kills: 0, conflicts: 0, lost: 0 }
    let id = ''
    for (let round = 0; round < rounds; round += 1) {
      if (round % roundsOfFile === 0) id = await newFile(gate.url, `round ${round}`)
      const file = fileAt(gate.url, id)
      const before = await file.text()
      const isWhole = random() < 0.3
      const revision = await file.head()
      const lines = writers.map((_, index) => `line ${round} of ${index}\n`)
      const callOf = (line: string) => ({
        name: 'FileStorage_WriteFile',
        args: { file_path_or_id: id, ...(isWhole ? { content: before + line, expected_revision: revision } : { append: line }) },
      })
      const victim = writers[Math.floor(random() * writers.length)]
      const [at, dies] = [Math.floor(random() * killPoints), round % killEvery === 0]
      gate.watch((index) => {
        if (dies && index === at) victim?.server.kill()
        return false
      })
      const answers = await Promise.all(
        writers.map(async (writer, index): Promise<Answer> => {
          let answer: Answer | undefined
          for (let attempt = 0; attempt < attempts; attempt += 1) {
            answer = await writer.server.call(callOf(lines[index] ?? ''))
            if (answer && answer.result['retryable'] !== true) return answer
            if (answer) continue
            tally.kills += 1
            writer.server = await start({ dataDirectory: writer.directory })
          }
          throw new Error(`Round ${round} does not end: ${JSON.stringify(answer?.result)}`)
        }),
      )
      gate.watch(() => false)
      const text = await file.text()
      const kept = await file.kept()
      const said = answers.filter(({ isError }) => isError).map(({ result }) => String(result['message']))
      tally.conflicts += said.length
      expect(answers.filter(({ isError, result }) => isError && result['code'] !== 'conflict')).toEqual([])
      for (const line of before.split('\n')) expect(text.split('\n').filter((each) => each === line).length, line).toBe(1)
      for (const [index, line] of lines.entries()) {
        const times = text.split(line).length - 1
        expect(times, `round ${round}: ${line}`).toBeLessThanOrEqual(1)
        const answer = answers[index]
        if (times === 1 || (answer?.isError === true && said.some((message) => message.includes('Nothing was written')))) continue
        tally.lost += 1
        const named = kept.filter((each) => said.some((message) => message.includes(each)))
        const texts = await Promise.all(named.map((each) => file.textOf(each)))
        expect(texts.join(''), `round ${round}: ${said.join(' ')}`).toContain(line)
      }
    }
    for (const { server } of writers) await server.end()
    process.stdout.write(
      `${rounds} rounds, ${tally.kills} kills, ${tally.conflicts} conflicts, ${tally.lost} texts that a conflict names.\n`,
    )
    expect(tally.kills).toBeGreaterThan(0)
    expect(tally.conflicts).toBeGreaterThan(0)
    await rm(directories[1] ?? '', { recursive: true, force: true })
  },
)
