import { createHash } from 'node:crypto'
import { Conflict, InvalidInput, joinWords, Message, type NextStep, quote, sentence, Unavailable } from '@mcp-toolkits/core/errors'
import { type CallContext, confirmChange, isBlank } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool, type ToolContext } from '../../context.ts'
import { plainText, showsText } from '../../linear/stored.ts'
import { withLineBreaks } from '../../tools/long-text.ts'
import { archivedNotice, noticesOf } from '../../tools/notices.ts'
import { body, issueReference, markdown, noticesField, projectReference, reference } from '../../tools/parameters.ts'
import { cutNotice } from '../../tools/replaced-text.ts'
import { compact } from '../../tools/rows.ts'
import { type EditedText, kinds } from './edited-texts.ts'

const input = z.strictObject({
  issue: issueReference.optional(),
  project: projectReference.optional(),
  initiative: reference('Id, slug, URL or name.').optional(),
  document: reference('Title, slug, id or URL.').optional(),
  action: z.enum(['append', 'replace']).describe('append adds a paragraph at the end; replace changes one passage.'),
  passage: body('For replace: the passage as it is now, long enough to occur once.').optional(),
  text: markdown('The paragraph, or the new passage (empty to remove it).'),
  expected_version: reference('updated_at of what you read, or version of your last edit.'),
})
type Arguments = z.output<typeof input>

export const editDescription = defineTool({
  name: 'EditDescription',
  title: 'Edit a long text',
  description: Message.of(
    "Add to the description of an issue, project or initiative or to a document's text, or change one passage of it. The rest is kept. If the text has changed since you read it, the call fails with a conflict.",
    sentence`For a document's whole text, use ${{ tool: 'IssueTracker.UpdateDocument' }}.`,
  ),
  effect: 'update',
  scopes: ['read', 'write'],
  input,
  output: z.object({
    edited: z.object({ kind: z.string(), name: z.string(), url: z.string().optional() }),
    version: z.string().describe('The text now, for expected_version.'),
    total_characters: z.number(),
    changed: z.boolean(),
    ...noticesField,
  }),
  example: {
    document: 'On-call handbook',
    action: 'append',
    text: 'Look at the map of outages first.',
    expected_version: 'a5c10e279fb3',
  },
  async run(args, context, call) {
    if (args.action === 'append' && isBlank(args.text)) throw new InvalidInput('"text" is empty. Pass the paragraph to add.')
    if ((args.action === 'replace') !== (args.passage !== undefined))
      throw new InvalidInput('Pass "passage", the passage to change, with the action "replace", and only with that action.')
    // A call with an idempotency key may wait for another process, and must not hold up other calls meanwhile.
    if (call.operation.isKeyed) await call.operation.begin()
    // Linear compares nothing before writing, so edits run one at a time, each on freshly read text.
    return context.withRelationLock(call.scope, async () => edit(args, context, call))
  },
})

const parameters = ['issue', 'project', 'initiative', 'document'] as const

