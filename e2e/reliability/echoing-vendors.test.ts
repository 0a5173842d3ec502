import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isObject } from '@mcp-toolkits/core/base'
import { describe, expect, test } from 'vitest'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { expectCounts } from './counts.ts'
import { openBench, vendors, type Bench } from './bench.ts'
import { refusalFault, type Fault } from '../../packages/testing/src/vendors/faults.ts'
import type { Vendor } from '../../packages/testing/src/vendors/vendor.ts'

/** Longer, in milliseconds, than we ever leave a vendor alone that has asked for it. */
const forgivenMs = 2 * 3_600_000

/** The variants of a value in which one text at a time also contains the secret. */
function withSecretInEachText(value: unknown, secret: string): unknown[] {
  if (typeof value === 'string') return [`${value} ${secret}`, secret]
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    return items.flatMap((item, index) => withSecretInEachText(item, secret).map((changed) => items.with(index, changed)))
  }
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => [
    ...withSecretInEachText(item, secret).map((changed) => ({ ...value, [key]: changed })),
    { ...value, [secret]: item },
  ])
}

/** Faults in which a page, an unknown body or a header contains a secret. */
function generalEchoesOf({ refusals }: Vendor, secret: string): Fault[] {
  const headers = {
    'www-authenticate': secret,
    'x-request-id': secret,
    'retry-after': secret,
    location: `https://x.example/?token=${secret}`,
  }
  const page = `<html><body>${secret}</body></html>`
  const general = { name: 'echo', class: 'transient' } as const
  return [
    ...refusals.map((refusal) => refusalFault({ ...refusal, headers })),
    ...[200, 302, 400, 404, 500].flatMap((status) => [
      refusalFault({ ...general, status, body: page, headers: { ...headers, 'content-type': 'text/html' } }),
      refusalFault({ ...general, status, body: { [secret]: secret, error: secret, message: secret, data: { [secret]: secret } } }),
    ]),
  ]
}

/** Faults in which the vendor repeats a secret, in every position of each refusal; for the tool with this number, a share of them. */
function refusalEchoesOf({ refusals }: Vendor, secret: string, number: number): readonly Fault[] {
  const echoes = refusals.flatMap((refusal) => withSecretInEachText(refusal.body, secret).map((body) => refusalFault({ ...refusal, body })))
  return shareOf(echoes, 72, number)
}

/** Spellings of a secret. */
const formsOf = (secret: string) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replaceAll('=', '')]

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return Promise.all(entries.filter((entry) => entry.isFile()).map((entry) => readFile(path.join(entry.parentPath, entry.name), 'latin1')))
}

const counts = { tools: 0, echoes: 0 }

async function leaksOf(bench: Bench, vendor: Vendor, tool: string): Promise<string[]> {
  counts.tools += 1
  const leaks: string[] = []
  for (const [index, secret] of vendor.secrets.entries()) {
    const general = shareOf(generalEchoesOf(vendor, secret), 18, counts.tools)
    const echoes = [...general, ...(index === 0 ? refusalEchoesOf(vendor, secret, counts.tools) : [])]
    for (const fault of echoes) {
      counts.echoes += 1
      bench.network.fail(() => fault.fail)
      const { text } = await bench.call(tool)
      if (formsOf(secret).some((form) => text.includes(form))) leaks.push(`${fault.name}: ${text.slice(0, 300)}`)
      await bench.clock.leap(forgivenMs)
    }
  }
  const log = bench.session.log.join('\n')
  if (vendor.secrets.flatMap(formsOf).some((form) => log.includes(form))) leaks.push('the log')
  return leaks
}

describe.for(vendors)('$server.name', (vendor) => {
  test.for(vendor.tools)('$name repeats no secret that the vendor repeats, wherever it stands', { timeout: 300_000 }, async ({ name }) => {
    const directory = await mkdtemp(path.join(tmpdir(), 'reliability-'))
    try {
      await using bench = await openBench(vendor, { dataDirectory: directory, tool: name })
      expect(await leaksOf(bench, vendor, name)).toEqual([])
      const stored = (await filesIn(directory)).join('')
      expect(vendor.secrets.flatMap(formsOf).filter((form) => stored.includes(form))).toEqual([])
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })
})

test('counts the echoes', async () => {
  await expectCounts('echoes', counts)
})
