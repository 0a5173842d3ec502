// Makes a mistaken call as an agent would, following `error.next` without thinking, and judges the outcome.
import { isObject, member, stringMember, type JsonObject } from '../../../packages/core/src/base/json.ts'
import type { Arguments, Call, MistakenCall, ServerName } from './cases.ts'
import { openWorld, resultOf, type Reply, type World } from './worlds.ts'

/** Number of times that an agent follows `next` before it gives up. */
const maxRounds = 3

/**
 * `hint`: the next step is a suggestion or a look-up, although the correction was known. `dead end`: there is no next step. `misled`:
 * `next` led to something that was not meant. `silent`: the call itself did something that was not meant, without a notice.
 */
export type Outcome = 'well' | 'hint' | 'dead end' | 'misled' | 'silent' | 'crash'

export interface Judged {
  readonly server: ServerName
  readonly outcome: Outcome
  readonly mistake: MistakenCall
  /** Number of times that `next` was followed. */
  readonly rounds: number
  readonly answer: string
  /** The outcome instead of the wanted one. */
  readonly reason?: string
}

interface Played {
  readonly first: Reply
  readonly last: Reply
  readonly rounds: number
  /** True if the last reply answers a look-up that `next` proposed. */
  readonly isLookup: boolean
  readonly isLoop: boolean
}

/** The outcome of the intended call. */
type Intended = { readonly state: string; readonly result: string } | { readonly failure: string }

/** Replays mistaken calls to one server, whose world is reset after each write. */
export async function replay(server: ServerName, calls: readonly MistakenCall[]): Promise<Judged[]> {
  await using world = await openWorld(server)
  const seed = await world.state()
  const intended = new Map<string, Promise<Intended>>()
  const judged: Judged[] = []
  for (const mistake of calls) {
    const call = 'call' in mistake.intent ? mistake.intent.call : undefined
    const key = JSON.stringify(call)
    if (call && !intended.has(key)) intended.set(key, outcomeOf(world, call))
    judged.push({ server, mistake, ...(await judge(world, mistake, { seed, wanted: await intended.get(key) })) })
  }
  return judged
}

async function outcomeOf(world: World, call: Call): Promise<Intended> {
  if (world.isChanged()) await world.reset()
  const reply = await world.call(call)
  if (reply.kind !== 'result') return { failure: `the intended call fails: ${JSON.stringify(reply.error)}` }
  return { state: await world.state(), result: resultOf(reply.data) }
}

interface Setting {
  readonly seed: string
  readonly wanted: Intended | undefined
}

async function judge(world: World, mistake: MistakenCall, { seed, wanted }: Setting): Promise<Omit<Judged, 'server' | 'mistake'>> {
  if (wanted && 'failure' in wanted) return { outcome: 'crash', rounds: 0, answer: '', reason: wanted.failure }
  if (world.isChanged()) await world.reset()
  const played = await play(world, mistake)
  const state = world.isChanged() ? await world.state() : seed
  const ended = { ...played, isUnchanged: state === seed, isWanted: wanted !== undefined && isWanted(played.last, state, wanted, seed) }
  const [outcome, reason] = judgeEnd(mistake, ended)
  const shown = played.first.kind === 'result' ? played.first.data : played.first.error
  return { outcome, rounds: played.rounds, answer: JSON.stringify(shown).slice(0, 1_000), ...(reason !== undefined && { reason }) }
}

/** True if the outcome is the wanted one: a write is judged by the stored state, a read by its result. */
function isWanted(last: Reply, state: string, wanted: Exclude<Intended, { readonly failure: string }>, seed: string): boolean {
  if (last.kind !== 'result' || state !== wanted.state) return false
  return wanted.state !== seed || resultOf(last.data) === wanted.result
}

/** Makes the call, and follows `next` for at most three rounds. */
async function play(world: World, { tool, args }: Call): Promise<Played> {
  const first = await world.call({ tool, args })
  let call: Call = { tool, args }
  let last = first
  for (let rounds = 0; rounds < maxRounds && last.kind !== 'result'; rounds += 1) {
    const step = stepOf(last, call)
    if (step === undefined) return { first, last, rounds, isLookup: false, isLoop: false }
    if (JSON.stringify(step) === JSON.stringify(call)) return { first, last, rounds, isLookup: false, isLoop: true }
    const isLookup = last.kind === 'error' && isLookupFor(call, step, world)
    const next = await world.call(step)
    if (isLookup) return { first, last: next, rounds: rounds + 1, isLookup, isLoop: false }
    call = step
    last = next
    if (last.kind === 'result') return { first, last, rounds: rounds + 1, isLookup, isLoop: false }
  }
  return { first, last, rounds: last === first ? 0 : maxRounds, isLookup: false, isLoop: false }
}

