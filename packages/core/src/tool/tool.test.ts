import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { withContent, withUrlElicitation } from './tool-result.ts'
import { Forbidden, InvalidInput, type ToolError, Unavailable } from '../errors/errors.ts'
import { manualCall } from '../../test/manual-clock.ts'
import { sentence } from '../errors/message.ts'
import { toolkit, type Effect } from './tool.ts'

interface Context {
  readonly received: unknown[]
}

const defineTool = toolkit<Context, 'read' | 'write'>()

const input = z.strictObject({
  name: z.string(),
  note: z.string().optional(),
  limit: z.int().default(20),
  nested: z.object({ inner: z.string().nullable() }).optional(),
})

const described = {
  name: 'Echo',
  title: 'Echo',
  description: 'Says it again.',
  scopes: ['read'],
  input,
  output: z.object({}),
  example: { name: 'Ada' },
} as const

const echo = (effect: Effect, more: { writes?: (args: z.output<typeof input>) => boolean; destructive?: boolean } = {}) =>
  defineTool({
    ...described,
    effect,
    ...more,
    run: (args, { received }) => {
      received.push(args)
      return Promise.resolve({})
    },
  })

async function received(args: unknown): Promise<unknown> {
  const context: Context = { received: [] }
  await echo('read').execute(args, context, manualCall())
  return context.received[0]
}

describe('the arguments of a tool', () => {
  it('are checked and completed before it runs', async () => {
    expect(await received({ name: 'a' })).toEqual({ name: 'a', limit: 20 })
  })

  it('count as absent when they are null', async () => {
    expect(await received({ name: 'a', note: null, limit: null, nested: null })).toStrictEqual({ name: 'a', limit: 20 })
    await expect(received({ name: null })).rejects.toThrow('"name" is required.')
  })

  it('keep a null inside an argument', async () => {
    expect(await received({ name: 'a', nested: { inner: null } })).toEqual({ name: 'a', limit: 20, nested: { inner: null } })
  })

  it('may be absent altogether when none is required', async () => {
    const tool = defineTool({
      ...described,
      effect: 'read',
      input: z.strictObject({ note: z.string().optional() }),
      example: {},
      run: () => Promise.resolve({}),
    })
    for (const args of [undefined, null, {}]) expect((await tool.execute(args, { received: [] }, manualCall())).data).toEqual({})
  })

  it.each([[[]], [[{ name: 'a' }]], ['name'], [7], [true]])(
    'are refused if they are not an object (%j), and the tool does not run',
    async (args) => {
      const context: Context = { received: [] }
      const answer = echo('read').execute(args, context, manualCall())
      await expect(answer).rejects.toBeInstanceOf(InvalidInput)
      await expect(answer).rejects.toThrow('The arguments must be one JSON object. Expected: name, note, limit, nested.')
      expect(context.received).toHaveLength(0)
    },
  )
})

describe('read-only', () => {
  it.each([
    ['read', true],
    ['create', false],
    ['update', false],
    ['delete', false],
  ] as const)('allows the effect %s: %s', async (effect, allowed) => {
    const context: Context = { received: [] }
    const outcome = echo(effect).execute({ name: 'a' }, context, manualCall({ readOnly: true }))
    if (allowed) expect(await outcome).toEqual({ data: {}, isWrite: false })
    else await expect(outcome).rejects.toThrow(Forbidden)
    expect(context.received).toHaveLength(allowed ? 1 : 0)
    expect(echo(effect).canRead).toBe(allowed)
  })

  it('lists and allows a tool that writes only with some arguments', async () => {
    const context: Context = { received: [] }
    const tool = echo('update', { writes: ({ note }) => note !== undefined })
    expect(tool.canRead).toBe(true)
    expect(await tool.execute({ name: 'a', note: null }, context, manualCall({ readOnly: true }))).toMatchObject({ isWrite: false })
    await expect(tool.execute({ name: 'a', note: 'b' }, context, manualCall({ readOnly: true }))).rejects.toThrow('--read-only')
    expect(context.received).toHaveLength(1)
    expect(await tool.execute({ name: 'a', note: 'b' }, context, manualCall())).toMatchObject({ isWrite: true })
  })

  it('reports invalid arguments first', async () => {
    await expect(echo('create').execute({}, { received: [] }, manualCall({ readOnly: true }))).rejects.toThrow(InvalidInput)
  })
})

