import { type Clock, isObject, systemClock } from '@mcp-toolkits/core/base'
import { printableJson, redact, truncate } from '@mcp-toolkits/core/errors'

/** Maximum length of an entry's text, in code units, and of its lists. */
const maxText = 2_000
const maxItems = 50

/** Levels from the most to the least serious; `silent` writes nothing. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

export type Log = Readonly<Record<Exclude<LogLevel, 'silent'>, (message: string, fields?: Readonly<Record<string, unknown>>) => void>>

/** One log event, with its time in ISO 8601. It never contains a call's arguments, an answer or a credential. */
export interface LogEntry {
  readonly time: string
  readonly level: 'error' | 'warn' | 'info' | 'debug'
  readonly message: string
  readonly [field: string]: unknown
}

/**
 * Writes JSON lines, one per event. Fields never contain a caller's arguments or a vendor's text, and anything that looks like a credential
 * is replaced. `spell` rewrites each message for its reader.
 */
export function jsonLog(level: LogLevel, write: (line: string) => void, spell: (text: string) => string = (text) => text): Log {
  return entryLog(level, (entry) => {
    write(`${printableJson(JSON.stringify({ ...entry, message: spell(entry.message) }))}\n`)
  })
}

/** Like `jsonLog`, but passes on each event as an object. */
export function entryLog(level: LogLevel, onEntry: (entry: LogEntry) => void, clock: Clock = systemClock): Log {
  const at = (entryLevel: LogEntry['level']) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
    if (logLevels.indexOf(entryLevel) > logLevels.indexOf(level)) return
    const safeFields = Object.entries({ message, ...fields }).map(([name, value]) => [redact(name), withoutCredentials(value)] as const)
    onEntry({ time: new Date(clock.now()).toISOString(), level: entryLevel, message: '', ...Object.fromEntries(safeFields) })
  }
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') }
}

/** Replaces known secrets, and text that merely looks like credentials. */
function withoutCredentials(value: unknown): unknown {
  // Cut last, because half a secret would not be recognized.
  if (typeof value === 'string') return truncate(redact(value).replace(/\b(Basic|Bearer)\s+[\w.~+/=-]{6,}/gi, '$1 [secret]'), maxText)
  if (Array.isArray(value)) return value.slice(0, maxItems).map(withoutCredentials)
  if (!isObject(value) || 'toJSON' in value) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [redact(name), withoutCredentials(each)]))
}

/** Place where an error was thrown, without its message: messages can quote arguments, which can be personal data. */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { thrown: typeof error }
  // The stack begins with the message, which may contain lines that look like frames.
  const { message, stack = '' } = error
  const frames = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length).split('\n') : []
  return {
    thrown: error.name,
    stack: frames
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 8)
      .map((line) => line.trim()),
  }
}
