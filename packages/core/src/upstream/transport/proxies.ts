/** The hosts of this process's proxies, by port. */
const proxies = new Map<number, Set<string>>()

/** Remembers a proxy in use, so that a failed connection to the proxy is not mistaken for one to a vendor. */
export function rememberProxy({ hostname, port, protocol }: URL): void {
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  proxies.set(number, (proxies.get(number) ?? new Set()).add(hostname.replace(/^\[|\]$/g, '')))
}

/**
 * True if a request failed because a proxy could not be found or reached. Node's error names either the host, or the address and port
 * without the host.
 */
export function isProxyFailure(cause: Error): boolean {
  if (cause instanceof AggregateError) return cause.errors.some((each) => each instanceof Error && isProxyFailure(each))
  if ('hostname' in cause) return [...proxies.values()].some((hosts) => hosts.has(String(cause.hostname)))
  if (!('port' in cause && typeof cause.port === 'number' && 'address' in cause)) return false
  const { address } = cause
  return [...(proxies.get(cause.port) ?? [])].some((host) => host === address || !/^[\d.]+$|:/.test(host))
}
