import { commandLine } from '@mcp-toolkits/auth/account'
import type { LoginTarget } from '@mcp-toolkits/auth/stored-login'
import { Forbidden, Unauthenticated } from '@mcp-toolkits/core'
import { systemClock } from '@mcp-toolkits/core/clock'
import { Message, sentence } from '@mcp-toolkits/core/message'
import type { PendingPages } from '@mcp-toolkits/server'
import { account } from './account.ts'
import { openGooglePicker, type GooglePickerPage, type FilePickerOptions } from './google-picker.ts'
import type { EmbeddedDrive } from './vendor.ts'

/** A page on which the person selects or uploads files and so grants access to them, or why there is none. */
export type PickerPage = OpenPickerPage | NoPickerPage

interface PickerInfo {
  readonly flow: 'oauth' | 'embedded'
  /** The scope that gives access to every file already. */
  readonly reachesAll?: string
}

interface OpenPickerPage extends PickerInfo {
  readonly url: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** A page would change nothing, or could not be opened where the caller is. */
export interface NoPickerPage extends PickerInfo {
  readonly url: null
  readonly expiresAt: null
  /**
   * What to run in a terminal instead: for more scopes, or to open the page on the machine of the server. Absent where the server acts
   * for many people.
   */
  readonly command?: string
}

export interface FilePicker {
  /** Throws `Unauthenticated` when the application is not known. */
  readonly open: () => Promise<PickerPage>
  /** The open pages; undefined when there are none. */
  readonly pendingPages: () => PendingPages | undefined
  /** Closes all pages. */
  readonly close: () => Promise<void>
}

/** How long a page can be used: finding files takes people a while. In milliseconds. */
const lifetimeMs = 30 * 60_000

/** Google's picker, or that of the embedded default. */
export function filePicker(options: FilePickerOptions): FilePicker {
  const { vendor, settings } = options
  const picker = vendor.embeddedDrive ? embeddedPicker(vendor.embeddedDrive) : googlePicker(options)
  const { flow, pendingPages, close } = picker
  return {
    pendingPages,
    close,
    async open() {
      if (vendor.serviceAccount !== undefined) {
        throw new Forbidden(
          `This server acts as ${vendor.serviceAccount} by a service account, for which no one can choose files in a browser. Have the files shared with that address.`,
        )
      }
      const scopes = (await vendor.scopes?.()) ?? []
      const reachesAll = scopeForAllFiles(scopes)
      const info = { flow, ...(reachesAll !== undefined && { reachesAll }) }
      if (options.connectLink) {
        if (reachesAll !== undefined) return { ...info, url: null, expiresAt: null }
        const { url, expiresAt } = await options.connectLink({ purpose: 'picker' })
        return { ...info, url, expiresAt }
      }
      const withCommand = (words: readonly string[]) => ({
        ...info,
        url: null,
        expiresAt: null,
        command: commandLine(account.server, settings, words),
      })
      if (flow === 'oauth' && reachesAll !== undefined) return withCommand(['login', '--scopes', [...scopes, 'drive.file'].join(',')])
      if (settings.servesOtherMachines === true) return withCommand(['call', 'GenerateFilePickerUrl'])
      return { ...info, ...(await picker.openPage()) }
    },
  }
}

/** With this scope the picker adds nothing. With drive.readonly it does not help either: the login may change no file. */
function scopeForAllFiles(scopes: readonly string[]): string | undefined {
  if (scopes.includes('drive')) return 'drive'
  return scopes.includes('drive.readonly') && !scopes.includes('drive.file') ? 'drive.readonly' : undefined
}

interface PagePicker extends Pick<FilePicker, 'pendingPages' | 'close'>, Pick<PickerInfo, 'flow'> {
  readonly openPage: () => Promise<Pick<OpenPickerPage, 'url' | 'expiresAt'>>
}

/** The pages that are open. */
class OpenPages<Page extends { readonly ended: Promise<unknown> }> {
  readonly pages = new Set<Page>()

  add(page: Page): void {
    this.pages.add(page)
    void page.ended.then(() => this.pages.delete(page))
  }

  readonly pending = (): PendingPages | undefined =>
    this.pages.size === 0 ? undefined : { ended: Promise.all([...this.pages].map(({ ended }) => ended)) }
}

function embeddedPicker(drive: EmbeddedDrive): PagePicker {
  const controller = new AbortController()
  const open = new OpenPages()
  return {
    flow: 'embedded',
    pendingPages: open.pending,
    async openPage() {
      const { url, expiresAt, done } = await drive.openPicker({ app: 'File Storage', lifetimeMs, signal: controller.signal })
      open.add({ ended: done })
      return { url, expiresAt }
    },
    close() {
      controller.abort()
      return Promise.resolve()
    },
  }
}

function googlePicker(options: FilePickerOptions): PagePicker {
  const { vendor, clock = systemClock } = options
  const open = new OpenPages<GooglePickerPage & { readonly key: string }>()
  const isUsable = ({ expiresAt, isAnswered }: GooglePickerPage) => expiresAt - clock.now() > lifetimeMs / 2 && !isAnswered()
  return {
    flow: 'oauth',
    pendingPages: open.pending,
    async openPage() {
      const target = await pickerTarget(options)
      const person = await vendor.currentPerson()
      const key = `${target.client.id} ${person.account}`
      const usable = [...open.pages].find((page) => page.key === key && isUsable(page))
      if (usable) return { url: usable.url, expiresAt: usable.expiresAt }
      const page = await openGooglePicker({ ...options, target, lifetimeMs })
      open.add({ ...page, key })
      return { url: page.url, expiresAt: page.expiresAt }
    },
    async close() {
      await Promise.all([...open.pages].map((page) => page.close()))
    },
  }
}

/** The application that the server's token belongs to: granting files to any other would not help. */
async function pickerTarget({ vendor, settings }: FilePickerOptions): Promise<LoginTarget> {
  if (vendor.tokens) return vendor.tokens.login()
  const { environmentTarget } = await import('@mcp-toolkits/auth/login')
  const target = environmentTarget(account, settings)
  if (target) return target
  throw new Unauthenticated(
    Message.of(
      'Google’s file picker cannot be opened, because this server does not know the application that its access token belongs to.',
      sentence`Ask the person to set ${{ variable: 'FILE_STORAGE_CLIENT_ID' }} and ${{ variable: 'FILE_STORAGE_CLIENT_SECRET' }} to the OAuth client of that token, or to unset ${{ variable: 'FILE_STORAGE_ACCESS_TOKEN' }} and run the command.`,
    ),
    { next: { command: commandLine(account.server, settings, ['login']) } },
  )
}
