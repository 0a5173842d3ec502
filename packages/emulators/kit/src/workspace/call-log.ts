import { integer, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { parseJson } from '../json.ts'
import type { LogEntry } from '../request-log.ts'
import { insertRow, ownTable } from '../tables.ts'

/** A tool call, as reported by the server that handled it. */
export interface ToolCall {
  /** Identifies the call in its requests. */
  readonly id: string
  readonly tool: string
  /** `ok`, `replayed`, or the error code. */
  readonly outcome: string
  /** Duration, in milliseconds. */
  readonly ms: number
  /** Arguments and answer as JSON without secrets; created when stored, so that the call does not wait for them. */
  readonly texts: () => { readonly args: string; readonly answer: string }
}

const columns = { id: integer, at: text, tool: text, outcome: text, ms: integer, args: text, answer: text, requests: text }

/** A call in the log. */
export type LoggedCall = Omit<RowOf<typeof columns>, 'requests'> & {
  /** Ids of the requests sent during the call. */
  readonly requests: readonly number[]
}

export interface CallFilter {
  readonly before: number
  readonly limit: number
  readonly tool?: string | undefined
  /** One of the outcomes, or `failed` for all errors. */
  readonly outcome?: string | undefined
  /** Text to find in the arguments or the answer. */
  readonly search?: string | undefined
}

/** The newest tool calls. A process that dies may lose its latest ones. */
export interface CallLog {
  readonly record: (call: ToolCall) => void
  readonly addRequest: (callId: string, request: LogEntry) => void
  /** Newest first. */
  readonly find: (filter: CallFilter) => LoggedCall[]
  readonly tools: () => string[]
}

const maxCalls = 500
/** Maximum number of characters stored for the arguments, and for the answer. */
const maxText = 16_000
/** Maximum number of requests shown for one call. */
const maxRequests = 100
/** Maximum number of running calls whose requests are remembered. */
const maxRunning = 200
const table = `create table if not exists emulator_calls (
  id integer primary key, at text not null, tool text not null, outcome text not null, ms integer not null,
  args text not null, answer text not null, requests text not null
) strict`

const addresses = /https?:\/\/[^\s"\\]+/g

const cut = (long: string) => (long.length > maxText ? `${long.slice(0, maxText)}… (${long.length} characters in all)` : long)

const numbersIn = (value: unknown): number[] => (Array.isArray(value) ? value.filter(integer) : [])

/** Opens the log, one of the emulator's own tables. Like the request log, it never delays an answer. */
export function openCallLog(store: Store, now: () => number, redactUrl: (url: URL) => URL): CallLog {
  const running = new Map<string, LogEntry[]>()
  const shown = (json: string) =>
    cut(json.replaceAll(addresses, (address) => (URL.canParse(address) ? redactUrl(new URL(address)).href : address)))
  const makeTable = ownTable(store, table)
  const read = <T>(query: () => T): T => {
    makeTable()
    store.flush()
    return query()
  }
  return {
    addRequest(callId, request) {
      const requests = running.get(callId) ?? []
      if (requests.length < maxRequests) running.set(callId, [...requests, request])
      const [oldest] = running.keys()
      if (running.size > maxRunning && oldest !== undefined) running.delete(oldest)
    },
    record({ id, tool, outcome, ms, texts }) {
      const requests = running.get(id) ?? []
      running.delete(id)
      makeTable()
      const at = new Date(now() - ms).toISOString()
      store.defer(() => {
        const { args, answer } = texts()
        const ids = JSON.stringify(requests.map((request) => request.id()))
        const inserted = insertRow(store, 'emulator_calls', {
          ...{ at, tool, outcome, ms: Math.round(ms), args: shown(args), answer: shown(answer), requests: ids },
        })
        store.run('delete from emulator_calls where id <= :oldest', { oldest: inserted - maxCalls })
      })
    },
    find: ({ before, limit, tool = '', outcome = '', search = '' }) =>
      read(() =>
        store.rows(
          columns,
          `select * from emulator_calls where id < :before and (:tool = '' or tool = :tool)
             and (:outcome = '' or outcome = :outcome or (:outcome = 'failed' and outcome not in ('ok', 'replayed')))
             and (:search = '' or instr(lower(tool || args || answer), lower(:search)) > 0)
           order by id desc limit :limit`,
          { before, limit, tool, outcome, search },
        ),
      ).map((row) => ({ ...row, requests: numbersIn(parseJson(row.requests)) })),
    tools: () => read(() => store.rows({ tool: text }, 'select distinct tool from emulator_calls order by tool')).map(({ tool }) => tool),
  }
}
