// Packs every server into `packed`, as it would be published. Build first.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { manifest, packed, root } from './servers.ts'

rmSync(packed, { recursive: true, force: true })
const { packageManager } = manifest(root)
const args = ['-y', String(packageManager), '--recursive', '--filter', './apps/*', 'pack', '--pack-destination', packed]
const { status, stdout, stderr } = spawnSync('npx', args, { cwd: root, shell: process.platform === 'win32', encoding: 'utf8' })
if (status !== 0) process.stderr.write(stdout + stderr)
process.exitCode = status ?? 1
