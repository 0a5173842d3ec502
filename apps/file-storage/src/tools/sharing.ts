import { withCallLock } from '@mcp-toolkits/core/base'
import { InvalidInput, Message, quote, sentence, TooLarge, type ToolError, Unavailable, withDetails } from '@mcp-toolkits/core/errors'
import { withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { fitsInUrl } from '../drive/client.ts'
import { hasRequestedRole, roles, type ShareResult, shareWith } from '../drive/permissions.ts'
import { itemOfAccess } from '../access/item.ts'
import { resolveDrive } from '../resolve/shared-drives.ts'
import * as vocabulary from '../vocabulary/parameters.ts'
import { lookupOf, pathOrId, sharedDriveId, wellFormed } from './parameters.ts'
import { readAddressList, readRole, roleSynonyms } from '../vocabulary/values.ts'

const maxAddresses = 100
/** Maximum length, in characters, of an email address. https://www.rfc-editor.org/errata/eid1690 allows fewer. */
const maxAddressLength = 320
/** Maximum length, in UTF-16 code units, of email text to check; far less fits into a request. */
const maxMessageLength = 1_000_000

export const shareFile = defineTool({
  name: 'ShareFile',
  title: 'Share a file or folder',
  description: Message.of(
    'Share a file, folder or document with people by email: invite collaborators, give or grant access (permission to view, comment or edit), or change sharing. Replaces their role, even with a lower one; cannot remove access.',
    sentence`If this app lacks access, use ${{ tool: 'FileStorage.GenerateFilePickerUrl' }}.`,
  ),
  effect: 'update',
  scopes: ['drive.file'],
  input: z.strictObject({
    file_path_or_id: pathOrId('File or folder'),
    email_addresses: withVocabulary(
      z.array(z.string().max(maxAddressLength)).min(1).max(maxAddresses).describe('Email addresses to share with.'),
      { ...vocabulary.emailAddresses, read: readAddressList },
    ),
    role: withVocabulary(z.enum(roles), { ...vocabulary.role, values: roleSynonyms, read: readRole })
      .default('reader')
      .describe('reader can view, commenter can also comment, writer can also edit.'),
    send_notification_email: withVocabulary(z.boolean(), vocabulary.notification)
      .default(true)
      .describe('Email those who had no access before.'),
    message: withVocabulary(wellFormed.max(maxMessageLength), vocabulary.message).optional().describe('Text of that email.'),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({
    shared_item: z.object({ id: z.string(), name: z.string().optional() }),
    role: z.string(),
    people: z.array(
      z.object({
        email_address: z.string(),
        outcome: z
          .enum(['added', 'updated', 'unchanged', 'failed', 'unknown', 'not_tried'])
          .describe('unknown: Google Drive did not answer.'),
        role: z.string().optional().describe('The role now.'),
        previous_role: z.string().optional(),
        reason: z.string().optional(),
      }),
    ),
  }),
  example: { file_path_or_id: 'Team/Working agreement.md', email_addresses: ['ada.okafor@lodestar.example'] },
  async run(args, context, call) {
    const { drive, locks } = context
    const { scope, progress, operation, notice } = call
    const { role, message, send_notification_email: sendsEmail } = args
    const addresses = parseAddresses(args.email_addresses)
    if (sendsEmail && message !== undefined && !fitsInUrl(message)) throw messageTooLong(message)
    const lookup = { ...lookupOf(context, call), isWrite: true }
    const sharedDrive = await resolveDrive(args.shared_drive_id, lookup)
    const { item, fileId } = await itemOfAccess({ text: args.file_path_or_id, parameter: 'file_path_or_id', sharedDrive }, lookup, 'shared')
    const notification = sendsEmail ? { message } : undefined
    const onShare = (done: number) => {
      progress(done, addresses.length, 'people')
    }
    // Drive accepts no client-chosen id for a permission; roles are looked up after this, so a retry sees an earlier call's effects.
    const { isRepeat } = await operation.claim()
    // Concurrent changes to an item's permissions would overwrite each other.
    const shares = await withCallLock(locks, `permissions ${fileId}`, scope, () =>
      shareWith(drive, { fileId, role, notification, addresses, onShare }, scope),
    )
    if (shares.some(({ outcome }) => outcome === 'unknown' || outcome === 'not_tried')) operation.leaveOpen()
    if (!shares.some(hasRequestedRole)) throw sharingFailed(shares)
    if (fileId !== item.id) notice(`${quote(item.name)} is a shortcut; its target was shared.`)
    if (isRepeat && shares.some(({ outcome }) => outcome === 'unchanged')) notice(repeatNotice)
    const unsent = emailNotice(shares, { sendsEmail, isRepeat, hasMessage: message !== undefined })
    if (unsent !== undefined) notice(unsent)
    return {
      shared_item: { id: fileId, name: item.name },
      role,
      people: shares.map(toRow),
    }
  },
})

function messageTooLong({ length }: string): TooLarge {
  return new TooLarge(
    `"message" has ${length} characters, more than Google Drive accepts for an email. Shorten it, or link to a document. Nothing was shared.`,
  )
}

/** Notice about people whom an earlier call may have added. */
const repeatNotice =
  'An earlier call started this but did not finish. People marked unchanged may have got the role and email from that call.'

interface EmailFacts {
  readonly sendsEmail: boolean
  readonly isRepeat: boolean
  readonly hasMessage: boolean
}

/** Notice about people who got no email even though one was requested: Drive sends it only with a new permission. */
function emailNotice(shares: readonly ShareResult[], { sendsEmail, isRepeat, hasMessage }: EmailFacts): string | undefined {
  if (!sendsEmail) return hasMessage ? 'The message was not sent: send_notification_email is false.' : undefined
  const unsent = shares.filter(({ outcome }) => outcome === 'updated' || (outcome === 'unchanged' && hasMessage && !isRepeat))
  if (unsent.length === 0) return undefined
  const addresses = unsent.map(({ emailAddress }) => emailAddress).join(', ')
  return `No email was sent to ${addresses}: Google Drive sends one only to people who had no access before.`
}

const emailAddress = z.email()

/**
 * Parses addresses, in lower case and without duplicates; reads several in one string, `Ada <ada@example.com>` and `mailto:`. Throws
 * `InvalidInput` listing the invalid ones.
 */
function parseAddresses(texts: readonly string[]): string[] {
  const addresses = texts.flatMap((text) => {
    const bare = withoutMarks(text).replace(/^mailto:/i, '')
    return addressesIn(bare.toLowerCase()).map((address) => address.trim())
  })
  const invalid = addresses.filter((text) => !emailAddress.safeParse(text).success)
  if (invalid.length === 0) return [...new Set(addresses)]
  const list = [...new Set(invalid)].map((text) => quote(text, 80)).join(', ')
  throw new InvalidInput(`Not an email address in "email_addresses": ${list}. Nothing was shared.`)
}

const marks = /[\s"'`()[\]“”‘’.,;]/

/** Text without surrounding brackets, quotation marks and full stops. */
function withoutMarks(text: string): string {
  const isMark = (letter: string | undefined) => letter !== undefined && marks.test(letter)
  let [start, end] = [0, text.length]
  while (isMark(text[start])) start += 1
  while (end > start && isMark(text[end - 1])) end -= 1
  return text.slice(start, end)
}

/** A name, which may be the address itself, in front of an address in angle brackets. */
const named = /(?<=^|[,;\n<>])([^,;\n<>]*)<([^<>]*)>/g

/** The addresses in text, inside and outside angle brackets. Text stays whole if a name in it may be someone else's address. */
function addressesIn(text: string): string[] {
  const entries = [...text.matchAll(named)]
  if (entries.length === 0) return splitAddresses(text)
  const isOther = (name: string, address: string) => wordsOf(name).some((word) => word.includes('@') && word !== address.trim())
  if (entries.some(([, name = '', address = '']) => isOther(name, address))) return [text]
  const beside = wordsOf(text.replace(named, ' ')).filter((word) => word.includes('@'))
  return [...entries.map(([, , address = '']) => address), ...beside]
}

const wordsOf = (text: string) => text.split(/[\s,;]+/).map(withoutMarks)

/** Several addresses in one string; a string that contains anything else stays whole, so errors can quote it. */
function splitAddresses(text: string): string[] {
  const parts = wordsOf(text).filter((word, index) => word !== '' && !(index > 0 && /^(?:and|&|\+)$/i.test(word)))
  return parts.length > 1 && parts.every((part) => part.includes('@')) ? parts : [text]
}

function toRow({ emailAddress, outcome, role, previousRole, reason }: ShareResult) {
  return {
    email_address: emailAddress,
    outcome,
    ...(role !== undefined && { role }),
    ...(previousRole !== undefined && { previous_role: previousRole }),
    ...(reason !== undefined && { reason }),
  }
}

/** One error for all addresses: `Unavailable` if any outcome is unknown, otherwise the first error's code. */
function sharingFailed(shares: readonly ShareResult[]): ToolError {
  const reasons = shares.map(({ emailAddress, reason = '' }) => `${emailAddress}: ${reason}`).join(' ')
  if (shares.some(({ outcome }) => outcome === 'unknown')) {
    return new Unavailable(`It is unknown whether it was shared with anyone. ${reasons}`)
  }
  const first = shares.find(({ error }) => error !== undefined)?.error ?? new Unavailable('No address was tried.')
  return withDetails(first, `It was not shared with anyone. ${reasons}`, first.details)
}
