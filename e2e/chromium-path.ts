import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** The path of Chromium; undefined if it is not installed. */
export const chromiumPath = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .flatMap((directory) => ['chromium', 'chromium-browser'].map((name) => path.join(directory, name)))
  .find(isProgram)

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
