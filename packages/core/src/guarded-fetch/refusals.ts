import { InvalidInput, TooLarge, Unavailable } from '../errors.ts'
import { Message, sentence } from '../message.ts'

/**
 * Who is spoken of: the address that the caller gave, or one that a foreign server named. No sentence repeats either of them, nor
 * anything that was learned about the host: an answer that differs with what runs inside would be a map of the inside.
 */
export type Subject = 'The URL' | 'The place that the URL redirects to'

const advice: Readonly<Record<Subject, string>> = {
  'The URL': 'Give a link that anyone on the internet can open.',
  'The place that the URL redirects to': 'Give the address of the file itself.',
}

/** Said to everybody alike, so that it tells nothing of the host. */
const permission = sentence`Whoever runs this server can allow a host with ${{ option: '--allow-private-urls' }}.`

export const malformed = (subject: Subject) =>
  new InvalidInput(
    `${subject} is not a complete web address. ${subject === 'The URL' ? 'Give one that begins with https:// and names a host.' : advice[subject]}`,
  )

export const otherScheme = (subject: Subject) =>
  new InvalidInput(`${subject} begins with neither https:// nor http://, and nothing else is fetched. ${advice[subject]}`)

export const credentialsInUrl = (subject: Subject) =>
  new InvalidInput(`${subject} holds a user name or a password. Give an address that needs none, such as a signed link.`)

export const otherPort = (subject: Subject, ports: readonly number[]) =>
  new InvalidInput(
    Message.of(`${subject} uses a port that is not fetched from; only ${ports.join(' and ')} are. ${advice[subject]}`, permission),
  )

export const notPublic = (subject: Subject) =>
  new InvalidInput(
    Message.of(`${subject} does not lead to a public server: its host is unknown or not public. ${advice[subject]}`, permission),
  )

export const downgrade = () =>
  new InvalidInput('The URL redirects from https:// to http://, which is not followed. Give the address of the file itself.')

export const tooManyRedirects = () => new InvalidInput('The URL redirects too often or in a circle. Give the address of the file itself.')

export const notLookedUp = () =>
  new Unavailable('The host of the URL cannot be looked up at the moment. Try again later, or give another link to the file.')

export const unreachable = () =>
  new Unavailable('The server of the URL could not be reached. Check the address, try again later, or give another link to the file.')

export const untrusted = () =>
  new Unavailable('The server of the URL has no valid certificate for its name. Give a link to the file on another server.', {
    retryable: false,
  })

export const notConnected = (ms: number) =>
  new Unavailable(`The server of the URL could not be reached within ${seconds(ms)}. Try again later, or give another link to the file.`)

export const silent = (ms: number) =>
  new Unavailable(`The server of the URL did not answer within ${seconds(ms)}. Try again later, or give another link to the file.`)

export const noAnswer = () =>
  new Unavailable('The server of the URL gave no answer that HTTP allows. Check the address, or give another link to the file.')

export const encoded = () =>
  new InvalidInput(
    'The server of the URL sends the content in a transfer coding that was not asked for, and nothing is decoded. Give another link to the file.',
  )

export const stalled = (ms: number) =>
  new Unavailable(`The server of the URL sent nothing more for ${seconds(ms)}. Try again later, or give another link to the file.`)

export const brokenOff = () =>
  new Unavailable('The server of the URL broke off before the content was complete. Try again, or give another link to the file.')

export const tooLong = (bytes: number) =>
  new TooLarge(`The content of the URL is longer than ${bytes} bytes. Give a link to a smaller file.`)

function seconds(ms: number): string {
  const value = ms / 1000
  return `${value} ${value === 1 ? 'second' : 'seconds'}`
}
