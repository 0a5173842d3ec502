import type { OAuthClient } from '@mcp-toolkits/emulator/oauth'

/** An application that asks people for access: https://developers.google.com/identity/protocols/oauth2. */
export type GoogleClient = OAuthClient &
  (
    | {
        /** Runs on the person's machine; what it is redirected to need not be registered, but is on loopback. */
        readonly kind: 'installed'
      }
    | {
        readonly kind: 'web'
        /** Exact addresses. */
        readonly redirectUris: readonly string[]
      }
  )

/** An application for programs on this machine. Desktop applications have a secret at Google, which is none. */
export const localClient: GoogleClient = {
  kind: 'installed',
  id: 'lodestar-desktop.apps.googleusercontent.com',
  name: 'Lodestar Desktop',
  secret: 'GOCSPX-lodestar-desktop',
}

/** Whether an application may be sent back to an address. */
export function mayReturnTo(client: GoogleClient, address: string): boolean {
  if (client.kind === 'web') return client.redirectUris.includes(address)
  const url = URL.parse(address)
  const isBare = url?.username === '' && url.password === '' && !address.includes('#')
  return isBare && url.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
}
