import { Forbidden, NotFound, type NextStep, type ToolError } from '@mcp-toolkits/core'
import { ForbiddenByPolicy, ForbiddenToUser } from './failures.ts'

/** The tool that lets the person choose files and so grant them; the one place that says so. */
const step: NextStep = { tool: 'FileStorage.GenerateFilePickerUrl' }

/**
 * An error about something that is missing or not permitted, pointing to the file picker; every other one as it is, and so one that
 * knows better what to do or that no choice of files mends.
 */
export function pointingToPicker(error: ToolError): ToolError {
  if (error.details.next !== undefined || error instanceof ForbiddenByPolicy) return error
  const details = { ...error.details, next: step }
  if (error instanceof NotFound) return new NotFound(error.message, details)
  if (error instanceof ForbiddenToUser) return new ForbiddenToUser(error.message, details)
  return error instanceof Forbidden ? new Forbidden(error.message, details) : error
}
