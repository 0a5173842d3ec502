import type { CommandDescription } from '@mcp-toolkits/emulator/command'
import manifest from '../package.json' with { type: 'json' }

const notBytes = (value: string) => (/^[1-9]\d{0,8}$/.test(value) ? undefined : 'it must be a number of bytes.')

/** This emulator's command. */
export const command: CommandDescription = {
  name: 'pipelines-emulator',
  version: manifest.version,
  service: 'Customer.io Pipelines',
  port: 4012,
  credential: { name: 'apiKey', value: 'pipelines-emulator' },
  options: {
    'call-limit': { placeholder: 'BYTES', description: 'the maximum size of a call; 32768 by default', problem: notBytes },
    'batch-limit': { placeholder: 'BYTES', description: 'the maximum size of a batch; 512000 by default', problem: notBytes },
  },
  async open({ file, seed, credential, own }) {
    const [call, batch] = ['call-limit', 'batch-limit'].map((name) => own.get(name)?.at(-1))
    const { pipelinesEmulator, readSeed } = await import('./library.ts')
    return pipelinesEmulator({
      ...(file !== undefined && { file }),
      ...(seed !== undefined && { seed: await readSeed(seed) }),
      ...(credential !== undefined && { apiKey: credential }),
      limits: { ...(call !== undefined && { call: Number(call) }), ...(batch !== undefined && { batch: Number(batch) }) },
    })
  },
  hint: (url, key) => `The API is at ${url}/v1, with the API key ${key}.`,
}
