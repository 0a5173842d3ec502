import { dig } from '@mcp-toolkits/emulator/testing'
import { getNamedType, isObjectType, isRequiredArgument } from 'graphql'
import { describe, expect, it } from 'vitest'
import { shareOf } from '../../../../testing/src/runs.ts'
import { like } from '../emulator.ts'
import { openSamples } from './sample-entities.ts'
import { behaving, mutations, queries, sampleOperation } from './samples.ts'

const isQuery = new Set(behaving('Query'))
const isMutation = new Set(behaving('Mutation'))

const created = behaving('Mutation').filter(
  (name) => name.endsWith('Create') && !/Batch|ToProject|Relation|ToRelease|Membership/.test(name),
)

const shares = 8

describe('what behaves', () => {
  it.for(shareOf(created, shares, 0))('%s is found and removed again', async (name) => {
    const { ask, run, create } = await openSamples()
    const kind = name.slice(0, -'Create'.length)
    const id = await create(kind)
    const isFound = kind in queries && isQuery.has(kind)
    if (isFound) expect((await run('query', kind, { id }))['id']).toBe(id)
    for (const verb of ['Archive', 'Unarchive', 'Delete']) {
      // The last state or status of its type cannot be archived.
      if (!isMutation.has(kind + verb) || (verb === 'Archive' && /^(?:workflowState|projectStatus)$/.test(kind))) continue
      expect((await run('mutation', kind + verb, { id }))['success']).toBe(true)
      if (isFound && verb !== 'Delete')
        expect(typeof (await run('query', kind, { id }))['archivedAt']).toBe(verb === 'Archive' ? 'string' : 'object')
    }
    if (!isFound || !isMutation.has(`${kind}Delete`)) return
    const { data, errors } = await ask(`query($id: String!) { ${kind}(id: $id) { id archivedAt } }`, { id })
    if (archives(kind)) expect(dig(data, `${kind}.archivedAt`)).toMatch(/^\d/)
    else expect(errors.map(({ message }) => message)).toEqual([like(/^Entity not found: /)])
  })

  const plain = behaving('Query').filter(
    (name) => queries[name]?.args.every((arg) => !isRequiredArgument(arg)) === true && !/^(?:comment|customerNeed)$/.test(name),
  )
  it.for(shareOf(plain, shares, 0))('%s answers', async (name) => {
    const { ask, ids } = await openSamples()
    const { text, variables } = sampleOperation('query', name, {}, ids)
    expect((await ask(text, variables)).errors).toEqual([])
  })
})

/** True for kinds that are archived when deleted: teams, initiatives, and kinds whose payload contains the entity. */
function archives(kind: string): boolean {
  const mutation = mutations[`${kind}Delete`]
  const payload = mutation && getNamedType(mutation.type)
  return ['team', 'initiative'].includes(kind) || (isObjectType(payload) && 'entity' in payload.getFields())
}