/** True if a proposed call only looks something up, instead of doing what was asked. */
function isLookupFor(call: Call, step: Call, world: World): boolean {
  if (step.args['mode'] === 'get_request_schema') return call.args['mode'] === 'execute'
  return nameOf(step.tool) !== nameOf(call.tool) && world.isRead(step.tool)
}

const nameOf = (tool: string) => tool.replace(/^\w+?[._]/, '')

/** The call that `next` proposes; undefined if an agent cannot make it. */
function stepOf(reply: Reply, { tool, args }: Call): Call | undefined {
  const next = reply.kind === 'result' ? undefined : member(reply.error, 'next')
  if (!isObject(next)) return undefined
  const otherTool = stringMember(next, 'tool')?.replace('.', '_')
  const { change, arguments: given } = next
  if (isObject(given)) return { tool: otherTool ?? tool, args: given }
  if (isObject(change)) return { tool: otherTool ?? tool, args: changed(args, change) }
  if (otherTool === undefined) return undefined
  // A corrected tool name keeps the arguments; a merely named tool takes none.
  return { tool: otherTool, args: reply.kind === 'protocol error' ? args : {} }
}

const changed = (args: Arguments, change: JsonObject): Arguments =>
  Object.fromEntries(Object.entries({ ...args, ...change }).filter(([, value]) => value !== null))

interface Ended extends Played {
  readonly isUnchanged: boolean
  readonly isWanted: boolean
}

function judgeEnd({ intent }: MistakenCall, end: Ended): readonly [Outcome, reason?: string] {
  const { first, last, rounds, isLookup, isLoop, isUnchanged } = end
  if (isCrash(first) || isCrash(last)) return ['crash', JSON.stringify(last)]
  const succeeded = last.kind === 'result' && !isLookup
  if (succeeded && rounds === 0) return judgeSuccess(intent, end)
  if (succeeded && intent.wanted === 'outcome of' && end.isWanted) return ['well']
  if (succeeded && intent.wanted === 'notice' && (intent.call === undefined || end.isWanted)) return ['well']
  if (succeeded || !isUnchanged) return ['misled', JSON.stringify(last.kind === 'result' ? last.data : last.error).slice(0, 500)]
  if (intent.wanted === 'refusal' || (intent.wanted === 'outcome of' && intent.orRefused)) return ['well']
  if (isLoop) return ['dead end', '`next` proposes the same call']
  const { suggestions, hasWayOn } = wayOn(first)
  if (!hasWayOn && !isLookup) return ['dead end']
  if (intent.wanted === 'candidates') {
    const missing = intent.suggested.filter((each) => !suggestions.some((suggestion) => suggestion.includes(each)))
    return missing.length === 0 ? ['well'] : ['hint', `not suggested: ${missing.join(', ')}`]
  }
  return [intent.wanted === 'outcome of' ? 'hint' : 'well']
}

function judgeSuccess(intent: MistakenCall['intent'], { last, isWanted, isUnchanged }: Ended): readonly [Outcome, reason?: string] {
  const data = last.kind === 'result' ? last.data : {}
  const said = JSON.stringify([data['notice'], data['notices'], data['findings']])
  const result = JSON.stringify(data).slice(0, 500)
  switch (intent.wanted) {
    case 'outcome of':
      if (isWanted) return ['well']
      // An agent that learns that nothing was found, and why, can ask again; but a write cannot be undone.
      return isUnchanged && /\w{3}/.test(said.replaceAll('null', '')) ? ['hint', result] : ['silent', result]
    case 'notice':
      if (!intent.pattern.test(said)) return ['silent', result]
      return intent.call === undefined || isWanted ? ['well'] : ['silent', result]
    case 'candidates':
    case 'refusal':
      return ['silent', result]
  }
}

function wayOn(reply: Reply) {
  const { suggestions, next } = reply.kind === 'result' ? {} : reply.error
  const values = Array.isArray(suggestions) ? suggestions.map((each: unknown) => JSON.stringify(each)) : []
  return { suggestions: values, hasWayOn: values.length > 0 || next !== undefined }
}

function isCrash(reply: Reply): boolean {
  return reply.kind === 'error' && (reply.error['code'] === 'internal' || reply.error['code'] === 'unreadable')
}
