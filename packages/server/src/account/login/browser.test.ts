import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { browserCommand, canOpen, startDetached } from './browser.ts'

const endpoints = {
  authorization: 'https://acme.example/oauth/authorize',
  token: 'https://api.acme.example/t',
  revocation: 'https://api.acme.example/r',
}
const screen = { DISPLAY: ':0' }
const nasty = 'https://acme.example/oauth?a=$(touch%20x)`id`&b=%PATH%&c="|;^\'<>'

it.each([
  ['linux', screen, { command: 'xdg-open', args: [nasty] }],
  ['freebsd', { WAYLAND_DISPLAY: 'wayland-0' }, { command: 'xdg-open', args: [nasty] }],
  ['linux', {}, undefined],
  ['linux', { DISPLAY: '' }, undefined],
  ['darwin', {}, { command: '/usr/bin/open', args: [nasty] }],
  [
    'win32',
    { SystemRoot: 'D:\\Windows' },
    { command: 'D:\\Windows\\System32\\rundll32.exe', args: ['url.dll,FileProtocolHandler', nasty] },
  ],
] as const)('on %s with %j, the URL is one argument of one program', (platform, environment, command) => {
  expect(browserCommand(nasty, { platform, environment })).toEqual(command)
})

it.each([
  'https://acme.example/oauth/authorize?x=1',
  'http://127.0.0.1:41000/oauth/authorize',
  'http://localhost:41000/',
  'https://[::1]/',
])('opens %s', (url) => {
  expect(canOpen(url, { endpoints })).toBe(true)
})

it.each([
  'http://acme.example/oauth/authorize',
  'https://acme.example:8443/',
  'https://api.acme.example/',
  'https://acme.example.evil.example/',
  'https://acme.example@evil.example/',
  'https://user@acme.example/',
  'https://evil.example/',
  'http://127.0.0.1.evil.example/',
  'http://10.0.0.1/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  '-a Calculator',
  'ftp://127.0.0.1/',
  '',
])('does not open %s', (url) => {
  expect(canOpen(url, { endpoints })).toBe(false)
})

it.runIf(process.platform !== 'win32')('starts a program without a shell and without credentials', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'browser-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const [program, seen] = [path.join(directory, 'open'), path.join(directory, 'seen')]
  await writeFile(program, `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > "${seen}.part"; env >> "${seen}.part"; mv "${seen}.part" "${seen}"\n`)
  await chmod(program, 0o700)
  const environment = {
    PATH: process.env['PATH'],
    DISPLAY: ':0',
    ACME_API_KEY: 'canary',
    ACME_ACCESS_TOKEN: 'canary',
    ACME_CLIENT_SECRET: 'canary',
  }
  startDetached({ command: program, args: [nasty] }, environment)
  await expect.poll(() => readFile(seen, 'utf8').catch(() => '')).not.toBe('')
  const written = await readFile(seen, 'utf8')
  expect(written.split('\n').slice(0, 2)).toEqual(['1', nasty])
  expect(written).toContain('DISPLAY=:0')
  expect(written).not.toContain('canary')
})

it('ignores a program that does not exist', async () => {
  startDetached({ command: path.join(tmpdir(), 'no-such-program'), args: [nasty] }, {})
  await new Promise(setImmediate)
})
