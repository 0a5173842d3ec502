import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { View } from './view.ts'

const viewOf = (columns: number) => new View(Object.assign(new PassThrough(), { columns }))
const plain = (lines: readonly string[]) => lines.map((line) => stripVTControlCharacters(line).trimEnd())

const id = '1d2430ef-cb47-489f-a8aa-33bdf7d0104c'
const words = 'Halfway through the review. One question in the change about deleting a team while a conflict is open.'

it('shows records with long texts inside a record one by one, and whole', () => {
  const comments = [
    { id, user: 'Sam Idowu', body: words },
    { id, user: 'Ada Okafor', body: 'Fine.' },
  ]
  expect(plain(viewOf(80).record({ issue: { identifier: 'ENG-9', comments } }))).toEqual([
    'issue',
    '  identifier  ENG-9',
    '  comments:',
    `    id    ${id}`,
    '    user  Sam Idowu',
    '    body  Halfway through the review. One question in the change about deleting',
    '          a team while a conflict is open.',
    '',
    `    id    ${id}`,
    '    user  Ada Okafor',
    '    body  Fine.',
  ])
})

it('shows a list as a table, whose long texts are cut, and never its ids', () => {
  const rows = [{ id, name: words, owner: 'Sam Idowu', team: 'Engineering' }]
  for (let columns = 40; columns <= 100; columns += 1) {
    const [heading = '', names = '', row = ''] = plain(viewOf(columns).record({ files: rows }))
    expect([heading, Math.max(names.length, row.length) <= columns], `${columns}`).toEqual(['files', true])
    expect(row.includes(id), `${columns}`).toBe(/^ {2}id /.test(names))
    expect(row, `${columns}`).toContain('…')
  }
  expect(viewOf(100).table(rows).join()).toContain(id)
})

it('leaves out an id that has no room', () => {
  const rows = [{ id, title: 'A title', project_id: id }]
  expect(plain(viewOf(40).table(rows))).toEqual(['title', 'A title', '(2 more columns: --json shows everything)'])
})
