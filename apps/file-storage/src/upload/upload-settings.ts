import type { Environment } from '@mcp-toolkits/core/upstream'

/** Variable for non-public hosts that may be fetched. */
export const privateUrlsVariable = 'FILE_STORAGE_ALLOW_PRIVATE_URLS'
export const maxUploadBytesVariable = 'FILE_STORAGE_MAX_UPLOAD_BYTES'

/** Non-public hosts that may be fetched. */
export function privateHosts(environment: Environment): readonly string[] {
  const hosts = (environment[privateUrlsVariable] ?? '').split(',').map((host) => host.trim())
  return hosts.filter((host) => host !== '')
}

/** Maximum size, in bytes, of an uploaded file; undefined if only the vendor's limit applies. */
export const uploadLimit = (environment: Environment) => readByteCount(environment[maxUploadBytesVariable] ?? '')

/** Parses a number of bytes; undefined for any other text. */
export function readByteCount(text: string): number | undefined {
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined
}
