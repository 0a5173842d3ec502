/** Whether an address is on this machine. */
export function isLoopbackAddress({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

/** Whether notifications may be sent to an address: to this machine, and to the hosts that the person has named. */
export function isDeliverable(address: string, hosts: readonly string[]): boolean {
  const url = URL.parse(address)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false
  return isLoopbackAddress(url) || hosts.some((host) => host.toLowerCase() === url.hostname || host.toLowerCase() === url.host)
}

/** What a person reads whose address is another machine's. */
export const undeliverable = (address: string): string =>
  `This emulator sends notifications to this machine only, and ${URL.parse(address)?.host ?? 'the address'} is another one. Use an address such as http://127.0.0.1:8080/hook, or start the emulator with --webhooks-to ${URL.parse(address)?.hostname ?? 'HOST'}.`
