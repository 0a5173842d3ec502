import type { FileContent } from '@mcp-toolkits/core/tool'

/** A content, and the moment until which its address leads to it. */
export interface KeptContent {
  readonly content: Pick<FileContent, 'bytes' | 'mimeType'>
  readonly expiresAt: number
}

/** Owner and name of a kept content. */
export interface ContentPlace {
  readonly owner: string
  readonly name: string
}

/** Contents that are kept for a while. The oldest make room for later ones. */
export interface Contents {
  readonly keep: (place: ContentPlace, kept: KeptContent, now: number) => Promise<void>
  readonly find: (place: ContentPlace) => Promise<KeptContent | undefined>
}

/** Most bytes that are kept: of everyone in a process, or of one person in a store. */
export const maxKeptBytes = 64 * 1024 ** 2

interface KeptSize {
  readonly bytes: number
  readonly expiresAt: number
}

/** Those of some contents, the oldest first, that have expired or for which there is no room beside the later ones. */
export function surplus<Size extends KeptSize>(sizes: readonly Size[], now: number, maxBytes: number): Size[] {
  let total = 0
  return sizes.toReversed().filter(({ bytes, expiresAt }) => {
    total += bytes
    return total > maxBytes || expiresAt <= now
  })
}
