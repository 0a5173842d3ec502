import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from './command.ts'
import { apps, pack, root, type App, type Packed } from './packed.ts'

const packed = new Map<App, Packed>()
const running = new Set<ChildProcess>()
let bin = ''

/** Programs by the names that the pages use, each of which starts what was packed; `claude` lists the tools of what it is to add. */
beforeAll(async () => {
  for (const app of apps) packed.set(app, pack(app))
  bin = await temporaryDirectory()
  const program = (name: string, script: string) => {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(path.join(bin, name), 0o755)
  }
  const cases = apps.map((app) => `@mcp-toolkits/${app}) shift 2; exec "${path.join(bin, `${app}-mcp`)}" "$@";;`)
  program('npx', `[ "$1" = -y ] || exit 9\ncase "$2" in ${cases.join(' ')} *) exit 9;; esac`)
  program('claude', 'while [ "$1" != -- ]; do shift; done; shift; exec "$@" tools')
  for (const app of apps) program(`${app}-mcp`, `exec "${process.execPath}" "${path.join(installed(app), 'dist', 'main.js')}" "$@"`)
})
afterAll(() => {
  for (const { pid, exitCode } of running) if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL')
  for (const { directory } of packed.values()) rmSync(directory, { recursive: true })
})

function installed(app: App): string {
  return packed.get(app)?.installed ?? ''
}

/** What stands between fences for a shell, as a person would paste it. */
function fencesOf(app: App): string[] {
  const page = readFileSync(path.join(root, 'apps', app, 'README.md'), 'utf8')
  return [...page.matchAll(/^( *)```sh\n([^]*?)\n\1```$/gm)].map(([, indent = '', script = '']) =>
    script.replaceAll(`\n${indent}`, '\n').trim(),
  )
}

/** Runs a fence in a shell of its own. One that goes on for as long as it is let has ended its say when it gives an address. */
async function pasted(script: string, { home, token }: { readonly home: string; readonly token: string }) {
  const child = spawn('sh', ['-ec', script.replaceAll('Bearer TOKEN', `Bearer ${token}`)], {
    cwd: home,
    env: { PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}`, HOME: home, MCP_TOOLKITS_DATA_DIR: path.join(home, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what the shell has started ends with it.
    detached: true,
  })
  running.add(child)
  const said: string[] = []
  const goesOn = /-mcp (emulator|login)/.test(script)
  const { promise: addressed, resolve } = Promise.withResolvers<'goes on'>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      said.push(part)
      if (goesOn && /https?:\/\/\S+[^]*\n/.test(said.join(''))) resolve('goes on')
    })
  }
  const ended = once(child, 'close').then(() => child.exitCode)
  return { code: await Promise.race([ended, addressed]), said: () => said.join('') }
}

describe.for(apps)('the page of %s', (app) => {
  test('every command on it works as it is written, one after another', async () => {
    const home = path.join(await temporaryDirectory(), 'home')
    mkdirSync(home)
    let token = ''
    const fences = fencesOf(app)
    expect(fences.length).toBeGreaterThan(3)
    for (const fence of fences) {
      const { code, said } = await pasted(fence, { home, token })
      expect([0, 'goes on'], `${fence}\n${said()}`).toContain(code)
      if (fence.includes(' emulator ')) {
        await expect.poll(said).toContain('Authorization: Bearer ')
        token = /Bearer ([\w-]+)/.exec(said())?.[1] ?? ''
        const [, login] = /^To sign in there: (.*)$/m.exec(said()) ?? []
        if (login !== undefined) expect((await pasted(login, { home, token })).code).toBe('goes on')
      }
      if (fence.includes('call ')) expect(said()).not.toContain('"error"')
    }
  })
})
