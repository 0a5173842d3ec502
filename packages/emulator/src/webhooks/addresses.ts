/** Whether an address is on this machine. */
export function isLoopbackAddress({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

/** Whether notifications may be sent to an address: to this machine, and to the hosts that the person has named. */
export function isDeliverable(address: string, hosts: readonly string[]): boolean {
  const url = URL.parse(address)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false
  const { hostname, port } = portedHost(url)
  const isNamed = (text: string) => {
    const host = readHost(text)
    return host?.hostname === hostname && (host.port === undefined || host.port === port)
  }
  return isLoopbackAddress(url) || hosts.some(isNamed)
}

const portedHost = ({ hostname, port, protocol }: URL) => ({
  hostname,
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
})

/** A host, and its port when it has one; undefined for any other text. */
function readHost(text: string): { readonly hostname: string; readonly port: number | undefined } | undefined {
  const [, name = '', port] = /^(\[[\da-f:.]+\]|[^\s/?#@:\\[\]]+)(?::(\d{1,5}))?$/i.exec(text) ?? []
  const hostname = URL.parse(`http://${name}`)?.hostname ?? ''
  if (!/^(?:\[.+\]|[\w.-]+)$/.test(hostname) || Number(port ?? 0) > 65_535) return undefined
  return { hostname, port: port === undefined ? undefined : Number(port) }
}

/** What is wrong with a host to which notifications may be sent, as a sentence; undefined for a good one, with or without a port. */
export const hostProblem = (text: string): string | undefined =>
  readHost(text) === undefined ? `${JSON.stringify(text)} is not a host. Give one such as hooks.example or hooks.example:8443.` : undefined

/** Hosts of a program's options. Throws `TypeError` for one that is none. */
export function checkHosts(hosts: readonly string[] = []): readonly string[] {
  const problem = hosts.map(hostProblem).find((each) => each !== undefined)
  if (problem !== undefined) throw new TypeError(`webhooksTo: ${problem}`)
  return hosts
}

/** What a person reads whose address is another machine's. */
export const undeliverable = (address: string): string =>
  `This emulator sends notifications to this machine only, and ${URL.parse(address)?.host ?? 'the address'} is another one. Use an address such as http://127.0.0.1:8080/hook, or start the emulator with --webhooks-to ${URL.parse(address)?.hostname ?? 'HOST'}.`
