import { connecting } from '../acme.ts'
import type { Clock } from '@mcp-toolkits/core/base'
import { ErrorCollector } from '@mcp-toolkits/core/errors'
import { findMatch, findMatches, type Candidate } from '@mcp-toolkits/core/references'
import { consentParameter, needsConsent, type Tool, toolkit, withUrlElicitation } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { describeTool } from '../describe.ts'
import { defineServer, type ServerDefinition, type Settings } from '../../src/index.ts'
import { jsonLog } from '../../src/mcp/log.ts'
import { nothing, text } from '../stdio/echo-server.ts'
import { openToolbox, type Toolbox } from '../../src/mcp/calls/toolbox.ts'

const people: readonly Candidate[] = [
  { id: 'anna-1', name: 'Anna Berg', email: 'anna@acme.example' },
  { id: 'anna-2', name: 'Anna Berg', email: 'a.berg@acme.example' },
  { id: 'ben-000001', name: 'Ben Ode' },
  { id: 'ben-000002', name: 'Ben Ode' },
  { id: 'carla', name: 'Carla Diaz' },
]

const boxes: readonly Candidate[] = [
  { id: 'north', name: 'Station', parent: 'North' },
  { id: 'south', name: 'Station', parent: 'South' },
]

/** Effects of the tools: a letter is sent once all its recipients are known. */
export class PostOffice {
  runs = 0
  readonly sent: Readonly<Record<string, unknown>>[] = []
}

const defineTool = toolkit<PostOffice, 'none'>()
const asPerson = (parameter: string) => ({ kind: 'person', parameter, autoAccept: false })
const ids = (found: readonly { readonly candidate: Candidate }[]) => found.map(({ candidate }) => candidate.id)

const tools: readonly Tool<PostOffice>[] = [
  defineTool({
    name: 'SendLetter',
    title: 'Send a letter',
    description: 'D',
    effect: 'create',
    scopes: [],
    input: nothing.extend({ to: text, copies: text.array().optional(), box: text.optional() }),
    example: { to: 'Ada' },
    output: nothing.extend({ to: text, copies: text.array(), box: text.optional() }),
    async run(args, office) {
      office.runs += 1
      const attempts = new ErrorCollector()
      const to = attempts.collect(() => findMatch(args.to, people, asPerson('to')))
      const copies = await attempts.collectAsync(findMatches(args.copies ?? [], people, asPerson('copies')))
      attempts.throwIfAny()
      const { box } = args
      const named = box === undefined ? [] : [findMatch(box, boxes, { kind: 'letter box', parameter: 'box', autoAccept: false })]
      const letter = { to: to().candidate.id, copies: ids(copies()), ...(named[0] && { box: named[0].candidate.id }) }
      office.sent.push(letter)
      return letter
    },
  }),
  defineTool({
    name: 'OpenBox',
    title: 'Open a letter box',
    description: 'D',
    effect: 'read',
    scopes: [],
    input: nothing.extend({ box: text }),
    example: { box: '1' },
    output: nothing.extend({ url: text }),
    run({ box }, office) {
      office.runs += 1
      const url = `https://post.example/boxes/${box}?run=${office.runs}`
      return Promise.resolve(withUrlElicitation({ url }, { url, message: `Turn the key of ${box}.` }))
    },
  }),
  defineTool({
    name: 'BurnLetter',
    title: 'Burn a letter',
    description: 'D',
    effect: 'delete',
    scopes: [],
    input: nothing.extend({ to: text, [consentParameter]: z.boolean().default(false) }),
    example: { to: 'Ada' },
    output: nothing.extend({ burnt: text }),
    run({ to, confirm }, office) {
      office.runs += 1
      return confirm ? Promise.resolve({ burnt: to }) : Promise.reject(needsConsent(`The letter to ${to} is burnt.`))
    },
  }),
  defineTool({
    name: 'Hesitate',
    title: 'Hesitate',
    description: 'Never knows who is meant.',
    effect: 'read',
    scopes: [],
    input: nothing.extend({ to: text }),
    example: { to: 'Ada' },
    output: nothing,
    run(_args, office) {
      office.runs += 1
      return Promise.resolve(findMatch('Anna Berg', people, asPerson('to'))).then(() => ({}))
    },
  }),
]

/** A server whose tools take people by name, although some people share a name. */
export function postServer(office: PostOffice): ServerDefinition<PostOffice> {
  return defineServer<PostOffice>({
    name: 'post-office',
    title: 'Post Office',
    version: '1.0.0',
    prefix: 'Post',
    shortName: 'post',
    vendor: 'Nobody',
    instructions: 'Sends letters.',
    connectHint: '',
    listedTools: tools.map((tool) => describeTool(tool)),
    upstream: () => ({ kind: 'vendor', url: 'https://nobody.example' }),
    load: { tools: () => Promise.resolve(tools), connector: connecting(office) },
  })
}

export const silent = jsonLog('silent', () => undefined)

export function postToolbox(definition: ServerDefinition<PostOffice>, settings: Settings, clock?: Clock): Toolbox {
  return openToolbox(definition, settings, { log: silent, ...(clock && { clock }) })
}
