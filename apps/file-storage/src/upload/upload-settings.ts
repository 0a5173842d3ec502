import type { Environment } from '@mcp-toolkits/core/upstream'

/** Names hosts that may be fetched although they are not public. */
export const privateUrlsVariable = 'FILE_STORAGE_ALLOW_PRIVATE_URLS'
export const maxUploadBytesVariable = 'FILE_STORAGE_MAX_UPLOAD_BYTES'

/** Hosts that may be fetched although they are not public. */
export function privateHosts(environment: Environment): readonly string[] {
  const hosts = (environment[privateUrlsVariable] ?? '').split(',').map((host) => host.trim())
  return hosts.filter((host) => host !== '')
}

/** The largest file that may be uploaded, in bytes; undefined when only the vendor's limit applies. */
export const uploadLimit = (environment: Environment) => readByteCount(environment[maxUploadBytesVariable] ?? '')

/** Undefined for a text that is no number of bytes. */
export function readByteCount(text: string): number | undefined {
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined
}
