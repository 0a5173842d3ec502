import { Unavailable } from '../errors.ts'

export interface PageOptions {
  /** The vendor's name in messages. */
  readonly vendor: string
  /** How many pages are read at most. */
  readonly maxPages: number
  /** The token of the first page. */
  readonly start?: string | undefined
}

/**
 * Reads pages in order, until one names no next page or `maxPages` have been read: the last page then still names one. Throws
 * `Unavailable` when the vendor names a page that has been read, because that would never end.
 */
export async function* readPages<Page extends { readonly next?: string | undefined }>(
  { vendor, maxPages, start }: PageOptions,
  read: (token: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  const seen = new Set<string | undefined>()
  let token = start
  for (let count = 0; count < maxPages; count += 1) {
    seen.add(token)
    const page = await read(token)
    if (page.next !== undefined && seen.has(page.next)) throw repeatedPage(vendor)
    yield page
    if (page.next === undefined) return
    token = page.next
  }
}

/** The error for a vendor that names as the next page one that it has sent already. */
export function repeatedPage(vendor: string): Unavailable {
  return new Unavailable(`${vendor} sent the same page again instead of the next one, so the list could not be completed. Try again later.`)
}
