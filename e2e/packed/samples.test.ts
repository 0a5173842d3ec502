import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { root } from '../../releases/releases.ts'
import { baseEnvironment, startNode, temporaryDirectory } from '../command.ts'
import { collectOutput } from '../../packages/testing/src/processes/process.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { installedIn } from './pack-once.ts'

const samples = path.join(root, 'docs', 'emulators', 'samples')
const isCI = process.env['CI'] === 'true'

/** The vendors, with what every sample prints. */
const vendors = [
  { vendor: 'linear', variable: 'LINEAR_URL', sdk: '@linear/sdk', printed: 'Bake rye: High\n' },
  { vendor: 'drive', variable: 'DRIVE_URL', sdk: '@googleapis/drive', printed: 'Rye.txt: Rye and water\n' },
  { vendor: 'pipelines', variable: 'PIPELINES_URL', sdk: 'customerio-node', printed: 'Order Completed: accepted\n' },
] as const

/** The Debian programs that run the samples; .ci/run installs them. */
const languages = [
  { language: 'node', ending: 'mjs', command: [process.execPath], needs: [process.execPath, '--version'] },
  {
    language: 'python',
    ending: 'py',
    command: ['/usr/bin/python3'],
    needs: ['/usr/bin/python3', '-c', 'import googleapiclient, requests'],
  },
  { language: 'go', ending: 'go', command: ['go', 'run'], needs: ['go', 'version'] },
  { language: 'curl', ending: 'sh', command: ['sh'], needs: ['curl', '--version'] },
] as const

/** A directory with the vendors' clients for Node, in which the samples run. */
let directory = ''

beforeAll(async () => {
  directory = realpathSync(await temporaryDirectory())
  for (const { vendor, sdk } of vendors) {
    const place = path.join(directory, 'node_modules', sdk)
    mkdirSync(path.dirname(place), { recursive: true })
    symlinkSync(realpathSync(path.join(root, 'packages', 'emulators', vendor, 'node_modules', sdk)), place, 'junction')
  }
})

/** Starts the packed command without data, and returns its address. */
async function startEmulator(vendor: string): Promise<string> {
  const main = installedIn(inject('installation'), `${vendor}-emulator`, 'dist', 'main.js')
  const child = startNode([main, '--memory', '--seed', 'empty', '--port', '0', '--json'])
  onTestFinished(() => void child.kill())
  const line: unknown = JSON.parse(await collectOutput(child.stdout).match(/^(\{.*\})\n/))
  return z.object({ url: z.string() }).parse(line).url
}

async function run([command, ...args]: readonly string[], variables: Readonly<Record<string, string>>) {
  const env = { ...baseEnvironment(), HOME: directory, GO111MODULE: 'off', GOCACHE: path.join(directory, 'go'), ...variables }
  const child = spawn(command ?? '', args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { output, errors }
}

const isThere = ([command = '', ...args]: readonly string[]) => spawnSync(command, args).status === 0

describe.for(languages)('the samples in $language', ({ language, ending, command, needs }) => {
  // Go compiles its libraries anew for each vendor.
  const chosen = language === 'go' ? shareOf(vendors, 3, 0) : vendors
  test.skipIf(!isCI && !isThere(needs)).for(chosen)(
    'work with the packed emulator of $vendor',
    { timeout: 240_000 },
    async ({ vendor, variable, printed }) => {
      const file = `${vendor}.${ending}`
      copyFileSync(path.join(samples, language, file), path.join(directory, file))
      const url = await startEmulator(vendor)
      expect(await run([...command, file], { [variable]: url })).toEqual({ output: printed, errors: '' })
    },
  )
})

/** With and without resumable uploads. */
const cutoffs = ['8M', '1B']

test.skipIf(!isCI && !isThere(['rclone', 'version'])).for(cutoffs)('rclone works with the packed emulator of drive: %s', async (cutoff) => {
  const url = await startEmulator('drive')
  const proxy = startNode([path.join(samples, 'rclone', 'proxy.mjs'), directory, '0'], { DRIVE_URL: url })
  onTestFinished(() => void proxy.kill())
  const proxyUrl = await collectOutput(proxy.stdout).match(/^(http.*)\n/)
  const { output } = await run(['sh', path.join(samples, 'rclone', 'drive.sh')], {
    PROXY_URL: proxyUrl,
    PROXY_DIRECTORY: directory,
    RCLONE_DRIVE_UPLOAD_CUTOFF: cutoff,
    RCLONE_STREAMING_UPLOAD_CUTOFF: cutoff,
  })
  expect(output).toBe('Rye.txt: Rye and water\n')
})
