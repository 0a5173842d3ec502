import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { traceFiles } from '../packages/testing/src/processes/loaded-files.ts'
import { root } from '../releases/releases.ts'
import { servers, type Sample } from '../servers.ts'
import { exitOf, runNode, startNode, temporaryDirectory } from './command.ts'
import { collectOutput } from '../packages/testing/src/processes/process.ts'
import { initialize, rpc } from '../packages/testing/src/processes/protocol.ts'

interface Session {
  readonly main: string
  readonly data: string
  /** The call after the preload. */
  readonly call?: { readonly name: string; readonly arguments: Sample['arguments'] }
}

/**
 * The files that a server loads over stdio until it has preloaded or decided not to, and has answered the call; and the decision that it
 * logged.
 */
async function loadedIn({ main, data, call }: Session) {
  let preloaded = ''
  const files = await traceFiles(async (environment) => {
    const child = startNode([main, '--embedded', '--data-dir', data, '--log-level', 'debug'], environment)
    const [output, errors] = [collectOutput(child.stdout), collectOutput(child.stderr)]
    child.stdin.write(`${initialize(1)}\n${rpc(2, 'tools/list')}\n`)
    preloaded = await errors.match(/"message":"((?:not )?preloaded)"/)
    if (call) child.stdin.write(`${rpc(3, 'tools/call', { ...call })}\n`)
    if (call) expect(await output.match(/^(.*"id":3[,}].*)\n/m)).not.toContain('"isError":true')
    child.stdin.end()
    expect(await exitOf(child)).toBe(0)
  })
  return { preloaded, files: new Set(files.map((file) => path.basename(file))) }
}

describe.for(servers)('$name', ({ name, prefix, read, write = read }) => {
  const main = path.join(root, 'apps', name, 'dist', 'main.js')
  const call = { name: `${prefix}_${read.tool}`, arguments: read.arguments }

  test('loads what a call needs before the call, once it has been called', async () => {
    const data = await temporaryDirectory()
    const before = await loadedIn({ main, data })
    expect(before.preloaded).toBe('not preloaded')
    expect(before.files.size).toBeLessThan(10)
    const calling = await runNode([main, 'call', write.tool, JSON.stringify(write.arguments), '--embedded', '--data-dir', data])
    expect(calling).toMatchObject({ code: 0 })
    const without = await loadedIn({ main, data })
    expect(without.preloaded).toBe('preloaded')
    const withCall = await loadedIn({ main, data, call })
    expect([...withCall.files].filter((file) => !without.files.has(file))).toEqual([])
  })
})
