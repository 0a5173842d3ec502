import type { EntityType, EntityWriter } from './entity-type.ts'

/**
 * An entity type stored as JSON in the `records` table, so it needs no table of its own. Its rows may have more columns, which the vendor's
 * schema defines.
 */
export function recordEntity(given: Omit<EntityType, 'table' | 'writer'>): EntityType {
  const { type, columns, searched = [] } = given
  const names = [...Object.keys(columns), ...searched.flatMap((name) => [`${name}Fold`, `${name}Bare`])]
  const fields = names.map((name) => `data ->> '$.${name}' as ${name}`)
  const table = `(select id, createdAt, updatedAt, archivedAt, ${fields.join(', ')} from records where type = '${type}')`
  return { ...given, table, writer: recordWriter(type) }
}

/**
 * An entity type that serves only to insert rows. The vendor's schema says which fields are searchable; rather than wait for it, the
 * type makes all text searchable.
 */
export function newRecords(type: string, rows: readonly object[]): EntityType {
  const searched = new Set(rows.flatMap(Object.keys).filter((name) => !/(?:^id|Id|At|Date)$/.test(name)))
  return recordEntity({ type, columns: {}, searched: [...searched] })
}

/** Writes records of a type: columns specific to the type are in the JSON. */
export const recordWriter = (type: string): EntityWriter => ({
  insert(store, { id, createdAt, updatedAt, archivedAt = null, ...data }) {
    const row = { id: id ?? '', createdAt: createdAt ?? '', updatedAt: updatedAt ?? '', archivedAt, data: JSON.stringify(data), type }
    store.run(
      'insert into records (id, type, createdAt, updatedAt, archivedAt, data) values (:id, :type, :createdAt, :updatedAt, :archivedAt, :data)',
      row,
    )
  },
  update(store, id, { createdAt, updatedAt, archivedAt, ...data }) {
    const set = Object.entries({ createdAt, updatedAt, archivedAt }).filter(([, value]) => value !== undefined)
    const assignments = [...set.map(([name]) => `${name} = :${name}`), 'data = json_patch(data, :data)']
    const values = Object.fromEntries(set.map(([name, value]) => [name, value ?? null]))
    store.run(`update records set ${assignments.join(', ')} where id = :id and type = '${type}'`, {
      ...values,
      id,
      data: JSON.stringify(data),
    })
  },
  remove(store, id) {
    store.run(`delete from records where id = :id and type = '${type}'`, { id })
  },
})
