import type { AccountSettings } from '@mcp-toolkits/server/account'
import type { Clock } from '@mcp-toolkits/core/base'
import type { ConnectStep } from '@mcp-toolkits/core/errors'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import type { Drive } from '../vendor.ts'

export interface FilePickerOptions {
  readonly settings: AccountSettings & { readonly servesOtherMachines?: boolean }
  readonly vendor: Drive
  readonly fetch?: Fetch
  readonly clock?: Clock
  readonly log?: Readonly<Record<'info' | 'warn', (message: string, fields: Readonly<Record<string, unknown>>) => void>>
  /** Makes a page where the person does something in a browser; present on a multi-user server. */
  readonly connectLink?: (step: ConnectStep) => Promise<{ readonly url: string; readonly expiresAt: number }>
}

/** Pages that wait for people to finish. */
export interface PendingPages {
  readonly ended: Promise<unknown>
}

export interface PickerInfo {
  readonly flow: 'oauth' | 'embedded'
  /** The scope that already gives access to every file. */
  readonly reachesAll?: string
}

export interface OpenPickerPage extends PickerInfo {
  readonly url: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Google's or the embedded default's picker, and its open pages. */
export interface PagePicker extends Pick<PickerInfo, 'flow'> {
  readonly openPage: () => Promise<Pick<OpenPickerPage, 'url' | 'expiresAt'>>
  /** The open pages; undefined if there are none. */
  readonly pendingPages: () => PendingPages | undefined
  readonly close: () => Promise<void>
}

/** Time, in milliseconds, for which a page can be used: people take a while to find files. */
export const pageLifetimeMs = 30 * 60_000

/** The open pages. */
export class OpenPages<Page extends { readonly ended: Promise<unknown> }> {
  readonly pages = new Set<Page>()

  add(page: Page): void {
    this.pages.add(page)
    void page.ended.then(() => this.pages.delete(page))
  }

  readonly pending = (): PendingPages | undefined =>
    this.pages.size === 0 ? undefined : { ended: Promise.all([...this.pages].map(({ ended }) => ended)) }
}