async function edit(args: Arguments, { linear }: ToolContext, { operation, notice }: CallContext) {
  const [name, ...others] = parameters.filter((each) => args[each] !== undefined)
  if (name === undefined || others.length > 0) throw new InvalidInput(`Pass exactly one of ${joinWords([...parameters])}.`)
  const kind = kinds[name]
  const current = await kind.find(args[name] ?? '', { linear, notice })
  const next = kind.read(current.reference)
  const { text: before } = current
  if (before === undefined) throw new Unavailable("Linear's response leaves out the current text; nothing was changed.")
  const result = (record: EditedText, text: string, changed: boolean, ...notices: readonly (string | undefined)[]) => ({
    edited: compact({ kind: name, name: record.name, url: record.url }),
    version: versionOf(text),
    total_characters: Array.from(text).length,
    changed,
    ...noticesOf(...notices, archivedNotice(name, record.archivedAt)),
  })
  const text = withLineBreaks(args.text)
  const passages = [args.passage ?? '', withLineBreaks(args.passage ?? '').text]
  const earlier = await operation.begin()
  const base = earlier?.isRepeat === true && earlier.value.startsWith(basePrefix) ? earlier.value : undefined
  if (base !== undefined && base !== baseOf(before)) {
    const linked = await linear.linked(text.text)
    if (!passages.some((passage) => hasEdit(before, base, { passage, text: linked }))) throw new Conflict(unknownEdit, { next })
    return result(current, before, true, 'An earlier attempt at this call already made this edit; nothing was changed again.')
  }
  if (![versionOf(before), current.updatedAt].includes(expectedIn(args.expected_version)))
    throw new Conflict(
      `${quote(current.name, 80)} was changed after version ${quote(args.expected_version, 80)}; it is now ${versionOf(before)}, from ${current.updatedAt}. Nothing was changed. Read it again, and repeat the edit with its updated_at if it still fits.`,
      { next },
    )
  const after = args.action === 'append' ? appended(before, text.text) : replaced(before, passages, { text: text.text, next })
  if (after === before) return result(current, before, false, 'The text is already the same; nothing was changed.')
  // Stored before the write, so that a retry can tell whether the write arrived.
  await operation.renew(baseOf(before))
  const written = await kind.write(linear, current, after)
  const confirmed = confirmChange('Linear', { text: showsText(after, written.text, before) })
  const cut = cutNotice('content', after, written.text)
  return result(written, written.text ?? after, true, text.notice, confirmed, ...cut)
}

/** A text's version, which, unlike `updated_at`, does not change with the record's other fields. */
function versionOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

/** The version that a caller expects; times are truncated to the second, as in results. */
function expectedIn(version: string): string {
  return version.trim().replace(/\.\d+Z$/, 'Z')
}

const appended = (before: string, text: string) => (isBlank(before) ? text : `${before.trimEnd()}\n\n${text}`)

interface Replacement {
  readonly text: string
  /** Reads the current text. */
  readonly next: NextStep
}

/** Counts a passage's occurrences, including overlapping ones. */
function timesIn(text: string, passage: string): number {
  let times = 0
  for (let at = text.indexOf(passage); at !== -1; at = text.indexOf(passage, at + 1)) times += 1
  return times
}

/** Throws `InvalidInput` unless the passage, as written or else with real line breaks, occurs exactly once. */
function replaced(before: string, passages: readonly string[], { text, next }: Replacement): string {
  const passage = passages.find((each) => before.includes(each)) ?? passages.at(-1) ?? ''
  const place = before.indexOf(passage)
  const times = timesIn(before, passage)
  if (times === 1) return before.slice(0, place) + text + before.slice(place + passage.length)
  if (times > 1) throw new InvalidInput(`"passage" occurs ${times} times. Pass a longer one, which occurs once.`, { next })
  const isLaidOut = plainText(before).includes(plainText(passage))
  const hint = isLaidOut
    ? 'It occurs with different line breaks or spaces: pass it exactly as it is.'
    : 'Read the text, and pass a passage from it unchanged.'
  throw new InvalidInput(`"passage" does not occur. ${hint}`, { next })
}

const basePrefix = 'text-'
const unknownEdit =
  'An earlier attempt at this call may have made this edit before the text was changed again. Nothing was changed now. Read the text, and make the edit with its updated_at if it is missing.'

/** The identity of the text that an edit starts from. */
const baseOf = (text: string) => `${basePrefix}${versionOf(wordsOf(text))}`

/** Text without white space, and with its references in words. Linear stores everything else as sent. */
const wordsOf = (text: string) => plainText(text).replaceAll(' ', '')

/** True if text is the result of applying an edit to its base, perhaps with more text after it. */
function hasEdit(text: string, base: string, edit: { readonly passage: string; readonly text: string }): boolean {
  const [present, passage, added] = [wordsOf(text), wordsOf(edit.passage), wordsOf(edit.text)]
  if (added === '') return false
  let index = present.indexOf(added)
  for (let place = 0; place < maxPlaces && index !== -1; place += 1) {
    const start = present.slice(0, index)
    if (baseOf(passage === '' ? start : `${start}${passage}${present.slice(index + added.length)}`) === base) return true
    index = present.indexOf(added, index + 1)
  }
  return false
}

/** Maximum number of places to check for a short addition, each by a digest of the whole text. */
const maxPlaces = 1_000
