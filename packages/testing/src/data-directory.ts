import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ManualClock } from '@mcp-toolkits/core/testing'
import type { ServerDefinition } from '@mcp-toolkits/server'
import { expect, onTestFinished, test } from 'vitest'
import { connect, type ConnectedServer } from './connect.ts'
import { runCommand } from './program.ts'

export interface DataDirectoryOptions {
  /** The built-in emulator's database, in the server's folder. */
  readonly database: string
  /** A call that writes to it. */
  readonly write: (server: ConnectedServer) => Promise<unknown>
  /**
   * Calls while another process has the database locked: a write that waits in vain, and a read that works; absent for a server that queues
   * writes.
   */
  readonly whileLocked?: {
    readonly write: (server: ConnectedServer) => Promise<unknown>
    readonly read: (server: ConnectedServer) => Promise<unknown>
  }
}

/** Rules for the data of every built-in emulator: nothing blocks the server, and errors name the file and what is wrong with it. */
export function dataDirectoryContract<Context>(definition: ServerDefinition<Context>, options: DataDirectoryOptions): void {
  const { database, write, whileLocked } = options
  const open = (dataDirectory: string, clock = new ManualClock()) => connect(definition, { embedded: true, dataDirectory, clock })
  const fileIn = (directory: string) => path.join(directory, definition.name, database)
  /** A data directory in which the server has worked. */
  const usedDirectory = async () => {
    const directory = newDirectory()
    await using server = await open(directory)
    await write(server)
    return directory
  }
  /** The error message of a server that cannot use the directory. */
  const problemIn = async (directory: string) => {
    await using server = await open(directory)
    const message = await write(server).then(
      () => 'no error',
      (error: unknown) => String(error),
    )
    expect(message).toMatch(/\\?"code\\?":\\?"unavailable/)
    expect(message).toMatch(/\\?"retryable\\?":false/)
    return message
  }

  if (whileLocked) {
    test('another process that has the data locked neither blocks the server nor prevents reads', async () => {
      const directory = newDirectory()
      const clock = new ManualClock()
      await using server = await open(directory, clock)
      await write(server)
      const other = new DatabaseSync(fileIn(directory))
      other.exec('begin exclusive')
      const started = clock.monotonic()
      const heartbeats = await countHeartbeats(() => whileLocked.write(server))
      expect(clock.monotonic() - started).toBeGreaterThanOrEqual(5_000)
      expect(heartbeats).toBeGreaterThan(100)
      await whileLocked.read(server)
      other.close()
      await write(server)
    })
  }

  test('the error for data of a newer release says so', async () => {
    const directory = await usedDirectory()
    const file = new DatabaseSync(fileIn(directory))
    file.exec('pragma user_version = 99')
    file.close()
    expect(await problemIn(directory)).toContain(`${database} was written by a newer release: its format version is 99`)
  })

  test('the error for damaged data names the file and says what to do', async () => {
    const directory = await usedDirectory()
    writeFileSync(fileIn(directory), 'This is not a database. '.repeat(1_000))
    expect(await problemIn(directory)).toMatch(/is damaged or is not a database\. Stop the servers that use the file, and move it away/)
    rmSync(path.dirname(fileIn(directory)), { recursive: true })
    await using server = await open(directory)
    await write(server)
  })

  test('the data directory may be reached through a symbolic link, but nothing in it may be one', async () => {
    const directory = await usedDirectory()
    const link = path.join(newDirectory(), 'link')
    symlinkSync(directory, link)
    await using server = await open(link)
    await write(server)

    const elsewhere = path.join(newDirectory(), 'elsewhere.db')
    renameSync(fileIn(directory), elsewhere)
    chmodSync(elsewhere, 0o644)
    symlinkSync(elsewhere, fileIn(directory))
    expect(await problemIn(directory)).toContain(`${fileIn(directory)} is a symbolic link`)
    expect(statSync(elsewhere).mode & 0o777).toBe(0o644)

    const folder = path.dirname(fileIn(directory))
    renameSync(folder, path.join(directory, 'moved'))
    symlinkSync(path.join(directory, 'moved'), folder)
    expect(await problemIn(directory)).toContain(`${folder} is a symbolic link`)
  })

  emulatorCommandContract(definition, { usedDirectory, fileIn })
}

interface DataFiles {
  /** Creates a data directory in which the server has worked. */
  readonly usedDirectory: () => Promise<string>
  /** The database in a data directory. */
  readonly fileIn: (directory: string) => string
}

/** The rules for the `emulator` command if it cannot run: one line with the reason and the remedy. */
function emulatorCommandContract<Context>(definition: ServerDefinition<Context>, { usedDirectory, fileIn }: DataFiles): void {
  /** The last line printed by the `emulator` command. */
  const refusal = async (directory: string, options: readonly string[] = []) => {
    const { code, output, errors } = await runCommand(definition, ['emulator', '--data-dir', directory, ...options], {})
    expect([code === 0, output, errors.split('\n').length]).toEqual([false, '', 2])
    return errors
  }

  test('the emulator does not start if a folder is a symbolic link', async () => {
    const directory = await usedDirectory()
    const folder = path.dirname(fileIn(directory))
    renameSync(folder, path.join(directory, 'moved'))
    symlinkSync(path.join(directory, 'moved'), folder)
    expect(await refusal(directory)).toContain(`${folder} is a symbolic link`)
  })

  test('the emulator does not start on damaged data, and says what to do in one line', async () => {
    const directory = await usedDirectory()
    const bytes = readFileSync(fileIn(directory))
    writeFileSync(fileIn(directory), bytes.fill(0xff, 4_096))
    expect(await refusal(directory)).toMatch(/is damaged or is not a database\. Stop the servers that use the file, and move it away/)
  })

  test('the emulator says in one line that its data directory or its port cannot be used', async () => {
    const file = path.join(newDirectory(), 'file')
    writeFileSync(file, '')
    expect(await refusal(file)).toMatch(/Choose another one with --data-dir\.|Check the permissions/)
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    expect(await refusal(newDirectory(), ['--port', `${port}`])).toContain(`127.0.0.1 port ${port} cannot be used (EADDRINUSE)`)
    server.close()
  })
}

function newDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'data-'))
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true })
  })
  return directory
}

/** Counts the turns of the event loop while `work` runs. */
async function countHeartbeats(work: () => Promise<unknown>): Promise<number> {
  let beats = 0
  let isDone = false
  const beat = () => {
    beats += 1
    if (!isDone) setImmediate(beat)
  }
  setImmediate(beat)
  await work()
  isDone = true
  return beats
}
