import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { manualCall } from '../../test/manual-clock.ts'
import { InvalidInput } from '../errors/errors.ts'
import { toolkit, type Effect } from '../tool/tool.ts'
import { defaultsNotice, givenArguments } from './absent.ts'
import { withVocabulary } from './vocabulary.ts'

const input = z.strictObject({
  id: z.string().min(1),
  text: z.string().optional(),
  due: z.iso.date().optional(),
  state: z.enum(['open', 'done']).optional(),
  labels: z.array(z.string().min(1)).optional(),
  anything: z.unknown().optional(),
  points: z.int().optional(),
  sure: z.boolean().default(false),
  fields_to_clear: withVocabulary(z.array(z.enum(['due', 'state'])), { isClearing: true }).optional(),
})

async function call(args: object, effect: Effect = 'update') {
  const received: unknown[] = []
  const run = (parsed: unknown) => Promise.resolve({ received: received.push(parsed) })
  const spec = {
    name: 'T',
    title: 'T',
    description: '',
    scopes: [],
    effect,
    input,
    output: z.object({ received: z.number() }),
    example: { id: '1' },
    run,
  }
  const { notices } = await toolkit<undefined, never>()(spec).execute(args, undefined, manualCall())
  return { received: received[0], notices }
}

const given = { id: 'E-1', sure: false }

it.for<[object, object, string]>([
  [{ text: '' }, {}, 'text was blank and counts as not given: nothing was cleared.'],
  [
    { text: ' ', due: '\n', points: 3 },
    { points: 3 },
    'text and due were blank and count as not given: nothing was cleared. To clear due, pass fields_to_clear: ["due"].',
  ],
  [{ labels: [' '] }, {}, 'labels was blank and counts as not given: nothing was cleared.'],
  [
    { state: null, text: 'x' },
    { text: 'x' },
    'state was null and counts as not given: nothing was cleared. To clear state, pass fields_to_clear: ["state"].',
  ],
  [
    { text: null, due: '' },
    {},
    'due and text were blank or null and count as not given: nothing was cleared. To clear due, pass fields_to_clear: ["due"].',
  ],
])('leaves out %j of an update', async ([args, received, notice]) => {
  expect(await call({ id: 'E-1', ...args })).toEqual({ received: { ...given, ...received }, notices: [notice] })
})

it.for([
  [{ text: '', points: 3 }, { text: null }],
  [
    { Text: '\n', due: '2027-01-31' },
    { Text: null, text: null },
  ],
  [{ text: '&nbsp;', state: null, points: 3 }, { text: null }],
])('refuses a long text that is blank beside other changes: %j', async ([args, change]) => {
  const error: unknown = await call({ id: 'E-1', ...args }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(InvalidInput)
  expect(error).toMatchObject({
    message: '"text" is blank, which does not clear it; nothing was changed. Leave it out to keep the current text.',
  })
  expect(error instanceof InvalidInput && error.toJSON().next).toEqual({ change })
})

it('takes a blank beside other blanks for the habit of a host, and refuses none of a call that is no update', async () => {
  expect((await call({ id: 'E-1', text: '', due: '', points: 3 })).received).toEqual({ ...given, points: 3 })
  expect((await call({ id: 'E-1', text: '', points: 3 }, 'create')).received).toEqual({ ...given, points: 3 })
})

it('says nothing of a null for a field that the call clears', async () => {
  const { notices } = await call({ id: 'E-1', due: null, fields_to_clear: ['due'] })
  expect(notices).toBeUndefined()
})

it('keeps a list of blanks where any value is accepted', async () => {
  expect(await call({ id: 'E-1', anything: ['', null] })).toEqual({ received: { ...given, anything: ['', null] }, notices: undefined })
})

it('says of a call that is no update what was blank, and nothing of null', async () => {
  for (const effect of ['read', 'create', 'delete'] as const) {
    expect(await call({ id: 'E-1', text: null }, effect)).toEqual({ received: given, notices: undefined })
    expect((await call({ id: 'E-1', text: '' }, effect)).notices).toEqual(['text was blank and counts as not given.'])
  }
})

it('says nothing to a host that sends null for everything that it does not set', async () => {
  const nulls = { due: null, state: null, labels: null, anything: null, points: null, sure: null, fields_to_clear: null }
  expect(await call({ id: 'E-1', text: 'x', ...nulls })).toEqual({ received: { ...given, text: 'x' }, notices: undefined })
})

it('says of an update with nothing to change what was left out, and how to clear it', async () => {
  const run = () => Promise.reject(new InvalidInput('Nothing to change.'))
  const spec = {
    name: 'T',
    title: 'T',
    description: '',
    scopes: [],
    effect: 'update',
    input,
    output: z.object({}),
    example: { id: '1' },
    run,
  } as const
  const refused = async (args: object): Promise<unknown> =>
    toolkit<undefined, never>()(spec).execute(args, undefined, manualCall()).catch(String)
  const error = async (args: object): Promise<unknown> =>
    toolkit<undefined, never>()(spec)
      .execute(args, undefined, manualCall())
      .catch((reason: unknown) => (reason instanceof InvalidInput ? reason.toJSON().next : reason))
  expect(await refused({ id: 'E-1', text: '', due: '' })).toContain(
    'Nothing to change. text and due were blank and count as not given: nothing was cleared. To clear due, pass fields_to_clear: ["due"].',
  )
  expect(await error({ id: 'E-1', text: '', due: '' })).toBeUndefined()
  expect(await error({ id: 'E-1', due: '', points: 3 })).toBeUndefined()
  expect(await error({ id: 'E-1', due: '', state: ' ' })).toEqual({
    change: { due: null, state: null, fields_to_clear: ['due', 'state'] },
  })
  expect(await error({ id: 'E-1', due: null })).toEqual({ change: { due: null, fields_to_clear: ['due'] } })
  expect(await error({ id: 'E-1', text: null })).toBeUndefined()
  // Hosts send null for whatever is unset.
  expect(await error({ id: 'E-1', due: '', state: null, parent: null, points: null })).toBeUndefined()
  expect(await error({ id: 'E-1', due: null, state: null, parent: null })).toBeUndefined()
})

it('reads the name first', async () => {
  expect((await call({ id: 'E-1', Fields_To_Clear: '', DUE: null, text: 'x' })).received).toEqual({ ...given, text: 'x' })
})

it('refuses a blank and null where a value is needed, and null for what there is not', async () => {
  for (const args of [{ id: '' }, { id: null }, { id: 'E-1', parent: null }, { id: 'E-1', text: { a: null }, due: '' }])
    await expect(call(args)).rejects.toBeInstanceOf(InvalidInput)
})

it('says of a null in a write that a default took effect', () => {
  const shared = z.strictObject({ to: z.string(), role: z.string().default('reader'), silent: z.boolean().default(false) })
  const given = givenArguments(shared, { to: 'x', role: null, silent: null })
  expect(defaultsNotice(shared, given)).toBe('role was null, so the default "reader" applied.')
  expect(defaultsNotice(shared, { ...given, nulls: ['to', 'silent'] })).toBeUndefined()
})

it('never passes on a blank or a null', async () => {
  const nothing = fc.constantFrom('', ' ', '\n\t', '\u00A0', '\u200B', null)
  const optional = ['text', 'due', 'state', 'anything', 'points', 'sure', 'fields_to_clear']
  const blanks = fc.dictionary(fc.constantFrom(...optional), nothing)
  await fc.assert(
    fc.asyncProperty(blanks, async (args) => {
      expect((await call({ id: 'E-1', ...args })).received).toEqual(given)
    }),
  )
})
