import { ToolError } from '@mcp-toolkits/core'

/** What a step came to; its failure can wait, to be reported together with others. */
export type Outcome<Result> = { readonly result: Result } | { readonly failure: ToolError }

export function attempt<Result>(step: () => Result): Outcome<Result> {
  try {
    return { result: step() }
  } catch (failure) {
    if (failure instanceof ToolError) return { failure }
    throw failure
  }
}
