import { amended, Forbidden, NotFound, type NextStep, type ToolError } from '@mcp-toolkits/core'

/** The tool that lets the person choose files and so grant them; the one place that says so. */
const step: NextStep = { tool: 'FileStorage.GenerateFilePickerUrl' }

/** An error about something that is missing or not permitted, pointing to the file picker; every other one as it is. */
export function pointingToPicker(error: ToolError): ToolError {
  if (!(error instanceof NotFound || error instanceof Forbidden)) return error
  return amended(error, error.message, { ...error.details, next: { ...step, ...error.details.next } })
}
