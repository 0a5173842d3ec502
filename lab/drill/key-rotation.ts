import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { linear } from '../../packages/testing/src/vendors/linear.ts'
import { openCluster } from '../../packages/testing/src/cluster/cluster.ts'
import type { Rehearsal } from './drill.ts'
import { startLoad } from './load.ts'

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

/** A new key replaces the old one while clients make calls. */
export const keyRotation: Rehearsal = {
  title: 'The key is changed',
  async run({ postgres, replicas, step, see, operate }) {
    const directory = await mkdtemp(path.join(tmpdir(), 'drill-keys-'))
    const file = path.join(directory, 'keys')
    const [old, next] = [newKey('old'), newKey('new')]
    await writeFile(file, old, { mode: 0o600 })
    const environment = { MCP_TOOLKITS_VAULT_KEYS_FILE: file }
    await using cluster = await openCluster({
      ...{ vendor: linear, databaseUrl: postgres.pooledUrl, seed: 1, replicas },
      args: ['--drain-wait', '1'],
      environment,
    })
    const operator = { ...environment, MCP_TOOLKITS_STORE: `${postgres.pooledUrl}?schema=${cluster.schema}` }
    const vault = (command: string) => operate('issue-tracker', ['vault', command], operator)
    const use = async (keys: readonly string[]) => {
      await writeFile(file, keys.join(','))
      for (const replica of cluster.replicas) {
        await replica.terminate()
        await replica.restart()
      }
    }
    const stop = startLoad(cluster.url, 'rotation')
    step('The new key is put behind the old one, and every replica is restarted.')
    await use([old, next])
    step('The new key is put in front, and every replica is restarted.')
    await use([next, old])
    step('vault rotate')
    const rotated = await vault('rotate')
    see(`nothing needs the old key any more: ${rotated.text.trim().split('\n').at(-1)}`, rotated.code === 0)
    step('The old key is removed, and every replica is restarted.')
    await use([next])
    const { calls, failures, lost } = await stop()
    see(`clients made ${calls} calls meanwhile; ${failures.length} failed, ${lost} broke off`, calls > 0 && failures.length + lost === 0)
    const checked = await vault('check')
    see(`every row opens with the new key: ${checked.text.trim().split('\n').at(-1)}`, checked.code === 0)
    await rm(directory, { recursive: true, force: true })
  },
}
