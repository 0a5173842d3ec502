import { describe, expect, test } from 'vitest'
import { sampleCall, vendors } from './bench.ts'
import { socketFaults, startCommand, startSocketVendor, type SocketFaultName } from './sockets.ts'

/** What no single response may add to the memory of a server, in bytes. */
const maxGrowth = 64 * 1024 * 1024

/** A hang takes as long as an attempt may, in real time, so one server has to do. */
const isSampled = (name: string, server: string) => name !== 'hang' || server === 'issue-tracker'

const names = Object.keys(socketFaults).filter((name): name is SocketFaultName => name in socketFaults)

describe.for(vendors)('the command $server.name', { concurrent: true }, (vendor) => {
  test('recovers from each kind of fault that happens once, and does not grow', { timeout: 120_000 }, async () => {
    await using upstream = await startSocketVendor(vendor)
    await using command = await startCommand(vendor, upstream)
    for (let number = 0; number < 10; number += 1) await command.call(...sampleCall(vendor, number))
    const problems: string[] = []
    for (const [index, name] of names.entries()) {
      if (!isSampled(name, vendor.server.name)) continue
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
