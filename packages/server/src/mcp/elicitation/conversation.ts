import type { InputRequiredResult } from '@modelcontextprotocol/server'
import type { Answer } from '../answers/answer.ts'
import type { CallOptions } from '../call.ts'
import type { ListedTool } from '../definition.ts'
import type { Arguments } from './form.ts'

/**
 * The next step for a call: run it with these arguments, or return this answer. `waitedMs` is the time that the call has waited for the
 * person.
 */
type CallStep = { readonly args: Arguments; readonly waitedMs: number } | { readonly answer: Answer | InputRequiredResult }

/** The conversation with a person about one call. */
export interface Conversation {
  /** The first step. Throws the SDK's error for a state that this server did not sign. */
  readonly start: () => Promise<CallStep>
  /** The step after an answer. */
  readonly next: (answer: Answer) => Promise<CallStep>
}

interface ConversedCall extends CallOptions {
  readonly tool: ListedTool
  readonly invoke: (tool: ListedTool, args: unknown, options: CallOptions) => Promise<Answer>
  /** Receives the arguments that the call is made with. */
  readonly onArguments?: ((args: Arguments) => void) | undefined
}

/** Makes a call as many times as its conversation requires. */
export async function converse(
  { start, next }: Conversation,
  { tool, invoke, onArguments, waitedMs = 0, ...options }: ConversedCall,
): Promise<Answer | InputRequiredResult> {
  let step = await start()
  while ('args' in step) {
    onArguments?.(step.args)
    step = await next(await invoke(tool, step.args, { ...options, waitedMs: waitedMs + step.waitedMs }))
  }
  return step.answer
}
