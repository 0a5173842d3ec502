import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { buildClientSchema, getIntrospectionQuery, parse, TypeInfo, visit, visitWithTypeInfo, type IntrospectionQuery } from 'graphql'
import { expect, test } from 'vitest'
import { operations } from './operations.ts'

/** `Type.field` of everything that Linear's SDK marks as deprecated. */
function deprecatedFields(): Set<string> {
  const dist = path.join(import.meta.dirname, '..', 'node_modules', '@linear', 'sdk', 'dist')
  const [declarations = ''] = readdirSync(dist).filter((name) => name.startsWith('index-') && name.endsWith('.d.mts'))
  const found = new Set<string>()
  let type = ''
  let deprecated = false
  for (const line of readFileSync(path.join(dist, declarations), 'utf8').split('\n')) {
    type = /^(?:declare )?type (\w+) = /.exec(line)?.[1] ?? type
    if (line.includes('@deprecated')) deprecated = true
    const field = /^ {2}(\w+)\??: /.exec(line)?.[1]
    if (field === undefined) continue
    if (deprecated) found.add(`${type}.${field}`)
    deprecated = false
  }
  return found
}

async function schema() {
  const emulator = linearEmulator({ seed: 'edge-cases', apiKey: 'k' })
  const answer = await emulator.fetch('http://localhost/graphql', {
    method: 'POST',
    headers: { authorization: 'k', 'content-type': 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  })
  const introspected: unknown = await answer.json()
  await emulator.close()
  if (!isIntrospection(introspected)) throw new Error('The emulator did not describe its schema.')
  return buildClientSchema(introspected.data)
}

function isIntrospection(value: unknown): value is { data: IntrospectionQuery } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'data' in value &&
    typeof value.data === 'object' &&
    value.data !== null &&
    '__schema' in value.data
  )
}

/** Archiving has no successor: Linear's substitute moves a project to the trash. */
const withoutSuccessor = ['Mutation.projectArchive']

test('no document selects a field that Linear has deprecated', async () => {
  const deprecated = deprecatedFields()
  expect(deprecated.size).toBeGreaterThan(50)
  expect(deprecated).toContain('Project.state')
  const types = new TypeInfo(await schema())
  const selected: string[] = []
  for (const { text } of operations) {
    visit(
      parse(text),
      visitWithTypeInfo(types, {
        Field: ({ name }) => {
          selected.push(`${types.getParentType()?.name ?? ''}.${name.value}`)
        },
      }),
    )
  }
  expect(selected).toContain('Project.status')
  expect(selected.filter((field) => deprecated.has(field))).toEqual(withoutSuccessor)
})
