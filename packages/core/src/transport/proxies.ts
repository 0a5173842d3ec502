/** Where the proxies of this process listen: the host by the port. */
const proxies = new Map<number, string>()

/** Remembers a proxy through which requests go, so that a failed connection to it is not taken for one to a vendor. */
export function rememberProxy({ hostname, port, protocol }: URL): void {
  proxies.set(port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port), hostname.replace(/^\[|\]$/g, ''))
}

/**
 * Whether the cause of a failed request is that a proxy could not be found or reached: Node's error names the host, or the address and
 * the port. Of a proxy with a name, only the port is known.
 */
export function isProxyFailure(cause: Error): boolean {
  if (cause instanceof AggregateError) return cause.errors.some((each) => each instanceof Error && isProxyFailure(each))
  if ('hostname' in cause) return [...proxies.values()].some((host) => host === cause.hostname)
  if (!('port' in cause && typeof cause.port === 'number' && 'address' in cause)) return false
  const host = proxies.get(cause.port)
  return host === cause.address || (host !== undefined && !/^[\d.]+$|:/.test(host))
}
