import { existsSync } from 'node:fs'
import { dataPath, type PeopleState, systemClock } from '@mcp-toolkits/core/base'
import { quote } from '@mcp-toolkits/core/errors'
import type { PostgresStore, SealedRows } from '../postgres/index.ts'
import type { TeamServer } from '../team-server.ts'
import { type CommandLine, UsageError } from '@mcp-toolkits/server/cli'
import { explainFailure, readKeys, readStoreOptions } from './with-store.ts'

type HostedServer = Pick<TeamServer<never>, 'name' | 'sealedColumns'>
type StoreLine = Pick<CommandLine, 'store' | 'settings'>

/** A server's people, in either kind of storage. */
export interface OpenPeople {
  readonly state: PeopleState
  /** State shared by replicas; absent on one machine. */
  readonly shared?: PostgresStore
  readonly sealedRows: () => Promise<SealedRows>
  readonly close: () => Promise<void>
}

/**
 * Opens the people in the database of `--store`, or else in the data directory's `team.db`, which is created if missing. Throws
 * `UsageError` for invalid options, and `Unavailable` for a database that is unusable or that the keys do not decrypt.
 */
export async function openPeople(definition: HostedServer, line: StoreLine): Promise<OpenPeople> {
  const throwFailure = (error: unknown) => {
    throw explainFailure(error)
  }
  if (line.store !== undefined) {
    const options = readStoreOptions(definition.name, line)
    const { openSharedStore } = await import('../postgres/index.ts')
    const shared = await openSharedStore({ ...options, clock: systemClock }).catch(throwFailure)
    const sealedRows = async () => shared.sealedRows((await definition.sealedColumns?.(shared)) ?? [])
    return { state: shared, shared, sealedRows, close: shared.close }
  }
  const keys = readKeys(line.settings.environment, 'A server for many people')
  const operationsFile = dataPath(line.settings.dataDirectory, definition.name, 'calls.db')
  const { openPeopleFile } = await import('../vault/people-file.ts')
  const file = await openPeopleFile({ file: peopleFile(definition, line), keys, clock: systemClock, operationsFile }).catch(throwFailure)
  return { state: file, sealedRows: () => Promise.resolve(file.sealedRows), close: file.close }
}

/** Runs a command with existing people. */
export async function withPeople<Result>(
  definition: HostedServer,
  line: StoreLine,
  work: (people: OpenPeople) => Promise<Result>,
): Promise<Result> {
  const file = peopleFile(definition, line)
  if (line.store === undefined && !existsSync(file)) {
    throw new UsageError(
      `No server for many people has run here: ${quote(file, 300)} does not exist. Name its database with --store, or its data directory with --data-dir.`,
    )
  }
  const people = await openPeople(definition, line)
  try {
    return await work(people)
  } finally {
    await people.close()
  }
}

/** The path of the people file, for a server without a database. */
export const peopleFile = ({ name }: HostedServer, { settings }: StoreLine) => dataPath(settings.dataDirectory, name, 'team.db')
