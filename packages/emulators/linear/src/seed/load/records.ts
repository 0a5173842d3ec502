import { createSeedNames, isObject, SeedError, type SeedNames, type SeedPath } from '@mcp-toolkits/emulator'
import { ownerColumns } from '../../engine/crud.ts'
import { recordTypes } from '../../entities.ts'
import { idOf, slugIdFor } from '../../ids.ts'
import type { Changes } from '../../store/session.ts'
import type { LinearSeed } from '../schema.ts'
import { viewerId } from '../seed-ids.ts'
import { type Loader, withPaths } from './loader.ts'

type NamesByKind = Readonly<Record<string, SeedNames>>

/** Adds entities whose types have no list of their own in a seed, with the author and the slug that the API would give them. */
export function loadRecords(loader: Loader, { records = {} }: LinearSeed): void {
  const types = [...recordTypes].toSorted()
  const names: NamesByKind = { ...loader.names, ...Object.fromEntries(types.map((type) => [type, createSeedNames(type)])) }
  const found = Object.entries(records).flatMap(([type, list]) =>
    withPaths(list, ['records', type]).map(([{ key, ...fields }, path]) => {
      const name = String([key, fields['name'], fields['title']].find((each) => typeof each === 'string') ?? path.at(-1))
      return { type, name, fields, path }
    }),
  )
  // Records may refer to later ones.
  for (const { type, name, path } of found) {
    if (!recordTypes.has(type)) throw new SeedError(path, `there are no records of type ${type}, but of ${types.join(', ')}.`)
    names[type]?.add(name, idOf(`${type} ${name}`), path)
  }
  for (const { type, name, fields, path } of found) {
    const given = Object.entries({ createdAt: 90, ...fields })
    const values: Changes = Object.fromEntries(
      given.map(([field, value]) => [field, toColumn(resolved(value, { loader, names, field, path: [...path, field] }))]),
    )
    loader.add(type, name, {
      ...Object.fromEntries(ownerColumns.map((column) => [column, viewerId])),
      slugId: slugIdFor(idOf(`${type} ${name}`)),
      updatedAt: values['createdAt'],
      ...values,
    })
  }
}

interface Place {
  readonly loader: Loader
  readonly names: NamesByKind
  readonly field: string
  readonly path: SeedPath
}

/** A value with its references, times and dates filled in, at any depth. */
function resolved(value: unknown, place: Place): unknown {
  const { loader, names, field, path } = place
  if (Array.isArray(value)) return value.map((each: unknown, index) => resolved(each, { ...place, path: [...path, index] }))
  if (isObject(value)) {
    const [[kind, name] = [], ...others] = Object.entries(value)
    const known = names[kind ?? '']
    if (known !== undefined && typeof name === 'string' && others.length === 0) return known.get(name, path)
    if (/Ids?$/.test(field))
      throw new SeedError(path, `this is no reference, such as { user: Ada }. Kinds are ${Object.keys(names).join(', ')}.`)
    return Object.fromEntries(
      Object.entries(value).map(([part, each]) => [part, resolved(each, { ...place, field: part, path: [...path, part] })]),
    )
  }
  if (typeof value !== 'string' && typeof value !== 'number') return value
  if (field.endsWith('At')) return loader.at(value, path)
  if (field.endsWith('Date')) return loader.day(value, path)
  return typeof value === 'string' ? loader.text(value) : value
}

/** A value as stored in a column: lists and objects become JSON. */
const toColumn = (value: unknown) =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : JSON.stringify(value)
