import { onTestFinished } from 'vitest'
import type { DriveEmulatorOptions, OpenPickerOptions } from '../src/index.ts'
import { connected } from './connected.ts'
import { browse, ticketIn, type BrowserResponse } from './consenting.ts'

/** A person's actions on a picker page. */
export interface Press {
  /** The button's label. */
  readonly press: string
  /** Boxes to tick, in addition to those already ticked. */
  readonly tick?: readonly string[]
  readonly untick?: readonly string[]
  readonly search?: string
  readonly file?: File
}

const unescape = (text: string) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => marks[name] ?? '')
const marks: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The values of a one-group pattern's matches. */
const every = (page: string, pattern: RegExp) => [...page.matchAll(pattern)].map(([, value = '']) => unescape(value))

/** Choices on a page; `*` marks the ticked ones. */
export const offeredOn = (page: string): string[] => every(page, /<label for="item-[^"]+">([^<]+)</g).map((name) => name.trim())
export const tickedOn = (page: string): string[] => every(page, /name="chosen"\s+value="([^"]+)"\s+id="[^"]+"\s+checked/g)
export const kindsOn = (page: string): string[] => [...new Set(every(page, /type="(checkbox|radio)"/g))]
export const crumbsOn = (page: string): string[] =>
  every(/<nav aria-label="Path">(.*?)<\/nav>/s.exec(page)?.[1] ?? '', /<(?:button|span)[^>]*>([^<]+)</g)
export const toldOn = (page: string): string => /role="(?:alert|status)"[^>]*>([^<]*)</.exec(page)?.[1] ?? ''

/** A button's value, by its label. */
function valueOf(page: string, label: string): string {
  const buttons = [...page.matchAll(/<button(?: class="main")? name="do" value="([^"]*)"(?: aria-label="([^"]*)")?>([^<]*)</g)]
  const found = buttons.find(([, , named, shown]) => unescape(named ?? shown ?? '') === label)
  if (found === undefined) throw new Error(`There is no button ${label}.`)
  return unescape(found[1] ?? '')
}

/** Presses a button on a page, as a browser does, and loads the next page if it is on this machine. */
export async function press(
  url: string,
  page: string,
  { press: label, tick = [], untick = [], search = '', file }: Press,
): Promise<BrowserResponse> {
  const form = new FormData()
  form.set('ticket', ticketIn(page))
  form.set('place', unescape(/name="place" value="([^"]*)"/.exec(page)?.[1] ?? ''))
  form.set('find', search)
  const chosen = kindsOn(page).includes('radio') && tick.length > 0 ? tick : [...tickedOn(page), ...tick]
  for (const id of chosen) if (!untick.includes(id)) form.append('chosen', id)
  form.set('do', valueOf(page, label))
  form.set('file', file ?? new File([], ''))
  const answered = await browse(url, { form, origin: new URL(url).origin })
  const isHere = answered.location.startsWith('/')
  return isHere ? browse(new URL(answered.location, url).href) : answered
}

/** An app that can use only the items it was granted, and an open picker. */
export async function picking(wanted: OpenPickerOptions = {}, options: DriveEmulatorOptions = {}) {
  const emulator = connected({ scopes: ['drive.file'], ...options })
  const ending = new AbortController()
  onTestFinished(() => {
    ending.abort()
  })
  const opened = await emulator.openPicker({ app: 'The <b>app</b>', signal: ending.signal, ...wanted })
  const { url } = opened
  let page = await browse(url)
  return {
    ...emulator,
    ...opened,
    ending,
    page: () => page,
    /** Acts on the current page and loads the next one. */
    act: async (pressed: Press) => (page = await press(url, page.body, pressed)),
  }
}
