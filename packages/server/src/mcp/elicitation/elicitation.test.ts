import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, expect, it } from 'vitest'
import { settings } from '../../../test/stdio/echo-server.ts'
import { elicitation, type ElicitationOptions } from './elicitation.ts'
import { chooses, connectClient, routes, type Person, type Route } from '../../../test/elicitation/client.ts'
import { PostOffice, postServer, postToolbox } from '../../../test/elicitation/post-server.ts'

const letter = { to: 'Anna Berg' }
const tie =
  '"Anna Berg" (to) is the name of more than one person: "Anna Berg" (anna@acme.example), "Anna Berg" (a.berg@acme.example). Give the id of the one that is meant.'
const refusal = {
  isError: true,
  content: [
    {
      type: 'text',
      text: JSON.stringify({
        error: {
          code: 'ambiguous',
          message: tie,
          retryable: false,
          suggestions: [
            { value: 'Anna Berg', id: 'anna-1', parameter: 'to', confidence: 1 },
            { value: 'Anna Berg', id: 'anna-2', parameter: 'to', confidence: 1 },
          ],
        },
      }),
    },
  ],
}
const second = chooses({ to: 'anna-2' })

/** Resolves once the signal is aborted. */
async function end(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  signal.addEventListener('abort', () => {
    resolve(undefined)
  })
  if (!signal.aborted) await promise
}

/** A client from 2025 that answers questions with `result`, whatever the person says. */
function answering(result: unknown): Route {
  const route = routes.legacyStdio
  return {
    ...route,
    connect(definition, toolbox) {
      const connected = route.connect(definition, toolbox)
      const { transport } = connected
      const send = transport.send.bind(transport)
      transport.send = (message, options) => send('result' in message ? Object.assign({}, message, { result }) : message, options)
      return connected
    },
  }
}

const asking = [
  ['a client of 2026-07-28 over stdio', routes.modernStdio],
  ['a client of 2026-07-28 over HTTP', routes.modernHttp],
  ['a client of 2025-11-25 over stdio', routes.legacyStdio],
] as const

