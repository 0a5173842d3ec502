import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { expect, it } from 'vitest'

const main = new URL('../src/main.ts', import.meta.url).pathname

it('refuses a host for notifications that is a whole address', () => {
  const { status, stderr } = spawnSync(process.execPath, [main, '--memory', '--port', '0', '--webhooks-to', 'https://hooks.example/hook'], {
    encoding: 'utf8',
    timeout: 15_000,
  })
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining('--webhooks-to: "https://hooks.example/hook" is not a host. Give one such as'),
  ])
})
