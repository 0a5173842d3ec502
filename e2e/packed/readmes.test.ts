import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { releases, type Release } from '../../releases/releases.ts'
import { temporaryDirectory } from '../command.ts'
import { installedIn } from './pack-once.ts'

const running = new Set<ChildProcess>()
let bin = ''

/** Programs with the names that the pages use, which start the packed servers; `claude` lists the tools of the server to add. */
beforeAll(async () => {
  bin = await temporaryDirectory()
  const program = (name: string, script: string) => {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(path.join(bin, name), 0o755)
  }
  const cases = releases.map(({ packageName, command }) => `${packageName}) shift 2; exec "${path.join(bin, command)}" "$@";;`)
  program('npx', `[ "$1" = -y ] || exit 9\ncase "$2" in ${cases.join(' ')} *) exit 9;; esac`)
  program('claude', 'while [ "$1" != -- ]; do shift; done; shift; exec "$@" tools')
  for (const { name, command } of releases)
    program(command, `exec "${process.execPath}" "${installedIn(inject('installation'), name, 'dist', 'main.js')}" "$@"`)
})
afterAll(() => {
  for (const { pid, exitCode } of running) if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL')
})

/** The shell commands in a server's README. */
function shellBlocks({ folder }: Release): string[] {
  const page = readFileSync(path.join(folder, 'README.md'), 'utf8')
  return [...page.matchAll(/^( *)```sh\n([^]*?)\n\1```$/gm)].map(([, indent = '', script = '']) =>
    script.replaceAll(`\n${indent}`, '\n').trim(),
  )
}

/** Runs a block in a new shell. A command that serves counts as done when it prints an address. */
async function runBlock(script: string, { home, token }: { readonly home: string; readonly token: string }) {
  const child = spawn('sh', ['-ec', script.replaceAll('Bearer TOKEN', `Bearer ${token}`)], {
    cwd: home,
    env: { PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}`, HOME: home, MCP_TOOLKITS_DATA_DIR: path.join(home, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ending the group ends everything that the shell has started.
    detached: true,
  })
  running.add(child)
  const output: string[] = []
  const serves = /-mcp (emulator|login)/.test(script)
  const { promise: isServing, resolve } = Promise.withResolvers<'serves'>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output.push(part)
      if (serves && /https?:\/\/[^\n]+\n/.test(output.join(''))) resolve('serves')
    })
  }
  const ended = once(child, 'close').then(() => child.exitCode)
  return { code: await Promise.race([ended, isServing]), output: () => output.join('') }
}

describe.for(releases)('the page of $name', (release) => {
  test('shows only commands that work', async () => {
    const home = path.join(await temporaryDirectory(), 'home')
    mkdirSync(home)
    let token = ''
    const blocks = shellBlocks(release)
    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) {
      const { code, output } = await runBlock(block, { home, token })
      expect([0, 'serves'], `${block}\n${output()}`).toContain(code)
      if (block.includes(' emulator ')) {
        await expect.poll(output).toContain('Authorization: Bearer ')
        token = /Bearer ([\w-]+)/.exec(output())?.[1] ?? ''
        const [, login] = /^To sign in there: (.*)$/m.exec(output()) ?? []
        if (login !== undefined) expect((await runBlock(login, { home, token })).code).toBe('serves')
      }
      if (block.includes('call ')) expect(output()).not.toContain('"error"')
    }
  })
})