describe.each(asking)('%s', (_, way) => {
  it('asks its person, and the call succeeds with the selection', async () => {
    await using at = await connectClient(way, { person: second })
    const { structuredContent, isError } = await at.call('SendLetter', letter)
    expect({ structuredContent, isError }).toEqual({ structuredContent: { to: 'anna-2', copies: [] }, isError: undefined })
    expect(at.postOffice).toEqual({ runs: 2, sent: [{ to: 'anna-2', copies: [] }] })
    expect(at.received()).toContain('requestedSchema')
    expect(at.forms).toMatchObject([
      {
        message:
          '"Send a letter" was called, and "Anna Berg" matches more than one person. Choose what is meant. If you decline, nothing is done.',
        requestedSchema: {
          type: 'object',
          properties: {
            to: {
              type: 'string',
              title: 'Which person is "Anna Berg"?',
              description: 'The call gives it as to.',
              oneOf: [
                { const: 'anna-1', title: 'Anna Berg (anna@acme.example)' },
                { const: 'anna-2', title: 'Anna Berg (a.berg@acme.example)' },
              ],
            },
          },
          required: ['to'],
        },
      },
    ])
  })

  it('takes the word of a caller whose client cannot ask', async () => {
    await using at = await connectClient(way)
    expect(await at.call('BurnLetter', { to: 'Ada' })).toMatchObject({ isError: true })
    expect(await at.call('BurnLetter', { to: 'Ada', confirm: true })).toMatchObject({ structuredContent: { burnt: 'Ada' } })
  })

  it.each<[string, Person]>([
    ['declines', () => ({ action: 'decline' })],
    ['cancels', () => ({ action: 'cancel' })],
    ['declines with the form filled in', () => ({ action: 'decline', content: { to: 'anna-2' } })],
    ['answers with what was not offered', chooses({ to: 'carla' })],
    ['answers another question', chooses({ from: 'anna-1' })],
    ['answers nothing', () => ({ action: 'accept' })],
  ])('gets the error with its suggestions when the person %s', async (_, person) => {
    await using at = await connectClient(way, { person })
    expect(await at.call('SendLetter', letter)).toMatchObject(refusal)
    expect(at.forms).toHaveLength(1)
    expect(at.postOffice).toEqual({ runs: 1, sent: [] })
  })

  it('gets the error with its suggestions when the person takes too long', async () => {
    // A client from 2025 is told that the server no longer waits; one from 2026 comes back by itself, but too late.
    const withdrawn = Promise.withResolvers<undefined>()
    const person: Person = async (form, { signal }) => {
      if (way.mode === 'legacy') await end(signal)
      withdrawn.resolve(undefined)
      return second(form, { signal })
    }
    await using at = await connectClient(way, {
      person,
      // For a modern client, time is up before the question is asked.
      settings: { questionSeconds: way.mode === 'legacy' ? 0.001 : -1 },
      clock: new ManualClock(),
    })
    expect(await at.call('SendLetter', letter)).toMatchObject(refusal)
    expect(at.forms).toHaveLength(1)
    expect(at.postOffice).toEqual({ runs: 1, sent: [] })
    await withdrawn.promise
  })

  it('asks for consent, which only the person can give', async () => {
    const agreeing: Person = () => ({ action: 'accept', content: { confirm: true } })
    await using at = await connectClient(way, { person: agreeing })
    expect(await at.call('BurnLetter', { to: 'Ada', confirm: true })).toMatchObject({ structuredContent: { burnt: 'Ada' } })
    expect(at.forms).toMatchObject([
      {
        message: '"Burn a letter" was called. The letter to Ada is burnt. Agree to continue. If you decline, nothing is done.',
        requestedSchema: { properties: { confirm: { type: 'boolean', default: false } }, required: ['confirm'] },
      },
    ])
    expect(at.postOffice.runs).toBe(2)
  })

  it.each<[string, Person]>([
    ['declines', () => ({ action: 'decline' })],
    ['does not agree', () => ({ action: 'accept', content: { confirm: false } })],
    ['leaves the form empty', () => ({ action: 'accept', content: {} })],
  ])('does nothing without consent: the person %s', async (_, person) => {
    await using at = await connectClient(way, { person })
    const { isError, content } = await at.call('BurnLetter', { to: 'Ada', confirm: true })
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).toContain('Nothing was changed. Ask the user')
    expect(at.postOffice.runs).toBe(1)
  })

  it('takes no consent from the caller, however it spells the name', async () => {
    await using at = await connectClient(way, { person: () => ({ action: 'decline' }) })
    const spellings = ['Confirm', 'CONFIRM', '"confirm "', "'confirm'", 'con_firm', 'con-firm', ' confirm', 'Con Firm', 'ｃｏｎｆｉｒｍ']
    for (const name of spellings) expect(await at.call('BurnLetter', { to: 'Ada', [name]: true }), name).toMatchObject({ isError: true })
    const inside = { confirm: true }
    for (const args of [{ to: 'Ada', Confirm: true, confirm: true }, { to: 'Ada', arguments: inside }, { to: { id: 'Ada', ...inside } }])
      expect(await at.call('BurnLetter', args), JSON.stringify(args)).toMatchObject({ isError: true })
    expect(at.forms).toHaveLength(spellings.length + 1)
  })

  it('asks for everything at once, and replaces only the ambiguous elements of a list', async () => {
    await using at = await connectClient(way, { person: chooses({ to_1: 'anna-1', copies_2: 'ben-000002', copies_3: 'anna-2' }) })
    const copies = ['Ben Ode', 'Carla Diaz', 'Anna Berg', 'Ben Ode', 'ben-000001']
    const { structuredContent } = await at.call('SendLetter', { ...letter, copies })
    expect(structuredContent).toEqual({ to: 'anna-1', copies: ['ben-000002', 'carla', 'anna-2', 'ben-000002', 'ben-000001'] })
    expect(at.postOffice.runs).toBe(2)
    expect(at.forms).toHaveLength(1)
    expect(at.forms[0]?.requestedSchema.required).toEqual(['to_1', 'copies_2', 'copies_3'])
    expect(at.forms[0]?.requestedSchema.properties['copies_2']).toMatchObject({
      oneOf: [{ title: 'Ben Ode (…000001)' }, { title: 'Ben Ode (…000002)' }],
    })
  })

  it('asks again when the first answer reveals another question, and uses both answers', async () => {
    await using at = await connectClient(way, { person: chooses({ to: 'anna-2', box: 'south' }) })
    const { structuredContent } = await at.call('SendLetter', { ...letter, box: 'Station' })
    expect(structuredContent).toEqual({ to: 'anna-2', copies: [], box: 'south' })
    expect(at.forms.map(({ message }) => message)).toEqual([
      '"Send a letter" was called, and "Anna Berg" matches more than one person. Choose what is meant. If you decline, nothing is done.',
      '"Send a letter" was called, and "Station" matches more than one letter box. Choose what is meant. If you decline, nothing is done.',
    ])
    expect(at.postOffice).toEqual({ runs: 3, sent: [structuredContent] })
  })

  it('gets the second error when the person stops after the first answer', async () => {
    const person: Person = ({ requestedSchema: { required } }) =>
      required?.[0] === 'box' ? { action: 'decline' } : { action: 'accept', content: { to: 'anna-2' } }
    await using at = await connectClient(way, { person })
    const { content } = await at.call('SendLetter', { ...letter, box: 'Station' })
    expect(JSON.stringify(content)).toContain('is the name of more than one letter box')
    expect(at.postOffice).toEqual({ runs: 2, sent: [] })
  })

  it('asks three times at most', async () => {
    await using at = await connectClient(way, { person: second })
    expect(await at.call('Hesitate', letter)).toMatchObject(refusal)
    expect(at.forms).toHaveLength(3)
    expect(at.postOffice.runs).toBe(4)
  })

  it('does not ask when an answer would not be enough', async () => {
    await using at = await connectClient(way, { person: second })
    const { content } = await at.call('SendLetter', { ...letter, copies: ['Nobody at all'] })
    expect(JSON.stringify(content)).toContain(String.raw`{\"error\":{\"code\":\"invalid_input\"`)
    expect(at.forms).toEqual([])
  })

  it('does not ask when the write is refused anyway', async () => {
    await using at = await connectClient(way, { person: second, settings: { readOnly: true } })
    await expect(at.call('SendLetter', letter)).rejects.toThrow('Unknown tool')
    expect(at.forms).toEqual([])
    expect(at.postOffice.runs).toBe(0)
  })

  it('is not asked if the operator has turned questions off', async () => {
    await using at = await connectClient(way, { person: second, visitor: 'accept', settings: { questionSeconds: 0 } })
    expect(await at.call('SendLetter', letter)).toMatchObject(refusal)
    const opened = await at.call('OpenBox', { box: 'north' })
    expect(opened.structuredContent).toEqual({ url: 'https://post.example/boxes/north?run=2' })
    expect([at.forms, at.visits]).toEqual([[], []])
    expect(at.received()).not.toMatch(/requestedSchema|elicitation/)
  })

  it.each([
    ['declared nothing', undefined],
    ['only opens addresses', { elicitation: { url: {} } }],
  ])('is not asked when it %s', async (_, capabilities) => {
    await using at = await connectClient(way, { ...(capabilities && { capabilities, person: second }) })
    expect(await at.call('SendLetter', letter)).toMatchObject(refusal)
    expect(at.received()).not.toContain('requestedSchema')
    expect(at.postOffice).toEqual({ runs: 1, sent: [] })
  })

  it('is asked when it declared no mode', async () => {
    await using at = await connectClient(way, { capabilities: { elicitation: {} }, person: second })
    expect((await at.call('SendLetter', letter)).structuredContent).toMatchObject({ to: 'anna-2' })
  })
})

