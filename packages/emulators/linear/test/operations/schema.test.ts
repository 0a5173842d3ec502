import { LinearDocument } from '@linear/sdk'
import { dig } from '@mcp-toolkits/emulator/testing'
import { parse, validate, validateSchema } from 'graphql'
import { describe, expect, it } from 'vitest'
import { behaviors } from '../../src/entities.ts'
import { vendorSchema } from '../../src/graphql/document-schema.ts'
import { loadDeclarations } from '../../src/vendor/declarations.ts'
import { someText } from '../emulator.ts'
import { covers } from '../emulator.ts'
import { openUnlimited } from './emulator.ts'

await loadDeclarations()
const schema = vendorSchema()
const notEmulated = (what: string) =>
  `Not emulated: the ${what}. Linear has it, but the emulator that answered does not. See https://github.com/mcp-toolkits/mcp-toolkits/blob/main/docs/emulators/linear.md`

describe('the vendor’s full schema', () => {
  it('is valid, and has every query and mutation that the official client declares', () => {
    expect(validateSchema(schema)).toEqual([])
    const fields = [schema.getQueryType(), schema.getMutationType()].map((type) => Object.keys(type?.getFields() ?? {}).length)
    expect(fields).toEqual([177, 386])
  })

  it('supports every document of the official client', () => {
    const texts = Object.entries(LinearDocument).flatMap(([name, text]: [string, unknown]) =>
      name.endsWith('Document') && text instanceof String ? [[name, text.valueOf()] as const] : [],
    )
    expect(texts).toHaveLength(674)
    const refused = texts.filter(([, text]) => validate(schema, parse(text, { noLocation: true }), undefined, { maxErrors: 1 }).length > 0)
    expect(refused).toEqual([])
  })

  it('has behavior for at least 120 operations', () => {
    expect(behaviors().size).toBeGreaterThanOrEqual(120)
  })
})

describe('an operation without behavior', () => {
  it('gets an error that names it, after its fields are validated', covers('operations/not-emulated'), async () => {
    const { ask } = openUnlimited()
    const refused = await ask('mutation { integrationDiscord(code: "c", redirectUri: "https://a.example") { success } }')
    expect(refused).toMatchObject({
      status: 200,
      data: null,
      errors: [
        {
          message: notEmulated('mutation "integrationDiscord"'),
          extensions: { code: 'NOT_EMULATED', userError: true },
        },
      ],
    })
    expect((await ask('{ auditEntryTypes { type } }')).errors).toMatchObject([{ message: notEmulated('query "auditEntryTypes"') }])
    expect(await ask('{ auditEntryTypes { colour } }')).toMatchObject({
      status: 400,
      errors: [{ message: 'Cannot query field "colour" on type "AuditEntryType".' }],
    })
    expect(await ask('{ issue(id: "ENG-1") { title } }')).toMatchObject({ data: { issue: { title: someText } } })
  })
})

describe('entities of the vendor’s schema', () => {
  it('are created, found, filtered, changed and deleted', covers('operations/from-schema', 'operations/blank-texts'), async () => {
    const { at, list, ask } = openUnlimited()
    const team = await at('teams.nodes.0.id', '{ teams(first: 1) { nodes { id } } }')
    const create =
      'mutation($input: DocumentCreateInput!) { documentCreate(input: $input) { success document { id title slugId creator { name } team { id } url trashed } } }'
    const created = await at('documentCreate.document', create, { input: { title: 'Runbook', content: 'Steps', teamId: team } })
    expect(created).toMatchObject({ title: 'Runbook', creator: { name: 'Robin Vance' }, team: { id: team }, trashed: null })
    const id = dig(created, 'id')
    await at('documentCreate.success', create, { input: { title: 'Über uns', teamId: team } })
    const find = 'query($f: DocumentFilter) { documents(filter: $f) { nodes { title content createdAt } } }'
    expect(await list('title', find, { f: { title: { containsIgnoreCase: 'ÜBER' } } })).toEqual(['Über uns'])
    expect(await list('content', find, { f: { title: { eq: 'Runbook' }, creator: { isMe: { eq: true } } } })).toEqual(['Steps'])
    const update =
      'mutation($id: String!, $input: DocumentUpdateInput!) { documentUpdate(id: $id, input: $input) { document { title content icon } } }'
    expect(await at('documentUpdate.document', update, { id, input: { title: 'Handbook', icon: 'Book' } })).toEqual({
      title: 'Handbook',
      content: 'Steps',
      icon: 'Book',
    })
    expect(
      await at('documentDelete.entity', 'mutation($id: String!) { documentDelete(id: $id) { entity { trashed archivedAt } } }', { id }),
    ).toMatchObject({ trashed: true })
    expect(await list('title', find)).toEqual(['Über uns'])
    await at('documentUnarchive.success', 'mutation($id: String!) { documentUnarchive(id: $id) { success } }', { id })
    expect((await list('title', find)).toSorted()).toEqual(['Handbook', 'Über uns'])
    expect(await ask(create, { input: { title: ' ', teamId: team } })).toMatchObject({
      data: null,
      errors: [{ message: 'Argument Validation Error' }],
    })
    expect(await ask(create, { input: { title: 'A', teamId: id } })).toMatchObject({
      data: null,
      errors: [{ message: 'Entity not found: Team' }],
    })
  })

  it('store fields that the servers have no use for', covers('operations/extra-fields'), async () => {
    const { at } = openUnlimited()
    const update =
      'mutation($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { issue { title subIssueSortOrder slaType } } }'
    expect(await at('issueUpdate.issue', update, { id: 'ENG-1', input: { title: 'T', subIssueSortOrder: 2.5, slaType: 'all' } })).toEqual({
      title: 'T',
      subIssueSortOrder: 2.5,
      slaType: 'all',
    })
    expect(await at('issue', '{ issue(id: "ENG-1") { slaType } }')).toEqual({ slaType: 'all' })
  })
})
