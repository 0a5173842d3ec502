import type { ConnectOptions, Settings } from '@mcp-toolkits/server'
import type { ConnectSteps } from '@mcp-toolkits/team/connect'
import { apiUrlOf } from '../upstream.ts'

/** The page where a person enters the key for events sent on their behalf. Throws `Unauthenticated` for an unusable URL. */
export function connectSteps(settings: Settings, options: ConnectOptions = {}): ConnectSteps {
  const url = apiUrlOf(settings)
  const { host } = new URL(url)
  return {
    key: {
      vendor: 'Customer.io',
      label: 'Pipelines API key',
      hint: `It is the API key of a source in Customer.io, in the region of ${host}. What you send through this server then comes from that source.`,
      async check(key, signal) {
        const { checkEnteredKey } = await import('../pipelines/entered-key.ts')
        await checkEnteredKey(url, key, signal, options)
        return { region: host }
      },
    },
  }
}
