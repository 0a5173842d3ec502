import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endpoints, execution, goodBodies, pipeline, type Pipeline } from './pipeline.ts'

/** The meaning of a value, for a tool that documents True or one that documents 1: strict, permissive, or permissive with a notice. */
type Meaning = 'strict' | 'permissive' | 'notice'

const absent = Symbol('absent')

const table: readonly (readonly [value: unknown, onTrue: Meaning, onOne: Meaning])[] = [
  ['True', 'strict', 'notice'],
  ['true', 'strict', 'notice'],
  ['TRUE', 'strict', 'notice'],
  [' True ', 'strict', 'notice'],
  ["'True'", 'strict', 'notice'],
  ['"True"', 'strict', 'notice'],
  [true, 'strict', 'notice'],
  ['1', 'notice', 'strict'],
  ["'1'", 'notice', 'strict'],
  ['"1"', 'notice', 'strict'],
  [1, 'notice', 'strict'],
  ['01', 'notice', 'notice'],
  ['1.0', 'notice', 'notice'],
  ['yes', 'notice', 'notice'],
  ['on', 'notice', 'notice'],
  ['False', 'permissive', 'permissive'],
  ['0', 'permissive', 'permissive'],
  ['', 'permissive', 'permissive'],
  [absent, 'permissive', 'permissive'],
]

describe.for(endpoints)('$tool', ({ tool, call, parameter, enabling }) => {
  let server: Pipeline
  beforeAll(async () => {
    server = await pipeline()
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test.for(table)('%s', async ([value, onTrue, onOne]) => {
    const before = server.emulator.store.requests().length
    const meaning = enabling === 'True' ? onTrue : onOne
    const result = await server.call(tool, execution(goodBodies[call], value === absent ? {} : { [parameter]: value }))
    expect(result['strict']).toBe(meaning === 'strict')
    expect(
      server.emulator.store
        .requests()
        .slice(before)
        .map(({ strict, status }) => [strict, status]),
    ).toEqual([[meaning === 'strict', 200]])
    const notices = JSON.stringify(result['notices'])
    if (meaning === 'notice') expect(notices).toContain(`Pass \\"${enabling}\\" to enable it`)
    else expect(notices).not.toContain('does not enable')
  })

  test("rejects other tools' strictness parameter and suggests its own", async () => {
    const before = server.emulator.store.requests().length
    const wrong = parameter === 'enable_strict_mode' ? 'enable_strict_validation' : 'enable_strict_mode'
    const error = await server.fails(tool, execution(goodBodies[call], { [wrong]: enabling }))
    expect(error).toMatchObject({ code: 'invalid_input', suggestions: [{ value: parameter }] })
    expect(error.next?.change).toEqual({ [wrong]: null, [parameter]: enabling })
    expect(server.emulator.store.requests().length).toBe(before)
  })

  test.for(['True', '1', true, 1, '"true"', 'yes', 'on'])(
    'suggests its own enabling value for %j, which enables strict validation on some tool, or means to',
    async (value) => {
      const wrong = parameter === 'enable_strict_mode' ? 'enable_strict_validation' : 'enable_strict_mode'
      const args = execution(goodBodies[call], { [wrong]: value })
      const { next } = await server.fails(tool, args)
      expect(next?.change).toEqual({ [wrong]: null, [parameter]: enabling })
      const corrected = Object.fromEntries(Object.entries({ ...args, ...next?.change }).filter(([, each]) => each !== null))
      expect(await server.call(tool, corrected)).toMatchObject({ strict: true })
    },
  )

  test('does not pass on a value that enables strictness in no tool, and keeps one that disables it', async () => {
    const wrong = parameter === 'enable_strict_mode' ? 'enable_strict_validation' : 'enable_strict_mode'
    const odd = await server.fails(tool, execution(goodBodies[call], { [wrong]: 'sometimes' }))
    expect(odd).not.toHaveProperty('next')
    expect(odd.message).toContain(`pass ${parameter} "${enabling}"`)
    const off = await server.fails(tool, execution(goodBodies[call], { [wrong]: 'false' }))
    expect(off.next?.change).toEqual({ [wrong]: null, [parameter]: 'false' })
  })
})

test.for(['yes', 'on', 'true', true, 1])('a correction preserves a request for strictness, written as %j', async (value) => {
  await using server = await pipeline()
  const body = { user_id: 'u1', name: 'Map' }
  const { next } = await server.fails('EventPipelineApi.SendScreenViewEvent', execution(body, { enable_strict_validation: value }))
  expect(next?.change).toEqual({ request_body: '{"userId":"u1","name":"Map"}', enable_strict_validation: '1' })
})

test('passes on the vendor’s 400 and its messages in strict mode, with the findings of the local check', async () => {
  await using server = await pipeline()
  const error = await server.fails('EventPipelineApi.TrackUserEvent', execution({ event: 'X' }, { enable_strict_validation: 'True' }))
  expect(error).toMatchObject({ code: 'invalid_input', http_status: 400, retryable: false })
  expect(error.errors?.length).toBeGreaterThan(0)
  expect(error.message).toContain('needs userId, anonymousId or groupId')
})
