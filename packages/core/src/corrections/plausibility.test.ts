import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { manualCall } from '../../test/manual-clock.ts'
import { InvalidInput, NotFound } from '../errors/errors.ts'
import { isBlank } from '../base/blank.ts'
import { isFiller, isPlaceholder, placeholderNotice } from './plausibility.ts'
import { rememberSecret } from '../errors/redaction.ts'
import { toolkit, type Effect } from '../tool/tool.ts'

it.for(
  [
    'undefined Undefined null NULL None nil NaN (null) [object Object] "undefined" {{id}} {{customer.id}} {id} ${id} $(id) <id> <USER_ID>',
    '%s %d %(id)s %USER_ID% <%=id%> $USER_ID [[id]] {%id%}',
  ].flatMap((line) => line.replace('[object Object]', '[object_Object]').split(' ')),
)('takes %s for a placeholder', (text) => {
  const written = text.replaceAll('_O', ' O')
  for (const each of [written, ` ${written}\n`]) expect(isPlaceholder(each)).toBe(true)
})

it.for(['', '  ', '\t\n', '\u00A0', '\u200B', '\uFEFF', '""', "' '"])('takes %j for blank', (text) => {
  expect(isPlaceholder(text)).toBe(true)
})

it.for(['u1', '0', 'ENG-12', 'nullable', 'Nan Goldin', 'ada@example.com', '<ada@example.com>', 'a {b}', '50%', '$5', 'no', 'n', '{a}{b}'])(
  'takes %s for an id',
  (text) => {
    expect(isPlaceholder(text)).toBe(false)
  },
)

it('takes no uuid, number or address for a placeholder', () => {
  fc.assert(fc.property(fc.oneof(fc.uuid(), fc.integer().map(String), fc.emailAddress()), (id) => !isPlaceholder(id)))
})

it('takes no JSON, list or address for a placeholder', () => {
  for (const text of ['{"userId":"u1","event":"Login"}', '<https://example.com/doc>', '{"a":1}', '{a, b}'])
    expect(isPlaceholder(text)).toBe(false)
})

it('notices what programs write, and not what people do', () => {
  for (const title of ['<Button>', '%TEMP%', '$HOME', '{id}', 'None']) expect(placeholderNotice({ title })).toBeUndefined()
  for (const title of ['undefined', '[object Object]', '{{name}}', '${name}']) expect(placeholderNotice({ title })).toContain('title is')
})

it('calls blank what only looks like something', () => {
  for (const text of ['\u3164', '\u2800', '<p></p>'.repeat(500), '&nbsp;\\n', '" "']) expect(isBlank(text)).toBe(true)
  for (const text of ['<p>a</p>', '&amp;', '"a"', '\\x']) expect(isBlank(text)).toBe(false)
})

it('calls blank what shows nothing', () => {
  for (const text of ['', ' \n', '\u200B\u2060', '\\n', '&nbsp;', '<p><br></p>', '""']) expect(isBlank(text), text).toBe(true)
  expect(['.', '\\', '-', '"a"', `${' '.repeat(100_000)}a`].some(isBlank)).toBe(false)
})

it('tells what stands for no value, or for any, from all that an update may mean', () => {
  for (const text of ['none', 'N/A', ' null ', '-', 'not set']) expect([isFiller(text), isFiller(text, true)]).toEqual([true, true])
  for (const text of ['any', 'All', '*']) expect([isFiller(text), isFiller(text, true)]).toEqual([true, false])
  for (const value of ['', 'nobody', 'Anya', null, 0]) expect(isFiller(value)).toBe(false)
})

const input = z.strictObject({ name: z.string().optional(), list: z.array(z.unknown()).optional(), body: z.unknown().optional() })

async function call(args: object, { effect = 'create', fail }: { effect?: Effect; fail?: Error } = {}) {
  let runs = 0
  const run = () => ((runs += 1), fail ? Promise.reject(fail) : Promise.resolve({}))
  const spec = { name: 'T', title: 'T', description: '', scopes: [], effect, input, output: z.object({}), example: {}, run }
  const result = await toolkit<undefined, never>()(spec)
    .execute(args, undefined, manualCall())
    .then(
      ({ notices }) => ({ notices }),
      (error: unknown) => ({ error: String(error) }),
    )
  return { ...result, runs }
}

it('refuses a secret of this server in any argument of any tool, in every spelling', async () => {
  const key = 'lin_api_0123456789/abcdef'
  rememberSecret(key)
  const error = 'holds a secret of this server, so nothing was sent. Leave the secret out.'
  const spellings = [key, `my key: ${key}!`, encodeURIComponent(key), Buffer.from(key).toString('base64'), JSON.stringify({ key })]
  for (const effect of ['read', 'create', 'update', 'delete'] as const)
    for (const text of spellings)
      for (const args of [{ name: text }, { list: [{ x: [text] }] }, { body: { [text]: 1 } }, { unknown: text }])
        expect(await call(args, { effect })).toEqual({ error: `InvalidInput: "${Object.keys(args).join('')}" ${error}`, runs: 0 })
  expect(await call({ [key]: 1 })).toMatchObject({ runs: 0, error: `InvalidInput: "[secret]" ${error}` })
  expect(await call({ name: key.slice(0, -1) })).toEqual({ notices: undefined, runs: 1 })
})

it('says of a write that its text may be a placeholder, and writes it', async () => {
  const notice = 'name is "undefined", which programs write for a value that they do not have. If it was not meant, change it.'
  expect(await call({ name: 'undefined' })).toEqual({ notices: [notice], runs: 1 })
  for (const name of ['None', 'Undefined behaviour', 'a {{b}}']) expect(await call({ name })).toEqual({ notices: undefined, runs: 1 })
  expect(await call({ name: 'undefined' }, { effect: 'read' })).toEqual({ notices: undefined, runs: 1 })
})

it('says of a reference that leads to nothing that it is a placeholder', async () => {
  const { error } = { error: '', ...(await call({ name: '{{id}}' }, { effect: 'read', fail: new NotFound('No item.') })) }
  expect(error).toBe('NotFound: No item. name is "{{id}}", which programs write for a value that they do not have. Pass the value itself.')
  const next = { change: { team: 'Design' } }
  const missed = new NotFound('No name matches "N/A".', { suggestions: [{ value: 'Nora', parameter: 'name', confidence: 0.6 }], next })
  const left = await call({ name: 'N/A' }, { fail: missed })
  expect(left).toMatchObject({ error: 'NotFound: No name matches "N/A". Leave "name" out if you have no value.' })
  expect(await call({ name: 'Apollo' }, { fail: new NotFound('No item.') })).toMatchObject({ error: 'NotFound: No item.' })
  expect(await call({ name: 'null' }, { fail: new InvalidInput('No.') })).toMatchObject({ error: 'InvalidInput: No.' })
})
