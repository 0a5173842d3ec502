import type { Environment } from '@mcp-toolkits/core/upstream'

/** Ways of returning a file's content: an embedded resource, base64 in the result, or a file (over HTTP, a link). */
export const contentWays = ['resource', 'structured', 'file'] as const
export type ContentWay = (typeof contentWays)[number]

export const contentVariable = 'FILE_STORAGE_CONTENT'
/** Folder on this machine that content may be written to. */
export const downloadDirVariable = 'FILE_STORAGE_DOWNLOAD_DIR'

export function readContentWay(text: unknown): ContentWay | undefined {
  return contentWays.find((way) => way === text)
}

/** Result fields that a way adds, as JSON Schema; undefined for the embedded resource. */
export function contentFields(environment: Environment) {
  const way = readContentWay(environment[contentVariable])
  if (way === 'structured')
    return {
      content_base64: { type: 'string', description: 'The bytes, for a program.' },
      content_type: { type: 'string' },
    }
  if (way !== 'file') return undefined
  return {
    saved_to: { type: 'string', description: 'The file that was written.' },
    download_url: { type: 'string', description: 'Over HTTP: gives the bytes without a sign-in.' },
    expires_at: { type: 'string' },
  }
}
