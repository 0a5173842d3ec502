import { expect, it } from 'vitest'
import { canonicalSpelling, Message, sentence } from './message.ts'

const spelling = {
  tool: (name: string) => (name === 'Acme.Hidden' ? undefined : name.replace('.', '_')),
  option: (name: string) => (name === '--read-only' ? 'readOnly' : name),
  variable: (name: string) => name.toLowerCase(),
}

it('is made of sentences with a space between them, without empty ones', () => {
  expect(Message.of('', 'One.', sentence`Two ${2}.`, sentence``, 'Three.').render()).toBe('One. Two 2. Three.')
  expect(Message.of('').and('More.').toJSON()).toEqual([['More.']])
  expect(sentence`Two ${2}.`.toJSON()).toEqual([['Two ', '2', '.']])
})

it('changes texts, and no mentions', () => {
  const message = sentence`call ${{ tool: 'Acme.List' }} with ${'a value'}`.map((text) => text.toUpperCase())
  expect(message.render(spelling)).toBe('CALL Acme_List WITH A VALUE')
})

it('spells references for a surface', () => {
  const message = sentence`Call ${{ tool: 'Acme.List' }} without ${{ option: '--read-only' }} or ${{ variable: 'ACME_KEY' }}.`
  expect(message.render(spelling)).toBe('Call Acme_List without readOnly or acme_key.')
  expect(String(message)).toBe('Call Acme.List without --read-only or ACME_KEY.')
})

it('leaves out a sentence about a tool that is not offered', () => {
  const message = Message.of('Nothing was found.', sentence`Call ${{ tool: 'Acme.Hidden' }}.`).and('Try again.')
  expect(message.render(spelling)).toBe('Nothing was found. Try again.')
})

it('contains a sentence only for callers without a tool', () => {
  const message = (tool: string) => Message.of('It has no bytes.', sentence`${{ without: tool }}Another server exports it.`)
  expect(message('Acme.Hidden').render(spelling)).toBe('It has no bytes. Another server exports it.')
  expect(message('Acme.Export').render(spelling)).toBe('It has no bytes.')
  expect(Message.fromJson(JSON.parse(JSON.stringify(message('Acme.Export'))))?.render(spelling)).toBe('It has no bytes.')
})

it('spells commands as the reader types them, and leaves them out for readers who cannot type any', () => {
  const message = Message.of('Signed out.', sentence`Run "${{ command: 'acme-mcp login' }}".`)
  expect(message.render({ ...spelling, command: (line) => line.replace('acme-mcp', 'npx acme') })).toBe('Signed out. Run "npx acme login".')
  expect(message.render({ ...spelling, command: () => undefined })).toBe('Signed out.')
  expect(message.render(spelling)).toBe('Signed out. Run "acme-mcp login".')
})

it('never reads interpolated text as a mention', () => {
  expect(sentence`No item is named ${'"Acme.Hidden. --read-only"'}.`.render(spelling)).toBe('No item is named "Acme.Hidden. --read-only".')
})

it('inserts a message into a sentence', () => {
  const tools = Message.of(sentence`${{ tool: 'Acme.List' }} lists them.`, 'Or ask.')
  const message = sentence`Note: ${tools}`
  expect(message.render(spelling)).toBe('Note: Acme_List lists them. Or ask.')
  expect(sentence`Note: ${sentence`${{ tool: 'Acme.Hidden' }} helps`}.`.render(spelling)).toBe('')
})

it('survives storage as JSON', () => {
  const message = Message.of(
    'First.',
    sentence`Call ${{ tool: 'Acme.List' }} without ${{ option: '--read-only' }} or ${{ variable: 'KEY' }}.`,
  )
  const stored: unknown = JSON.parse(JSON.stringify(message))
  expect(Message.fromJson(stored)?.render(spelling)).toBe('First. Call Acme_List without readOnly or key.')
})

it.each([
  undefined,
  'text',
  ['text'],
  [[1]],
  [[{ tool: 1 }]],
  [[null]],
  [['text'], 'text'],
  [['text', 1]],
  [[{ other: 'x' }]],
  { 0: ['text'] },
])('does not read %j as a message', (value) => {
  expect(Message.fromJson(value)).toBeUndefined()
})

it.each([{ tool: 'Acme.List' }, { option: '--read-only' }, { variable: 'ACME_KEY' }, { command: 'acme-mcp login' }])(
  'reads the mention %j',
  (mention) => {
    expect(Message.fromJson([['x', mention]])?.toJSON()).toEqual([['x', mention]])
  },
)

it('hides sentences about settings from callers who share the server, and asks once to have the settings checked', () => {
  const message = Message.of('It failed.', sentence`Set ${{ variable: 'KEY' }}.`, sentence`Or unset ${{ variable: 'URL' }}.`)
  expect(message.isAboutSettings).toBe(true)
  expect(message.render({ ...canonicalSpelling, audience: 'others' })).toBe(
    'It failed. Ask the operator of this server to check its settings.',
  )
  const plain = Message.of('Set MCP_TOOLKITS_STORE.', 'No issue matches "MCP_TOOLKITS_STORE".')
  expect(plain.render({ ...canonicalSpelling, audience: 'others' })).toBe(
    'Ask the operator of this server to check its settings. No issue matches "MCP_TOOLKITS_STORE".',
  )
  const split = Message.split(sentence`Set ${{ variable: 'KEY' }}.`, 'It failed.')
  expect(split.render({ ...canonicalSpelling, audience: 'others' })).toBe('It failed.')
})
