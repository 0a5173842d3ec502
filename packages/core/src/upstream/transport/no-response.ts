import { type ErrorDetails, Unavailable } from '../../errors/errors.ts'
import { isProxyFailure } from './proxies.ts'

interface UnansweredRequest {
  /** The vendor's name in messages. */
  readonly vendor: string
  readonly isWrite: boolean
}

/** Error codes of connections that were never established, including the TLS handshake: nothing was sent over them. */
const notConnected =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|EPROTO)$|CERT|^ERR_TLS_|SIGNATURE/

/** Certificate errors that a TLS-inspecting proxy causes until its certificate authority is trusted. */
const untrusted = /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)/

/** Undici's error if a proxy refuses to open a tunnel: https://undici.nodejs.org/#/docs/api/ProxyAgent */
const proxyRefusal = /^Proxy response \((\d{3})\)/

/** The typed error for a fetch without a response. It repeats only a status or a code, because a message could contain the request. */
export function noResponse(error: unknown, { vendor, isWrite }: UnansweredRequest): Unavailable {
  // Messages of Node's fetch for a connection that fails before or after the response's headers.
  const isNetworkError = error instanceof TypeError && (error.message === 'fetch failed' || error.message === 'terminated')
  if (!isNetworkError) return new Unavailable(`The request to ${vendor} could not be sent.`, { retryable: false })
  const causes = causesOf(error)
  const status = causes.map(({ message }) => Number(proxyRefusal.exec(message)?.[1])).find((each) => each > 0)
  if (status !== undefined) {
    const text = `This network's proxy opened no connection to ${vendor} (HTTP ${status}).`
    return new Unavailable(status < 500 ? `${text} Check HTTPS_PROXY, and what the proxy allows.` : text, {
      retryable: status >= 500,
    })
  }
  const code = causes.map((cause) => ('code' in cause && typeof cause.code === 'string' ? cause.code : undefined)).find(Boolean)
  if (code !== undefined && untrusted.test(code)) {
    const hint = "If your network inspects TLS, set NODE_EXTRA_CA_CERTS to its certificate authority's file, or NODE_USE_SYSTEM_CA to 1."
    return new Unavailable(`${vendor}'s certificate is not trusted (${code}). ${hint}`)
  }
  if (code !== undefined && notConnected.test(code) && causes.some(isProxyFailure)) {
    return new Unavailable(`This network's proxy could not be reached (${code}), so nothing was sent to ${vendor}. Check HTTPS_PROXY.`)
  }
  if (code !== undefined && notConnected.test(code)) return new Unavailable(`${vendor} could not be reached (${code}).`)
  const suffix = code === undefined ? '' : ` (${code})`
  return new Unavailable(`The connection to ${vendor} broke off${suffix} before it answered.`, unknownOutcome({ isWrite }))
}

/** Details for a request whose response did not arrive. */
export function unknownOutcome({ isWrite }: Pick<UnansweredRequest, 'isWrite'>): ErrorDetails {
  return isWrite ? { sent: 'maybe' } : {}
}

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = []
  for (let current = error; current instanceof Error; current = current.cause) causes.push(current)
  return causes
}
