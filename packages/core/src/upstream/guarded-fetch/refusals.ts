import { InvalidInput, TooLarge, Unavailable } from '../../errors/errors.ts'
import { type Mention, Message, sentence } from '../../errors/message.ts'
import { count } from '../../errors/text.ts'

/**
 * The subject of a message. No message quotes the address or reveals anything about the host: different messages for different hosts would
 * let a caller map the internal network.
 */
export type Subject = 'The URL' | 'The address that the URL redirects to'

const advice: Readonly<Record<Subject, string>> = {
  'The URL': 'Give a link that anyone on the internet can open.',
  'The address that the URL redirects to': 'Give the address of the file itself.',
}

/** Subject of a refusal that a setting can lift. The text is the same for every host, so it reveals nothing about any of them. */
export interface Refused {
  readonly subject: Subject
  readonly setting: Mention
}

const permission = (setting: Mention) => sentence`The operator of this server can allow a host with ${setting}.`

export const invalidUrl = (subject: Subject) =>
  new InvalidInput(
    `${subject} is not a complete web address. ${subject === 'The URL' ? 'Give one that begins with https:// and names a host.' : advice[subject]}`,
  )

export const unsupportedScheme = (subject: Subject) =>
  new InvalidInput(`${subject} begins with neither https:// nor http://, and nothing else is fetched. ${advice[subject]}`)

export const credentialsInUrl = (subject: Subject) =>
  new InvalidInput(`${subject} contains a user name or a password. Give an address that needs none, such as a signed link.`)

export const forbiddenPort = ({ subject, setting }: Refused, ports: readonly number[]) =>
  new InvalidInput(
    Message.of(`${subject} uses a port that is not allowed; only ${ports.join(' and ')} are. ${advice[subject]}`, permission(setting)),
  )

export const notPublic = ({ subject, setting }: Refused) =>
  new InvalidInput(
    Message.of(`${subject} does not lead to a public server: its host is unknown or not public. ${advice[subject]}`, permission(setting)),
  )

export const insecureRedirect = () =>
  new InvalidInput('The URL redirects from https:// to http://, which is not followed. Give the address of the file itself.')

export const tooManyRedirects = () => new InvalidInput('The URL redirects too often or in a circle. Give the address of the file itself.')

export const lookupFailed = () =>
  new Unavailable("The URL's host cannot be looked up at the moment. Try again later, or give another link to the file.")

export const unreachable = () =>
  new Unavailable("The URL's server could not be reached. Check the address, try again later, or give another link to the file.")

export const invalidCertificate = () =>
  new Unavailable("The URL's server has no valid certificate for its name. Give a link to the file on another server.", {
    retryable: false,
  })

export const connectionTimedOut = (ms: number) =>
  new Unavailable(`The URL's server could not be reached within ${seconds(ms)}. Try again later, or give another link to the file.`)

export const responseTimedOut = (ms: number) =>
  new Unavailable(`The URL's server did not answer within ${seconds(ms)}. Try again later, or give another link to the file.`)

export const invalidResponse = () =>
  new Unavailable("The URL's server did not send a valid HTTP response. Check the address, or give another link to the file.")

export const unsupportedCoding = () =>
  new InvalidInput(
    "The URL's server uses a transfer coding that this server did not ask for and does not decode. Give another link to the file.",
  )

export const bodyTimedOut = (ms: number) =>
  new Unavailable(`The URL's server sent nothing more for ${seconds(ms)}. Try again later, or give another link to the file.`)

export const bodyTruncated = () =>
  new Unavailable("The URL's server broke off before the content was complete. Try again, or give another link to the file.")

export const bodyTooLarge = (bytes: number) =>
  new TooLarge(`The URL's content is longer than ${bytes} bytes. Give a link to a smaller file.`)

const seconds = (ms: number) => count(ms / 1000, 'second')
