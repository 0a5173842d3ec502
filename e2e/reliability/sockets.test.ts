import { describe, expect, test } from 'vitest'
import { sampleCall, vendors } from './bench.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { drive } from '../../packages/testing/src/vendors/drive.ts'
import { socketFaults, startCommand, startSocketVendor, type SocketFaultName } from './sockets.ts'

/** Maximum memory, in bytes, that a single response may add to a server. */
const maxGrowth = 64 * 1024 * 1024

/** A download whose content never ends, or ends after a gigabyte. */
const endlessContents = ['endless content', 'endless answer', 'gzip bomb'] as const

/** A hang takes a whole attempt in real time, so one server is enough. */
const isSampled = (name: string, server: string) => name !== 'hang' || server === 'issue-tracker'

const names = Object.keys(socketFaults).filter((name): name is SocketFaultName => name in socketFaults)

/** Without `LONG=full`, each server faces a third of the faults, and the first server the hang. */
const servers = vendors.map((vendor, index) => ({
  vendor,
  faults: shareOf(names, 3, index + 2).filter((name) => isSampled(name, vendor.server.name)),
}))

describe.for(servers)('the command $vendor.server.name', { concurrent: true }, ({ vendor, faults }) => {
  test('recovers from each kind of fault that happens once, and does not grow', { timeout: 120_000 }, async () => {
    await using upstream = await startSocketVendor(vendor)
    await using command = await startCommand(vendor, upstream)
    for (let number = 0; number < 10; number += 1) await command.call(...sampleCall(vendor, number))
    const problems: string[] = []
    for (const [index, name] of faults.entries()) {
      const grownBy = command.watchMemory()
      upstream.fail(name, 1)
      const { text, isError } = await command.call(...sampleCall(vendor, 100 + index))
      if (isError || text.includes('queued')) problems.push(`${name}: ${text.slice(0, 300)}`)
      if (/<!doctype|<html/i.test(text)) problems.push(`${name}: the answer holds a page`)
      const grown = grownBy()
      if (!(grown <= maxGrowth)) problems.push(`${name}: it grew by ${Math.round(grown / 1024 / 1024)} MiB`)
    }
    expect(problems).toEqual([])
  })

  test('says that a name does not resolve', { timeout: 120_000 }, async () => {
    await using opened = await startSocketVendor(vendor)
    await using command = await startCommand(vendor, { url: 'https://vendor.invalid', options: opened.options })
    const { text } = await command.call(...sampleCall(vendor, 0))
    expect(text).toMatch(/could not be reached|queued/)
  })
})

test.for([
  ['DownloadFile', {}],
  // The whole file in one chunk, because only the whole has a checksum.
  ['DownloadFileChunk', { chunk_size: 1_000 }],
] as const)('the command file-storage refuses endless content for %s, and does not grow', { timeout: 120_000 }, async ([tool, whole]) => {
  await using upstream = await startSocketVendor(drive)
  await using command = await startCommand(drive, upstream)
  const args = { ...upstream.calls[tool], ...whole }
  for (let number = 0; number < 10; number += 1) expect((await command.call(tool, args)).isError).toBe(false)
  const problems: string[] = []
  for (const name of shareOf(endlessContents, 2, tool === 'DownloadFile' ? 0 : 1)) {
    const grownBy = command.watchMemory()
    let requests = 0
    upstream.fail(name, Infinity, (url) => url.includes('alt=media') && (requests += 1) > 0)
    const { isError, text } = await command.call(tool, args)
    const grown = grownBy()
    if (!isError || requests === 0) problems.push(`${name}: ${text.slice(0, 300)}`)
    if (!(grown <= maxGrowth)) problems.push(`${name}: it grew by ${Math.round(grown / 1024 / 1024)} MiB`)
  }
  expect(problems).toEqual([])
})
