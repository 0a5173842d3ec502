import type { FileContent } from '@mcp-toolkits/core/tool'

/** Content, and the time until which its address is valid. */
export interface KeptContent {
  readonly content: Pick<FileContent, 'bytes' | 'mimeType'>
  readonly expiresAt: number
}

/** Owner and name of kept content. */
export interface ContentKey {
  readonly owner: string
  readonly name: string
}

/** Content stored temporarily. The oldest is evicted to make room for new content. */
export interface Contents {
  readonly keep: (place: ContentKey, kept: KeptContent, now: number) => Promise<void>
  readonly find: (place: ContentKey) => Promise<KeptContent | undefined>
}

/** Maximum number of bytes to keep: for everyone together in a process, or for each person in a store. */
export const maxKeptBytes = 64 * 1024 ** 2

interface KeptSize {
  readonly bytes: number
  readonly expiresAt: number
}

/** Contents that have expired or must make room for new ones, from a list with the oldest first. */
export function surplus<Size extends KeptSize>(sizes: readonly Size[], now: number, maxBytes: number): Size[] {
  let total = 0
  return sizes.toReversed().filter(({ bytes, expiresAt }) => {
    total += bytes
    return total > maxBytes || expiresAt <= now
  })
}
