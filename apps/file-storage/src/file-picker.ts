import { Unauthenticated } from '@mcp-toolkits/core'
import type { ConnectOptions, Settings } from '@mcp-toolkits/server'
import type { Drive, StandIn } from './vendor.ts'
import { openConsent, type OpenConsent } from './google-picker.ts'

/** A page on which the person selects or uploads files, and so gives the server access to them. */
export interface PickerPage {
  readonly flow: 'oauth' | 'embedded'
  /** Null where a page would change nothing. */
  readonly url: string | null
  /** Milliseconds since 1970. */
  readonly expiresAt: number | null
  /** The scope by which every file is reached already. */
  readonly reachesAll?: string
}

/** Opens such pages. */
export interface FilePicker {
  /** Throws `Unauthenticated` where Google cannot be asked for one. */
  readonly open: () => Promise<PickerPage>
  /** Ends the pages that wait for their person. */
  readonly close: () => Promise<void>
}

export interface PickerOptions extends ConnectOptions {
  readonly settings: Settings
  readonly vendor: Drive
}

/** Finding things takes people a while. In milliseconds. */
const pageMs = 30 * 60_000

/** The picker of Google, or of its stand-in where the server runs on that. */
export function filePicker(options: PickerOptions): FilePicker {
  const { vendor } = options
  const reachesAll = () => scopeThatReachesAll(vendor.scopes?.() ?? [])
  return vendor.standIn ? embeddedPicker(vendor.standIn, reachesAll) : googlePicker(options, reachesAll)
}

/** With it the picker adds nothing; drive.readonly reads everything, but what it may change has to be selected. */
function scopeThatReachesAll(scopes: readonly string[]): string | undefined {
  if (scopes.includes('drive')) return 'drive'
  return scopes.includes('drive.readonly') && !scopes.includes('drive.file') ? 'drive.readonly' : undefined
}

function embeddedPicker(standIn: StandIn, reachesAll: () => string | undefined): FilePicker {
  const ending = new AbortController()
  return {
    async open() {
      const { url, expiresAt } = await standIn.openPicker({ app: 'File Storage', lasts: pageMs, signal: ending.signal })
      const scope = reachesAll()
      return { flow: 'embedded', url, expiresAt, ...(scope !== undefined && { reachesAll: scope }) }
    },
    close() {
      ending.abort()
      return Promise.resolve()
    },
  }
}

function googlePicker(options: PickerOptions, reachesAll: () => string | undefined): FilePicker {
  const open = new Set<OpenConsent>()
  /** Whoever asks again is given the page that waits, as long as there is time enough to use it. */
  const waiting = (client: string) =>
    [...open].find((consent) => consent.client === client && consent.expiresAt - Date.now() > pageMs / 2 && !consent.isAnswered())
  return {
    async open() {
      const scope = reachesAll()
      if (scope !== undefined) return { flow: 'oauth', url: null, expiresAt: null, reachesAll: scope }
      const asked = await askedOf(options)
      const key = `${asked.client.id} ${options.vendor.who().account}`
      const consent = waiting(key) ?? (await openConsent({ ...options, asked, key, lasts: pageMs }))
      open.add(consent)
      void consent.ended.then(() => open.delete(consent))
      return { flow: 'oauth', url: consent.url, expiresAt: consent.expiresAt }
    },
    async close() {
      await Promise.all([...open].map((consent) => consent.end()))
    },
  }
}

/** The application that holds the token of the tools: a grant to any other would be of no use to them. */
async function askedOf({ vendor, settings }: PickerOptions) {
  const login = vendor.login?.login()
  if (login) return login
  const [{ askedBySettings }, { signIn }] = await Promise.all([import('@mcp-toolkits/server/consent'), import('./sign-in.ts')])
  const asked = askedBySettings(signIn, settings)
  if (asked) return asked
  throw new Unauthenticated(
    'Nobody can be sent to the file picker of Google, because this server does not know the application that its access token belongs to. Ask the person to set FILE_STORAGE_CLIENT_ID and FILE_STORAGE_CLIENT_SECRET to the OAuth client of that token, or to unset FILE_STORAGE_ACCESS_TOKEN and sign in with "file-storage-mcp login".',
  )
}
