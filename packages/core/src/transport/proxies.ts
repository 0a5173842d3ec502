/** Where the proxies of this process listen, as host and port. */
const proxies = new Set<string>()

/** Remembers a proxy through which requests go, so that a failed connection to it is not taken for one to a vendor. */
export function rememberProxy({ hostname, port, protocol }: URL): void {
  proxies.add(port === '' ? (protocol === 'https:' ? '443' : '80') : port)
  proxies.add(hostname.replace(/^\[|\]$/g, ''))
}

/** Whether the cause of a failed request is that a proxy could not be found or reached: Node's error names the host, or the port. */
export function isProxyFailure(cause: Error): boolean {
  if (cause instanceof AggregateError) return cause.errors.some((each) => each instanceof Error && isProxyFailure(each))
  if ('hostname' in cause && typeof cause.hostname === 'string') return proxies.has(cause.hostname)
  return 'port' in cause && typeof cause.port === 'number' && proxies.has(String(cause.port))
}
