import { ToolError } from '../src/errors/errors.ts'

/** The tool error that `run` throws. */
export function failure(run: () => unknown): ToolError {
  try {
    run()
  } catch (error) {
    if (error instanceof ToolError) return error
  }
  throw new Error('No tool error was thrown.')
}
