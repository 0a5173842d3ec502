import { commandLine } from '@mcp-toolkits/auth/account'
import type { LoginTarget } from '@mcp-toolkits/auth/stored-login'
import { Unauthenticated } from '@mcp-toolkits/core'
import type { ConnectOptions, Settings, PendingPages } from '@mcp-toolkits/server'
import { account } from './account.ts'
import { openConsent, type OpenConsent } from './google-picker.ts'
import type { Drive, StandIn } from './vendor.ts'

/** A page on which the person selects or uploads files, and so gives the server access to them; or what is to be done without one. */
export type PickerPage = OfferedPage | NoPage

interface Asked {
  readonly flow: 'oauth' | 'embedded'
  /** The scope by which every file is reached already. */
  readonly reachesAll?: string
}

interface OfferedPage extends Asked {
  readonly url: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Where a page would change nothing, or where nobody who asks could open it. */
export interface NoPage extends Asked {
  readonly url: null
  readonly expiresAt: null
  /** What somebody runs in a terminal instead: for more scopes, or to have the page on the machine where the server runs. */
  readonly command: string
}

/** Opens such pages. */
export interface FilePicker {
  /** Throws `Unauthenticated` where Google cannot be asked for one. */
  readonly open: () => Promise<PickerPage>
  /** The pages that wait for their person; undefined where none does. */
  readonly waiting: () => PendingPages | undefined
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
  const { vendor, settings } = options
  const picker = vendor.standIn ? embeddedPicker(vendor.standIn) : googlePicker(options)
  const { flow } = picker
  return {
    ...picker,
    async open() {
      const scopes = (await vendor.scopes?.()) ?? []
      const reachesAll = scopeThatReachesAll(scopes)
      const asked = { flow, ...(reachesAll !== undefined && { reachesAll }) }
      const without = (words: readonly string[]) => ({
        ...asked,
        url: null,
        expiresAt: null,
        command: commandLine(account.server, settings, words),
      })
      if (flow === 'oauth' && reachesAll !== undefined) return without(['login', '--scopes', [...scopes, 'drive.file'].join(',')])
      if (settings.servesElsewhere === true) return without(['call', 'GenerateFilePickerUrl'])
      return { ...asked, ...(await picker.open()) }
    },
  }
}

/** With it the picker adds nothing; drive.readonly reads everything, but what it may change has to be selected. */
function scopeThatReachesAll(scopes: readonly string[]): string | undefined {
  if (scopes.includes('drive')) return 'drive'
  return scopes.includes('drive.readonly') && !scopes.includes('drive.file') ? 'drive.readonly' : undefined
}

/** A picker, whatever the login may do. */
interface Picker extends Omit<FilePicker, 'open'>, Pick<PickerPage, 'flow'> {
  readonly open: () => Promise<Pick<OfferedPage, 'url' | 'expiresAt'>>
}

/** Pages of one kind that wait. */
function pagesThatWait<Page extends { readonly ended: Promise<unknown> }>() {
  const pages = new Set<Page>()
  return {
    pages,
    add: (page: Page) => {
      pages.add(page)
      void page.ended.then(() => pages.delete(page))
    },
    waiting: () => (pages.size === 0 ? undefined : { ended: Promise.all([...pages].map(({ ended }) => ended)) }),
  }
}

function embeddedPicker(standIn: StandIn): Picker {
  const ending = new AbortController()
  const { add, waiting } = pagesThatWait()
  return {
    flow: 'embedded',
    waiting,
    async open() {
      const { url, expiresAt, done } = await standIn.openPicker({ app: 'File Storage', lifetimeMs: pageMs, signal: ending.signal })
      add({ ended: done })
      return { url, expiresAt }
    },
    close() {
      ending.abort()
      return Promise.resolve()
    },
  }
}

function googlePicker(options: PickerOptions): Picker {
  const { pages, add, waiting } = pagesThatWait<OpenConsent>()
  /** Whoever asks again is given the page that waits, as long as there is time enough to use it. */
  const usable = (client: string) =>
    [...pages].find((consent) => consent.client === client && consent.expiresAt - Date.now() > pageMs / 2 && !consent.isAnswered())
  return {
    flow: 'oauth',
    waiting,
    async open() {
      const target = await pickerTarget(options)
      const person = await options.vendor.currentPerson()
      const key = `${target.client.id} ${person.account}`
      const consent = usable(key) ?? (await openConsent({ ...options, target, key, lasts: pageMs }))
      add(consent)
      return { url: consent.url, expiresAt: consent.expiresAt }
    },
    async close() {
      await Promise.all([...pages].map((consent) => consent.end()))
    },
  }
}

/** The application that holds the token of the tools: a grant to any other would be of no use to them. */
async function pickerTarget({ vendor, settings }: PickerOptions): Promise<LoginTarget> {
  if (vendor.tokens) return vendor.tokens.login()
  const { environmentTarget } = await import('@mcp-toolkits/auth/login')
  const target = environmentTarget(account, settings)
  if (target) return target
  const command = commandLine(account.server, settings, ['login'])
  throw new Unauthenticated(
    'Nobody can be sent to the file picker of Google, because this server does not know the application that its access token belongs to. Ask the person to set FILE_STORAGE_CLIENT_ID and FILE_STORAGE_CLIENT_SECRET to the OAuth client of that token, or to unset FILE_STORAGE_ACCESS_TOKEN and run the command.',
    { next: { command } },
  )
}
