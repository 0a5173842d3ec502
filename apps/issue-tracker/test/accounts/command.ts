import path from 'node:path'
import { run as runProgram, start, type Finished, type ProgramEnvironment, type Running } from '@mcp-toolkits/testing'

export const main = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts')

/** Starts the server's command. */
export function startCommand(args: readonly string[], environment: ProgramEnvironment): Running {
  return start([main, ...args], environment)
}

/** Runs the server's command to its end. */
export async function run(args: readonly string[], environment: ProgramEnvironment): Promise<Finished> {
  return runProgram([main, ...args], environment)
}
