/** From the most to the least serious; `silent` writes nothing. */
export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

export type Log = Readonly<Record<Exclude<LogLevel, 'silent'>, (message: string, fields?: Readonly<Record<string, unknown>>) => void>>

/**
 * JSON lines, one per event. Fields are chosen by us, never a caller's arguments or a vendor's text; whatever still looks like a
 * credential is replaced.
 */
export function jsonLog(level: LogLevel, write: (line: string) => void): Log {
  const at = (wanted: Exclude<LogLevel, 'silent'>) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
    if (logLevels.indexOf(wanted) > logLevels.indexOf(level)) return
    write(`${withoutSecrets(JSON.stringify({ time: new Date().toISOString(), level: wanted, message, ...fields }))}\n`)
  }
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') }
}

function withoutSecrets(line: string): string {
  return line.replace(/\b(Basic|Bearer)\s+[\w.~+/=-]{6,}/gi, '$1 [secret]')
}

/** Where an error was thrown, without its message: messages repeat arguments, and arguments are people's data. */
export function origin(error: unknown): Readonly<Record<string, unknown>> {
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
