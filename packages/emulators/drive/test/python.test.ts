import { execFile, spawnSync } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { connected } from './connected.ts'

// Debian's package is for Debian's Python, which may not be the first one in the path.
const python = '/usr/bin/python3'
const isThere = spawnSync(python, ['-c', 'import googleapiclient']).status === 0
const mayBeAbsent = process.env['CI'] !== 'true'

it.skipIf(!isThere && mayBeAbsent)("lets Google's client for Python work from the discovery document", async () => {
  const emulator = connected({ seed: 'empty' })
  const { url } = await emulator.listen()
  const { stdout } = await promisify(execFile)(python, [path.join(import.meta.dirname, 'python', 'client.py'), url])
  expect(stdout).toBe('done\n')
  expect(emulator.store.unitsByMethod()['upload.chunk']?.calls).toBe(4)
})
