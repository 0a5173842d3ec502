import type { HostedServer } from '../../team.ts'
import type { CommandLine, Console } from '../command.ts'

/** Runs one command; resolves with the exit code. */
export type Command = <Context>(definition: HostedServer<Context>, line: CommandLine, console: Console) => Promise<number>
