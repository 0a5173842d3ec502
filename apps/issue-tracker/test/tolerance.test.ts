import { runs, shareOf } from '@mcp-toolkits/testing'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { calls, forExamples } from './calls.ts'
import { misbehaving, parsed, type Misbehaving } from './misbehaving.ts'
import { unknowing } from './unknown-fields.ts'

/** The emulator's response, changed. */
const changing = (server: Misbehaving, change: (answer: unknown) => unknown) => async (request: Request) =>
  Response.json(change(parsed(await (await server.emulator.fetch(request)).text())))

const list = 'IssueTracker.ListTeams'
const data = { teams: { nodes: [{ id: 'a', key: 'ENG', name: 'Engineering' }], pageInfo: { hasNextPage: false, endCursor: null } } }

test.for([
  [{ errors: [null] }, ''],
  [{ errors: 'Out of order' }, 'Out of order'],
  [{ errors: ['Out of order'] }, 'Out of order'],
  [{ errors: { message: 'Out of order' } }, 'Out of order'],
  [{ errors: { title: ['is too long'] } }, 'is too long'],
  [{ errors: [{ message: 7 }] }, '7'],
  [{ errors: [null, { message: 'Out of order', path: ['teams', 0, 'name'], extensions: null }] }, 'Out of order'],
] as const)('errors in the form %j are quoted without a retry, and any data is kept', async ([errors, words]) => {
  await using server = await misbehaving()
  const answer = (body: object) => () => Promise.resolve(Response.json(body))
  server.vendor = answer({ ...errors, data: null })
  const error = await server.fails(list)
  expect([error.retryable, error.message.includes(words)]).toEqual([false, true])
  server.vendor = answer({ ...errors, data })
  const { teams, notices } = await server.call(list)
  expect(teams).toEqual([{ key: 'ENG', name: 'Engineering' }])
  expect(notices).toEqual([expect.stringContaining(words)])
  expect(String(notices)).toContain('error along with its response')
  expect(server.requests()).toBe(2)
})

test.for(['', {}, [], null, false])('errors in the form %j mean no error', async (errors) => {
  await using server = await misbehaving()
  server.vendor = () => Promise.resolve(Response.json({ errors, data }))
  expect(await server.call(list)).not.toHaveProperty('notices')
})

test.for([
  ['Header too large', 'text/plain', 'Linear says: "Header too large".'],
  ['<!doctype html><title>Hotel</title>', 'text/html', 'it may not be from Linear'],
  ['{"message":"No such host"}', 'application/json', 'No such host'],
  ['', 'text/plain', 'Linear answered HTTP 400.'],
] as const)('HTTP 400 with %j is quoted if it is text, and not retried', async ([body, type, words]) => {
  await using server = await misbehaving()
  server.vendor = () => Promise.resolve(new Response(body, { status: 400, headers: { 'content-type': type } }))
  const error = await server.fails(list)
  expect(error).toMatchObject({ code: 'unavailable', retryable: false })
  expect(error.message).toContain(words)
  expect(error.message).not.toMatch(/[<>]|Hotel/)
  expect(server.requests()).toBe(1)
})

/** Essential fields, which identify a record, say what it is, or contain other fields. */
const essential = new Set(
  'id identifier name title key slugId number type body url cursor node edges nodes pageInfo hasNextPage endCursor state status team issue relatedIssue comments organization urlKey'.split(
    ' ',
  ),
)

/** The names of the fields in a response, below the operation's own fields. */
function fieldsIn(value: unknown, depth = 0): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => fieldsIn(each, depth))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [...(depth > 1 ? [name] : []), ...fieldsIn(member, depth + 1)])
}

type Loss = 'missing' | 'null' | 'renamed'

function lose(value: unknown, losses: ReadonlyMap<string, Loss>): unknown {
  if (Array.isArray(value)) return value.map((each) => lose(each, losses))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const loss = losses.get(name)
    if (loss === undefined) return [[name, lose(member, losses)]]
    return loss === 'missing' ? [] : loss === 'null' ? [[name, null]] : [[`${name}V2`, member]]
  })
  return { ...Object.fromEntries(members), somethingNew: { nodes: [1] } }
}

const shares = 6

test.for(shareOf(calls, shares, 0))('%s works without its optional fields, and with new ones', async ([tool, args]) => {
  await using server = await misbehaving({}, forExamples)
  let answer: unknown
  server.vendor = changing(server, (each) => (answer = each))
  await server.call(`IssueTracker.${tool}`, args)
  const names = [...new Set(fieldsIn(answer))].filter((name) => !essential.has(name))
  const losses = fc.dictionary(fc.constantFrom(...names, 'none'), fc.constantFrom<Loss>('missing', 'null', 'renamed'))
  await fc.assert(
    fc.asyncProperty(losses, async (lost) => {
      server.vendor = changing(server, (each) => lose(each, new Map(Object.entries(lost))))
      await server.call(`IssueTracker.${tool}`, args)
    }),
    { numRuns: runs(40) },
  )
  server.vendor = changing(server, (each) => lose(each, new Map(names.map((name) => [name, 'missing' as const]))))
  await server.call(`IssueTracker.${tool}`, args)
})

const words = {
  type: 'brandNew',
  health: 'brandNew',
  priority: 9,
  visibility: 'brandNew',
  issueEstimationType: 'brandNew',
  status: 'BrandNew',
}

function reword(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reword)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const word = Object.entries(words).find(([known]) => known === name)?.[1]
      return [name, word !== undefined && typeof member === typeof word ? word : reword(member)]
    }),
  )
}

test.for(shareOf(calls, shares, 1))('%s passes through words and numbers that it does not know', async ([tool, args]) => {
  await using server = await misbehaving({}, forExamples)
  server.vendor = changing(server, reword)
  const text = JSON.stringify(await server.call(`IssueTracker.${tool}`, args))
  if (['GetIssue', 'ListIssues', 'GetProject'].includes(tool)) expect(text).toContain('"priority":"9"')
  if (tool === 'ListInitiatives') expect(text).toContain('"status":"BrandNew"')
  if (tool === 'ListProjects') expect(text).toContain('"state":"brandNew"')
})

test.for(shareOf(calls, 12, 0))('%s leaves out any field that Linear no longer knows, says so, and remembers it', async ([tool, args]) => {
  await using server = await misbehaving({}, forExamples)
  let asked: string[] = []
  const vendorWithout = async (...fields: string[]) => unknowing(server, fields, (names) => void (asked = names))
  server.vendor = await vendorWithout()
  await server.call(`IssueTracker.${tool}`, args)
  const [root = ''] = asked
  const isOptional = (each: string) => !each.startsWith('Query.') && !essential.has(nameIn(each))
  // A field comes after its parts.
  for (const each of [...new Set(asked.toReversed())].filter(isOptional)) {
    // Removing a record's only field removes the record too.
    if (!asked.includes(each)) continue
    server.vendor = await vendorWithout(each)
    for (const requests of [2, 1]) {
      const before = server.requests()
      const { notices } = await server.call(`IssueTracker.${tool}`, args)
      const [type, field] = each.split('.')
      expect(notices).toContain(`Linear no longer knows ${field} of ${type}; it is left out.`)
      expect(server.requests() - before, each).toBe(requests)
    }
  }
  server.vendor = await vendorWithout(root)
  const before = server.requests()
  expect((await server.fails(`IssueTracker.${tool}`, args)).message).toContain(`Cannot query field \\"${nameIn(root)}\\"`)
  expect(server.requests() - before).toBe(1)
})

const nameIn = (field: string) => field.replace(/^.*\./, '')
