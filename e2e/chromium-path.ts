import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** Programs to look for, cheapest first: the shell, which has no window, takes half the processor time. */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser']
const directories = (process.env['PATH'] ?? '').split(path.delimiter)

/** The path of Chromium; undefined if it is not installed. */
export const chromiumPath = programs.flatMap((name) => directories.map((directory) => path.join(directory, name))).find(isProgram)

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
