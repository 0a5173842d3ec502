import { systemClock, type Clock } from '@mcp-toolkits/core/clock'

/** From the most to the least serious; `silent` writes nothing. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

export type Log = Readonly<Record<Exclude<LogLevel, 'silent'>, (message: string, fields?: Readonly<Record<string, unknown>>) => void>>

/** One event of the log. It holds no arguments of a call, no answers and no credentials. */
export interface LogEntry {
  /** ISO 8601. */
  readonly time: string
  readonly level: 'error' | 'warn' | 'info' | 'debug'
  readonly message: string
  readonly [field: string]: unknown
}

/**
 * JSON lines, one per event. Fields are chosen by us, never a caller's arguments or a vendor's text; anything that still looks like a
 * credential is replaced.
 */
export function jsonLog(level: LogLevel, write: (line: string) => void): Log {
  return entryLog(level, (entry) => {
    write(`${JSON.stringify(entry)}\n`)
  })
}

/** The same events as values. */
export function entryLog(level: LogLevel, take: (entry: LogEntry) => void, clock: Clock = systemClock): Log {
  const at = (wanted: LogEntry['level']) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
    if (logLevels.indexOf(wanted) > logLevels.indexOf(level)) return
    const said = Object.entries({ message, ...fields }).map(([name, value]) => [name, withoutSecrets(value)] as const)
    take({ time: new Date(clock.now()).toISOString(), level: wanted, message: '', ...Object.fromEntries(said) })
  }
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') }
}

function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/\b(Basic|Bearer)\s+[\w.~+/=-]{6,}/gi, '$1 [secret]')
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutSecrets(each)]))
}

/** Where an error was thrown, without its message: messages repeat arguments, and arguments are personal data. */
export function throwSite(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { thrown: typeof error }
  // The stack begins with the message, whose lines may look like anything.
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
