import type { Console } from './console.ts'

/** What shells report for a command that was interrupted. */
const interruptedCode = 130

/** Runs a command that Ctrl-C ends early and cleanly, and that can end itself in the same way. */
export async function interruptible(
  console: Pick<Console, 'onSignal'>,
  run: (interrupt: AbortController) => Promise<number>,
): Promise<number> {
  const interrupt = new AbortController()
  console.onSignal(() => {
    interrupt.abort(new DOMException('Interrupted.', 'AbortError'))
  })
  try {
    return await run(interrupt)
  } catch (error) {
    if (interrupt.signal.aborted) return interruptedCode
    throw error
  }
}
