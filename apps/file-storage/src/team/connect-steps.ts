import type { ConnectSteps } from '@mcp-toolkits/team/connect'
import { oauthClient } from '@mcp-toolkits/server/account'
import { withAuthorization } from '@mcp-toolkits/core/upstream'
import type { ConnectOptions, Settings } from '@mcp-toolkits/server'
import { account } from '../account.ts'
import {
  accountInfo,
  chosenCount,
  isAnotherPerson,
  pickerProvider,
  pickerScopes,
  chosenPage,
  nothingChosenPage,
  otherPersonPage,
} from '../picker/google.ts'

/** Google's picker, reached through this server's pages on a multi-user server. */
export function connectSteps(_settings: Settings, { clock }: ConnectOptions = {}): ConnectSteps {
  return {
    picker: {
      provider: pickerProvider,
      scopes: pickerScopes,
      introduction: 'Choose the files that File Storage may use for you, or upload some.',
      /** Exchanges the code, without which Google grants nothing. The token is dropped: the person's login may have more scopes. */
      async finish({ query, code, target, login, fetch }, signal) {
        const count = chosenCount(query)
        if (count === 0) return { isDone: false, page: nothingChosenPage }
        const client = oauthClient({ provider: account.provider, target, fetch, clock })
        const { tokens } = await client.exchangeCode(code, signal)
        const authorized = withAuthorization(fetch, target.apiUrl, () => `Bearer ${tokens.accessToken.reveal()}`)
        const info = await accountInfo({ fetch: authorized, url: target.apiUrl }, { ...(clock && { clock }) })
        const expected = login?.account['account'] ?? ''
        if (isAnotherPerson(info, expected)) return { isDone: false, page: otherPersonPage(info, expected) }
        return { isDone: true, page: chosenPage(count, []) }
      },
    },
  }
}
