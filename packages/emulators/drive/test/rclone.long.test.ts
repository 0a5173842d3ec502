import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { driveEmulator, type DriveEmulatorOptions } from '../src/index.ts'
import { tlsProxy } from './tls-proxy.ts'

const isThere = spawnSync('rclone', ['version']).status === 0
const mayBeAbsent = process.env['CI'] !== 'true'

/** Debian's rclone, configured to treat an emulator as Google. */
async function rclone(options: DriveEmulatorOptions = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'drive-rclone-'))
  const emulator = driveEmulator({ seed: 'empty', ...options })
  const proxy = await tlsProxy(emulator.fetch, directory)
  onTestFinished(async () => {
    await proxy.close()
    await emulator.close()
    rmSync(directory, { recursive: true })
  })
  const token = JSON.stringify({ access_token: 'drive-emulator', token_type: 'Bearer', expiry: '2099-01-01T00:00:00Z' })
  const config = join(directory, 'rclone.conf')
  writeFileSync(config, `[drive]\ntype = drive\nscope = drive\ntoken = ${token}\n`)
  const always = [
    '--config',
    config,
    '--ca-cert',
    proxy.certificate,
    '--drive-pacer-min-sleep',
    '1ms',
    '--retries',
    '1',
    '--low-level-retries',
    '3',
  ]
  const run = async (...args: string[]) => {
    const env = { PATH: process.env['PATH'], HOME: directory, HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url }
    const { stdout } = await promisify(execFile)('rclone', [...args, ...always], { env, encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 })
    return stdout
  }
  const local = (name: string, bytes?: Uint8Array) => {
    const path = join(directory, name)
    if (bytes) writeFileSync(path, bytes)
    return path
  }
  return { ...emulator, proxy, run, local, directory }
}

/** Bytes that look random but are always the same. */
function bytesOf(size: number): Buffer {
  const block = createHash('sha512').update('rclone').digest()
  const bytes = Buffer.alloc(size, block)
  for (let at = 0; at + 4 < size; at += 4096) bytes.writeUInt32BE(at, at)
  return bytes
}

it.skipIf(!isThere && mayBeAbsent)('lets rclone take 20 MB there and back, byte by byte the same', async () => {
  const { run, local, store, proxy, directory } = await rclone()
  const [small, large] = [bytesOf(3_000_000), bytesOf(20_000_000)]
  await run('mkdir', 'drive:there/deep')
  await run('copyto', local('small.bin', small), 'drive:there/deep/small.bin')
  await run('copyto', local('large.bin', large), "drive:there/deep/it's large.bin")
  expect(
    String(await run('lsf', '-R', 'drive:'))
      .trim()
      .split('\n')
      .sort(),
  ).toEqual(['there/', 'there/deep/', "there/deep/it's large.bin", 'there/deep/small.bin'])
  mkdirSync(join(directory, 'back'))
  await run('copyto', "drive:there/deep/it's large.bin", local('back/large.bin'))
  expect(readFileSync(local('back/large.bin')).equals(large)).toBe(true)
  expect((await run('cat', 'drive:there/deep/small.bin')).equals(small)).toBe(true)
  expect(
    (await run('cat', '--offset', '100000', '--count', '5000', 'drive:there/deep/small.bin')).equals(small.subarray(100_000, 105_000)),
  ).toBe(true)
  await run('moveto', 'drive:there/deep/small.bin', 'drive:there/moved.bin')
  await run('deletefile', "drive:there/deep/it's large.bin")
  expect(
    String(await run('lsf', '-R', 'drive:'))
      .trim()
      .split('\n')
      .sort(),
  ).toEqual(['there/', 'there/deep/', 'there/moved.bin'])
  expect(store.named("it's large.bin").map(({ trashed }) => trashed)).toEqual([1])
  expect(store.unitsByMethod()['upload.chunk']?.calls).toBe(3)
  expect(new Set(proxy.requests.map((request) => request.split(/[ /]/)[1]))).toEqual(new Set(['www.googleapis.com']))
})
