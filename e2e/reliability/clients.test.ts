import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { baseEnvironment, temporaryDirectory } from '../command.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { initialize, rpc, schemaCall } from '../../packages/testing/src/processes/protocol.ts'
import { openBench, vendors } from './bench.ts'
import { silence } from '../../packages/testing/src/vendors/network.ts'

describe.for(vendors)('a client of $server.name that leaves', (vendor) => {
  test.for(shareOf(vendor.tools, 4, 0))('ends every request of $name', async ({ name }) => {
    await using bench = await openBench(vendor, { tool: name })
    bench.network.fail(() => silence)
    const leaving = new AbortController()
    const call = bench.session.call(name, bench.opened.calls[name] ?? {}, leaving.signal).catch(() => 'left')
    await bench.clock.leap(1_000)
    leaving.abort()
    await bench.clock.until(call)
    await bench.clock.leap(1_000)
    const { exchanges } = bench.network
    expect(exchanges.filter(({ isOpen }) => isOpen)).toEqual([])
    const sent = exchanges.length
    await bench.clock.leap(60_000)
    expect(exchanges).toHaveLength(sent)
  })
})

/** Number of calls that a client makes without reading an answer, and of bytes by which the server may grow. */
const unreadCalls = 10_000
const maxGrowth = 64 * 1024 * 1024

test('a client that does not read makes the server wait, and gets every answer when it reads', { timeout: 240_000 }, async () => {
  const main = path.join(import.meta.dirname, '..', '..', 'apps', 'event-pipeline', 'dist', 'main.js')
  const child = spawn(process.execPath, [main, '--embedded', '--data-dir', await temporaryDirectory(), '--log-level', 'error'], {
    env: baseEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const residentBytes = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(child.pid)}/status`, 'utf8'))?.[1] ?? NaN) * 1024
    const lines = createInterface({ input: child.stdout })
    const first = once(lines, 'line')
    child.stdin.write(`${initialize(0)}\n${rpc(1, 'tools/call', schemaCall())}\n`)
    await first
    await once(lines, 'line')
    lines.pause()
    const before = residentBytes()
    let peak = before
    let answers = 0
    const calls = Array.from({ length: unreadCalls }, (_, index) => `${rpc(index + 2, 'tools/call', schemaCall())}\n`)
    const written = (async () => {
      for (const line of calls) if (!child.stdin.write(line)) await once(child.stdin, 'drain')
    })()
    // The pipes are full and the server has stopped reading when its memory no longer changes.
    for (let steady = 0, last = 0; steady < 5; last = residentBytes()) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      steady = Math.abs(residentBytes() - last) < 1024 * 1024 ? steady + 1 : 0
      peak = Math.max(peak, residentBytes())
    }
    expect(peak - before).toBeLessThanOrEqual(maxGrowth)
    const all = Promise.withResolvers<undefined>()
    lines.on('line', () => {
      answers += 1
      if (answers === unreadCalls) all.resolve(undefined)
    })
    lines.resume()
    await Promise.all([written, all.promise])
    expect(answers).toBe(unreadCalls)
  } finally {
    child.kill('SIGKILL')
  }
})
