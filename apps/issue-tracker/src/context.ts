import { type Clock, isObject, member } from '@mcp-toolkits/core/base'
import { InvalidInput } from '@mcp-toolkits/core/errors'
import { type CallScope, refusalOf, startOfDay, type Tool, toolkit, type ToolSpec } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import type { LinearCall, LinearClient } from './linear/client.ts'
import type { LinearFiles } from './linear/files.ts'
import { requireOwnWorkspace } from './linear/workspace.ts'
import { withCompletion } from './resolve/refused/completing.ts'
import { readIdentifiers } from './resolve/identifiers.ts'
import { findMissingIssue } from './resolve/not-found.ts'
import { requireKinds, withOtherKind, withSwappedKind } from './resolve/other-kinds.ts'
import { createResolver, type Resolver } from './resolve/resolver.ts'
import { refuseFilters, withoutFilters } from './tools/notices.ts'
import { misplacement } from './vocabulary/misplaced.ts'
import { type TextSender, withTextReferences } from './texts/sending.ts'
import { assigneeNotice, rowsWithoutNulls } from './vocabulary/nulls.ts'
import { addVocabulary } from './vocabulary/parameters.ts'

/** Runs the work of one call at a time, across all accounts and processes. */
export type RelationLock = <Result>(scope: CallScope, work: () => Promise<Result>) => Promise<Result>

/** Facts about the connected person, learned from responses. */
export interface KnownPerson {
  timeZone?: string | undefined
  /** Prefixes that are not team keys, such as "UTF" in "UTF-8", each with the time at which Linear said so. */
  readonly otherKeys: Map<string, number>
}

/** State shared by all calls on a connection. */
export interface Context {
  readonly person: KnownPerson
  readonly linear: LinearClient
  readonly clock: Clock
  readonly withRelationLock: RelationLock
  /** Loaded only for tools that read or write files. */
  readonly files: () => Promise<LinearFiles>
}

/** Context of one tool call. */
export interface ToolContext extends Omit<Context, 'linear'> {
  readonly linear: TextSender
  readonly resolver: Resolver
  /** Start of a day in the person's time zone, for comparison with Linear's times, which are in UTC. */
  readonly startOf: (day: string | undefined) => string | undefined
}

/** Linear's OAuth scopes that tools need. https://linear.app/developers/oauth-2-0-authentication */
export type Scope = 'read' | 'write' | 'issues:create' | 'comments:create' | 'initiative:read' | 'initiative:write'

const define = toolkit<Context, Scope>(({ person }) => person.timeZone)

/** Defines a tool. All requests in a call share one deadline. URLs from other workspaces are rejected. */
export function defineTool<In extends z.ZodObject, Out extends z.ZodObject>(spec: ToolSpec<ToolContext, Scope, In, Out>): Tool<Context> {
  addVocabulary(spec)
  const shape: Readonly<Record<string, unknown>> = spec.input.shape
  /** True for the parameter that names the record to read. Only required parameters do; optional ones filter a list. */
  const isRead = (parameter: string) => {
    const schema = shape[parameter]
    return spec.effect === 'read' && schema instanceof z.ZodType && !schema.safeParse(undefined).success
  }
  const tool = define({
    ...spec,
    async run(args, { linear: client, clock, person, withRelationLock, files }, call) {
      const plain = client.forCall(call.scope, call.notice)
      const isWrite = spec.effect === 'create' || spec.effect === 'update'
      const sender = isWrite ? noticeArchived(plain, call.notice) : plain
      const linear = withTextReferences(sender, { args, notice: call.notice, clock, otherKeys: person.otherKeys })
      await requireOwnWorkspace(linear, args, isRead)
      const context: ToolContext = {
        linear,
        resolver: createResolver(linear, call.notice),
        startOf: (day) => day && startOfDay(day, person.timeZone ?? call.timeZone),
        clock,
        person,
        withRelationLock,
        files,
      }
      requireKinds(spec.name, args)
      const read = await readIdentifiers(linear, args, call.notice)
      const rethrow = async (error: unknown): Promise<never> => {
        throw await withSwappedKind(linear, { tool: spec.name, args: read }, withOtherKind(spec.name, read, error))
      }
      const found = await spec.run(read, context, call).catch(async (error: unknown) => {
        const outcome = await findMissingIssue(linear, read, { error, effect: spec.effect })
        return 'error' in outcome ? rethrow(outcome.error) : spec.run(outcome.args, context, call).catch(rethrow)
      })
      if (spec.effect === 'read') refuseFilters(spec.input.shape, read, found)
      return found
    },
  })
  return {
    ...tool,
    async execute(args, context, call) {
      const misplaced = misplacement(spec, args)
      if (misplaced) throw misplaced
      const given = rowsWithoutNulls(spec.input, args)
      const result = await tool.execute(given.args, context, call).catch(async (error: unknown) => {
        const filtered = withoutFilters(error, spec.input.shape, args)
        if (!(filtered instanceof InvalidInput) || !isObject(args)) throw filtered
        const linear = context.linear.forCall(call.scope, () => undefined)
        const timeZone = context.person.timeZone ?? call.timeZone
        const refuse = async (other: unknown) => misplacement(spec, other) ?? refusalOf(spec, other, { scope: call.scope, timeZone })
        throw await withCompletion(filtered, { spec, written: args, linear, refuse })
      })
      const unassigned = assigneeNotice(spec.effect, args)
      const absent = spec.effect === 'update' ? given.notices : unassigned === undefined ? [] : [unassigned]
      return absent.length === 0 ? result : { ...result, notices: [...(result.notices ?? []), ...absent] }
    },
    isWrite: (args) => tool.isWrite(rowsWithoutNulls(spec.input, args).args),
  }
}

/** Adds a notice about archived issues that a write reads or changes: Linear accepts such a write, but lists omit archived issues. */
function noticeArchived(linear: LinearCall, notice: (text: string) => void): LinearCall {
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > maxDepth) return
    const { identifier, archived_at: archivedAt } = { identifier: member(value, 'identifier'), archived_at: member(value, 'archived_at') }
    if (typeof identifier === 'string' && typeof archivedAt === 'string') notice(`${identifier} is archived; lists do not show it.`)
    for (const each of Object.values(value)) visit(each, depth + 1)
  }
  return {
    ...linear,
    async send(document, variables) {
      const data = await linear.send(document, variables)
      visit(data, 0)
      return data
    },
  }
}

/** Maximum depth at which to look for issues: they can be in a list, in a payload, or in a comment in a payload. */
const maxDepth = 4
