import type { AccountInfo } from '@mcp-toolkits/auth/stored-login'
import type { Fetch } from '@mcp-toolkits/core'
import { withCallScope } from '@mcp-toolkits/core/call-scope'
import { linearClient } from './linear/client.ts'
import { whoAmI } from './linear/workspace.ts'

/** The account of the credentials that `fetch` adds. */
export async function whoAmIAt(api: { readonly fetch: Fetch; readonly url: string }, signal: AbortSignal): Promise<AccountInfo> {
  const { viewer } = await withCallScope({ signal }, (scope) => linearClient(api).forCall(scope).run(whoAmI, {}))
  return { account: `${viewer.name} <${viewer.email}>`, workspace: viewer.organization.name }
}
