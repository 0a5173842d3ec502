import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openStore } from '@mcp-toolkits/sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { migrations } from '../../src/entities.ts'
import { columnsOf } from '../../src/store/entity-type.ts'
import { recordEntity } from '../../src/store/record-entity.ts'
import { insert, select, update } from '../../src/store/tables.ts'
import { openUnlimited } from './emulator.ts'

const document = recordEntity({
  type: 'Document',
  columns: columnsOf('title, projectId?'),
  searched: ['title'],
})

it('an entity keeps the fields that nothing depends on', async () => {
  const file = path.join(tmpdir(), `linear-${randomUUID()}.db`)
  onTestFinished(() => {
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  })
  const first = openUnlimited({ file })
  const create = 'mutation($input: DocumentCreateInput!) { documentCreate(input: $input) { document { id } } }'
  const id = String(await first.at('documentCreate.document.id', create, { input: { title: 'Runbook', icon: 'Book' } }))
  await first.at('documentDelete.success', 'mutation($id: String!) { documentDelete(id: $id) { success } }', { id })
  await first.close()

  const store = openStore({ file, migrations })
  update(store, document, { id, title: 'Handbook' })
  insert(store, document, { id: randomUUID(), title: 'Plan', createdAt: '2026-09-16T12:00:00.000Z', updatedAt: '2026-09-16T12:00:00.000Z' })
  expect(select(store, document, 'order by a.title')).toMatchObject([{ title: 'Handbook' }, { title: 'Plan', projectId: null }])
  await store.close()

  const second = openUnlimited({ file })
  onTestFinished(() => second.close())
  const all = '{ documents(includeArchived: true) { nodes { title icon trashed } } }'
  expect(await second.at('documents.nodes', all)).toEqual(
    expect.arrayContaining([
      { title: 'Handbook', icon: 'Book', trashed: true },
      { title: 'Plan', icon: null, trashed: null },
    ]),
  )
  expect(await second.list('title', '{ documents(filter: { title: { containsIgnoreCase: "PLAN" } }) { nodes { title } } }')).toEqual([
    'Plan',
  ])
})