describe('a client of 2025', () => {
  it('is not asked over HTTP, where no question can reach it', async () => {
    await using at = await connectClient(routes.legacyHttp, { person: second })
    expect(await at.call('SendLetter', letter)).toMatchObject(refusal)
    expect(at.received()).not.toContain('requestedSchema')
  })

  it.each([null, 'yes', [], {}, { action: 'perhaps' }, { action: 'accept', content: null }])(
    'that answers %j gets the error with its suggestions at once',
    async (answer) => {
      await using at = await connectClient(answering(answer), { person: second })
      expect(await at.call('SendLetter', letter)).toMatchObject(refusal)
      expect(at.forms).toHaveLength(1)
      expect(await at.call('SendLetter', { to: 'carla' })).toMatchObject({ structuredContent: { to: 'carla' } })
    },
  )

  it.each<[string, Pick<ElicitationOptions, 'questionSeconds' | 'timeoutMs'>, number[]]>([
    ['45 seconds', {}, [45_000, 25_000, 5_000]],
    ['the time of the server, where that is less', { timeoutMs: 30_000 }, [30_000, 10_000]],
    ['the time that the operator chose', { questionSeconds: 90, timeoutMs: 30_000 }, [90_000, 70_000, 50_000]],
  ])('is asked for %s at most in all', async (_, limits, expected) => {
    const clock = new ManualClock()
    const toolbox = postToolbox(postServer(new PostOffice()), settings)
    const tool = toolbox.listing.find('Post_Hesitate')
    if (!tool) throw new Error('It is listed.')
    const { signal } = new AbortController()
    const timeouts: number[] = []
    const mcpReq = {
      signal,
      notify: () => Promise.resolve(),
      async send(_request: unknown, { timeout }: { readonly timeout: number }) {
        timeouts.push(timeout)
        await clock.advance(20_000)
        return { action: 'accept' as const, content: { to: 'anna-2' } }
      },
    }
    const client = { getClientCapabilities: () => ({ elicitation: {} }), getNegotiatedProtocolVersion: () => '2025-11-25' }
    const conversation = elicitation({ ...limits, clock }).viaServerRequest({ tool, args: letter }, { mcpReq }, client)
    let step = await conversation.start()
    while ('args' in step) step = await conversation.next(await toolbox.invoke(tool, step.args, { signal }))
    expect(step.answer).toMatchObject({ ok: false })
    expect(timeouts).toEqual(expected)
    await toolbox.close()
  })

  it('of 2025-06-18 reads titles in their earlier form', async () => {
    await using at = await connectClient({ ...routes.legacyStdio, supportedProtocolVersions: ['2025-06-18'] }, { person: second })
    expect((await at.call('SendLetter', letter)).structuredContent).toMatchObject({ to: 'anna-2' })
    const field = at.forms[0]?.requestedSchema.properties['to']
    expect(field).toMatchObject({
      enum: ['anna-1', 'anna-2'],
      enumNames: ['Anna Berg (anna@acme.example)', 'Anna Berg (a.berg@acme.example)'],
    })
    expect(field).not.toHaveProperty('oneOf')
  })

  it('that cancels the call withdraws the question', async () => {
    const gone = new AbortController()
    const withdrawn = Promise.withResolvers<undefined>()
    const person: Person = async (_form, { signal }) => {
      gone.abort()
      await end(signal)
      withdrawn.resolve(undefined)
      return { action: 'accept', content: { to: 'anna-1' } }
    }
    await using at = await connectClient(routes.legacyStdio, { person })
    await expect(at.call('SendLetter', letter, gone.signal)).rejects.toThrow()
    await withdrawn.promise
    expect(at.postOffice).toEqual({ runs: 1, sent: [] })
  })

  it('that closes the connection ends the question too, and the call is answered at once', async () => {
    const shown = Promise.withResolvers<undefined>()
    const person: Person = async (_form, { signal }) => {
      shown.resolve(undefined)
      await end(signal)
      return { action: 'cancel' }
    }
    await using at = await connectClient(routes.legacyStdio, { person })
    const answered = at.call('SendLetter', letter)
    await shown.promise
    await at.call('SendLetter', { to: 'carla' })
    at.endInput()
    expect(await answered).toMatchObject(refusal)
    expect(at.postOffice).toEqual({ runs: 2, sent: [{ to: 'carla', copies: [] }] })
  })
})
