import type { ConnectStep } from '@mcp-toolkits/core'
import type { ServerDefinition } from '../definition.ts'

/** What a client shows its person before they open the page. */
export function connectMessage(
  { title, vendor, account }: Pick<ServerDefinition<never>, 'title' | 'vendor' | 'account'>,
  { purpose }: ConnectStep,
): string {
  const provider = account?.provider.name ?? vendor
  switch (purpose) {
    case 'account':
      return `${title} asks for access to your ${provider} account. Open the page to allow it.`
    case 'key':
      return `${title} needs your key for ${provider}. Open the page to enter it.`
    case 'picker':
      return `${title} asks which of your files it may use. Open the page to choose them.`
  }
}
