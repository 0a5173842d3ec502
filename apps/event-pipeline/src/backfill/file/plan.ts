import { type Clock, raceAbort, withTimeout } from '@mcp-toolkits/core/base'
import { InvalidInput, Unavailable } from '@mcp-toolkits/core/errors'
import type { GuardedFetch } from '@mcp-toolkits/core/upstream'
import { type ReadFile, readFile } from './reading.ts'
import type { Plan, Source } from '../record.ts'
import { openText } from './source.ts'
import { inputUrl } from '../../upstream.ts'

export interface SourceArguments {
  readonly source_url?: string | undefined
  readonly text?: string | undefined
}

/** The source that a call names. Throws unless the call names exactly one. */
export function sourceOf({ source_url: url, text }: SourceArguments, inputFile: string | undefined): Source {
  if ((url === undefined) === (text === undefined)) throw new InvalidInput('Pass either source_url or text. Nothing was sent.')
  if (text !== undefined) return { text }
  if (inputFile !== undefined && url === inputUrl) return { file: inputFile }
  return { url: url ?? '' }
}

/**
 * Times, in milliseconds, after which a check ends: at the next row, and unconditionally. Both are below a call's timeout, so a long file
 * is only partly checked.
 */
const checkMs = 20_000
const maxCheckMs = 24_000

/** Rows between progress reports. */
const reportRows = 1_000

/** The call that requests a check. */
export interface CheckingCall {
  readonly signal: AbortSignal
  readonly progress: (done: number) => void
}

interface CheckOptions extends CheckingCall {
  readonly fetch: GuardedFetch
  readonly clock: Clock
}

/** Reads a file as if to send it, but sends nothing. */
export async function checkFile(plan: Plan, { fetch, clock, signal: given, progress }: CheckOptions): Promise<ReadFile> {
  const started = clock.monotonic()
  const isEnough = (rows: number) => {
    if (rows % reportRows === 0) progress(rows)
    return clock.monotonic() - started > checkMs
  }
  const check = async (signal: AbortSignal) => {
    const source = await openText(plan.source, { fetch, signal })
    return readFile({ plan, source, signal, now: clock.now(), onPart: () => Promise.resolve(), isEnough })
  }
  return withTimeout({ ms: maxCheckMs, reason: tooSlow, signal: given, clock }, ({ signal }) => raceAbort(check(signal), signal))
}

const tooSlow = () =>
  new Unavailable(
    'The file arrives too slowly to be checked. Nothing was sent. Without dry_run it is read in the background, however long that takes.',
  )
