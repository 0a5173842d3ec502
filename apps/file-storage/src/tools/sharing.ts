import { withDetails, InvalidInput, TooLarge, type ToolError, Unavailable } from '@mcp-toolkits/core'
import { quote } from '@mcp-toolkits/core/text'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { fitsInUrl } from '../drive/client.ts'
import { UnsuitableAddress } from '../drive/errors.ts'
import { hasRequestedRole, roles, type ShareResult, shareWith } from '../drive/permissions.ts'
import { type ItemQuery, type LookupContext, parseDriveId, rejectRoot, resolveItem } from '../resolve.ts'
import { pathOrId, sharedDriveId, withNotices, wellFormed } from './parameters.ts'

const maxAddresses = 100
/** Longest e-mail address, in characters. https://www.rfc-editor.org/errata/eid1690 allows fewer. */
const maxAddressLength = 320
/** Longest text of a mail that is looked at, in UTF-16 units; what fits into a request is far less. */
const maxMessageLength = 1_000_000

export const shareFile = defineTool({
  name: 'ShareFile',
  title: 'Share a file or folder',
  description:
    'Give people a role on a file or folder, and on everything in a folder. A person who already has a role gets the new one, even a lower one; an owner stays the owner. The result has one row per address. Ownership cannot be transferred.',
  effect: 'update',
  scopes: ['drive.file'],
  input: z.strictObject({
    file_path_or_id: pathOrId('The file or folder'),
    email_addresses: z
      .array(z.string().max(maxAddressLength))
      .min(1)
      .max(maxAddresses)
      .describe('Whom to share with: e-mail addresses, 1 to 100.'),
    role: z.enum(roles).default('reader').describe('reader may look, commenter may also comment, writer may also change.'),
    send_notification_email: z.boolean().default(true).describe('Send each new person a mail.'),
    message: wellFormed.max(maxMessageLength).optional().describe('Text of that mail.'),
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
          .describe('unknown: no answer came, and the person is not to be seen there yet.'),
        role: z.string().optional().describe('The role that the person has now.'),
        previous_role: z.string().optional(),
        reason: z.string().optional(),
      }),
    ),
    notices: z.array(z.string()).optional(),
  }),
  async run(args, { drive, paths, permissionLocks }, { scope, progress, operation }) {
    const { role, message, send_notification_email: sendsMail } = args
    const addresses = parseAddresses(args.email_addresses)
    if (sendsMail && message !== undefined && !fitsInUrl(message)) throw messageTooLong(message)
    const driveId = parseDriveId(args.shared_drive_id)
    const query = { text: args.file_path_or_id, parameter: 'file_path_or_id', driveId }
    const { item, notice } = await itemToShare(query, { drive, paths, scope })
    const fileId = item.shortcutDetails?.targetId ?? item.id
    const mail = sendsMail ? { message } : undefined
    const onShare = (done: number) => {
      progress(done, addresses.length, 'people')
    }
    // Drive has no ids for what follows; who has a role already is looked up after this, so a repeat sees what an earlier call did.
    const { isRepeat } = await operation.begin()
    const shares = await permissionLocks.runExclusive(fileId, () => shareWith(drive, { fileId, role, mail, addresses, onShare }, scope))
    if (shares.some(({ outcome }) => outcome === 'unknown' || outcome === 'not_tried')) operation.leaveOpen()
    if (!shares.some(hasRequestedRole)) throw sharingFailed(shares, sendsMail)
    return {
      shared_item: { id: fileId, name: item.name },
      role,
      people: shares.map(toRow),
      ...withNotices(
        notice,
        fileId !== item.id && `${quote(item.name)} is a shortcut; its target was shared.`,
        isRepeat && repeatNotice(shares),
        message !== undefined && messageNotice(shares, { sendsMail, isRepeat }),
      ),
    }
  },
})

function messageTooLong({ length }: string): TooLarge {
  return new TooLarge(
    `"message" has ${length} characters, more than Google Drive takes for a mail. Shorten it, or link to a document that holds the rest; nothing was shared.`,
  )
}

/** The item to share. It is looked up first, because an id may belong to a drive or a shortcut. */
async function itemToShare(query: ItemQuery, context: LookupContext) {
  const { id, item, notice } = await resolveItem(query, context)
  rejectRoot({ id }, query.driveId, 'shared')
  if (!item) throw new TypeError('Anything but a root is an item.')
  return { item, notice }
}

/** The notice for people whom an earlier call may have added. */
function repeatNotice(shares: readonly ShareResult[]): string | false {
  const isKnown = shares.some(({ outcome }) => outcome === 'unchanged')
  return (
    isKnown && 'An earlier call had begun this and did not finish. Those who are unchanged may have the role from it, and their mail too.'
  )
}

/** The notice for a message that was sent to no one. */
function messageNotice(
  shares: readonly ShareResult[],
  { sendsMail, isRepeat }: { readonly sendsMail: boolean; readonly isRepeat: boolean },
): string | false {
  if (!sendsMail) return 'The message was not sent: send_notification_email is false.'
  const isMailed = isRepeat || shares.some(({ outcome }) => outcome === 'added' || outcome === 'unknown')
  return !isMailed && 'The message was sent to no one: only people who are new there get a mail.'
}

const emailAddress = z.email()

/** The addresses in lower case, without duplicates. Throws `InvalidInput` with all that are invalid. */
function parseAddresses(texts: readonly string[]): string[] {
  const addresses = texts.map((text) => text.trim().toLowerCase())
  const invalid = addresses.filter((text) => !emailAddress.safeParse(text).success)
  if (invalid.length === 0) return [...new Set(addresses)]
  const list = invalid.map((text) => quote(text, 80)).join(', ')
  throw new InvalidInput(`"email_addresses" holds invalid e-mail addresses: ${list}. Nothing was shared.`)
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

/** One error for all addresses: that the outcome is not known, or else with the code of the first. */
function sharingFailed(shares: readonly ShareResult[], sendsMail: boolean): ToolError {
  const reasons = shares.map(({ emailAddress, reason = '' }) => `${emailAddress}: ${reason}`).join(' ')
  if (shares.some(({ outcome }) => outcome === 'unknown')) {
    return new Unavailable(`It is not known whether it was shared with anyone. ${reasons}`)
  }
  const first = shares.find(({ error }) => error !== undefined)?.error ?? new Unavailable('No address was tried.')
  const needsMail = !sendsMail && shares.some(({ error }) => error instanceof UnsuitableAddress)
  const next = needsMail && { next: { change: { send_notification_email: true } } }
  return withDetails(first, `It was not shared with anyone. ${reasons}`, { ...first.details, ...next })
}
