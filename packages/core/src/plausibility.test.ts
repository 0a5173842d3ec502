import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isBlank, isPlaceholder } from './plausibility.ts'

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

it('calls blank what shows nothing', () => {
  for (const text of ['', ' \n', '\u200B\u2060', '\\n', '&nbsp;', '<p><br></p>', '""']) expect(isBlank(text), text).toBe(true)
  expect(['.', '\\', '-', '"a"', `${' '.repeat(100_000)}a`].some(isBlank)).toBe(false)
})