describe('a result', () => {
  it.each([
    ['read', false],
    ['create', true],
    ['update', true],
    ['delete', true],
  ] as const)('of a tool with the effect %s is marked as written: %s', async (effect, isWrite) => {
    expect(await echo(effect).execute({ name: 'a' }, { received: [] }, manualCall())).toEqual({ data: {}, isWrite })
  })

  it('passes on what the tool throws', async () => {
    const reason = new Error('broken')
    const tool = defineTool({ ...described, effect: 'read', run: () => Promise.reject(reason) })
    await expect(tool.execute({ name: 'a' }, { received: [] }, manualCall())).rejects.toBe(reason)
  })
})

describe('an error of a write that may have arrived', () => {
  const failing = (effect: Effect, error: ToolError) => defineTool({ ...described, effect, run: () => Promise.reject(error) })
  const broken = new Unavailable('The connection broke off.', { sent: 'maybe' })

  it('says so, and that the call may be repeated', async () => {
    await expect(failing('create', broken).execute({ name: 'a' }, { received: [] }, manualCall())).rejects.toMatchObject({
      code: 'unavailable',
      message:
        'The connection broke off. It is not known whether this took effect. Make the identical call again within ten minutes: any process of this server can continue this call, and nothing is created twice.',
    })
  })

  it('advises no repeat if the call was refused after a lost answer', async () => {
    const refused = new Forbidden('Not allowed.', { sent: 'maybe' })
    await expect(failing('update', refused).execute({ name: 'a' }, { received: [] }, manualCall())).rejects.toMatchObject({
      message: 'Not allowed. It is not known whether this took effect.',
    })
  })

  it('is unchanged for a call that only reads, or if nothing was sent', async () => {
    await expect(failing('read', broken).execute({ name: 'a' }, { received: [] }, manualCall())).rejects.toBe(broken)
    const refused = new Unavailable('It was not reached.', { sent: 'no' })
    await expect(failing('create', refused).execute({ name: 'a' }, { received: [] }, manualCall())).rejects.toBe(refused)
  })
})

describe('destructive', () => {
  it('follows from the effect unless the tool sets it', () => {
    expect(['read', 'create', 'update', 'delete'].map((effect) => Effects.parse(effect)).map((effect) => echo(effect).destructive)).toEqual(
      [false, false, false, true],
    )
    expect([echo('create', { destructive: true }).destructive, echo('delete', { destructive: false }).destructive]).toEqual([true, false])
  })
})

const Effects = z.enum(['read', 'create', 'update', 'delete'])

describe('user content', () => {
  it('is returned alongside the data', async () => {
    const content = { uri: 'shelf:///a', mimeType: 'text/plain', bytes: Buffer.from('a') }
    const output = z.object({ size: z.int() })
    const tool = defineTool({ ...described, effect: 'read', output, run: () => Promise.resolve(withContent({ size: 1 }, content)) })
    expect(await tool.execute({ name: 'x' }, { received: [] }, manualCall())).toEqual({ data: { size: 1 }, content, isWrite: false })
  })

  it('may be a page for the person to open', async () => {
    const page = { url: 'https://acme.example/pick', message: 'Choose files.' }
    const run = () => Promise.resolve(withUrlElicitation({ size: 1 }, page))
    const tool = defineTool({ ...described, effect: 'read', output: z.object({ size: z.int() }), run })
    expect(await tool.execute({ name: 'x' }, { received: [] }, manualCall())).toEqual({
      data: { size: 1 },
      urlElicitation: page,
      isWrite: false,
    })
  })
})

it('a call passes on the notices that were given, in order', async () => {
  const notices = ['Read.', sentence`${{ tool: 'Acme.List' }} lists them.`, 'Read.']
  const tool = defineTool({
    ...described,
    effect: 'read',
    run: (_args, _context, call) => {
      notices.forEach(call.notice)
      return Promise.resolve({})
    },
  })
  for (let time = 0; time < 2; time += 1)
    expect(await tool.execute({ name: 'x' }, { received: [] }, manualCall())).toEqual({ data: {}, isWrite: false, notices })
})
