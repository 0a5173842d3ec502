import { commandLine } from '@mcp-toolkits/server/account'
import { Forbidden } from '@mcp-toolkits/core/errors'
import { account } from '../account.ts'
import { googlePicker } from './google.ts'
import { type FilePickerOptions, OpenPages, type OpenPickerPage, pageLifetimeMs, type PagePicker, type PickerInfo } from './page-picker.ts'
import type { EmbeddedDrive } from '../vendor.ts'

/** A page where the person selects or uploads files and so grants access to them, or the reason why there is none. */
export type PickerPage = OpenPickerPage | NoPickerPage

/** Result if a page would change nothing or the caller could not open it. */
export interface NoPickerPage extends PickerInfo {
  readonly url: null
  readonly expiresAt: null
  /** Command to run in a terminal instead: for more scopes, or to open the page on the server's machine. Absent on a multi-user server. */
  readonly command?: string
}

export interface FilePicker extends Pick<PagePicker, 'pendingPages' | 'close'> {
  /** Throws `Unauthenticated` if the application is unknown. */
  readonly open: () => Promise<PickerPage>
}

/** Google's picker, or the embedded default's. */
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
          `This server acts as ${vendor.serviceAccount} through a service account, for which no one can choose files in a browser. Have the files shared with that address.`,
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

/**
 * The granted scope that makes the picker useless, if any. With drive.readonly alone, the picker does not help either: the login may not
 * change files.
 */
function scopeForAllFiles(scopes: readonly string[]): string | undefined {
  if (scopes.includes('drive')) return 'drive'
  return scopes.includes('drive.readonly') && !scopes.includes('drive.file') ? 'drive.readonly' : undefined
}

export function embeddedPicker(drive: EmbeddedDrive): PagePicker {
  const controller = new AbortController()
  const open = new OpenPages()
  return {
    flow: 'embedded',
    pendingPages: open.pending,
    async openPage() {
      const { url, expiresAt, done } = await drive.openPicker({
        app: 'File Storage',
        lifetimeMs: pageLifetimeMs,
        signal: controller.signal,
      })
      open.add({ ended: done })
      return { url, expiresAt }
    },
    close() {
      controller.abort()
      return Promise.resolve()
    },
  }
}
