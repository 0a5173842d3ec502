import { execFile } from 'node:child_process'
import { chownSync, copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort, startDaemon, unprivilegedAccount } from '@mcp-toolkits/testing/postgres'
import type { ComposeService } from './compose-file.ts'

export interface NativeDatabase extends AsyncDisposable {
  readonly port: number
  /** The directory of PostgreSQL's programs. */
  readonly programs: string
}

/**
 * Prepares a database like the entry point of the PostgreSQL image, and runs the command of a service. `passwordFile` is the mounted
 * secret.
 */
export async function startDatabase({ command, environment }: ComposeService, passwordFile: string): Promise<NativeDatabase> {
  const { POSTGRES_USER: user = '', POSTGRES_DB: name = '' } = environment
  const [program = '', ...args] = command
  const [version = ''] = readdirSync('/usr/lib/postgresql').toSorted((a, b) => Number(b) - Number(a))
  const programs = `/usr/lib/postgresql/${version}/bin`
  const account = unprivilegedAccount()
  const directory = mkdtempSync(path.join(tmpdir(), 'deploy-database-'))
  const password = path.join(directory, 'password')
  copyFileSync(passwordFile, password)
  if (account) for (const each of [directory, password]) chownSync(each, account.uid, account.gid)
  const data = path.join(directory, 'data')
  const run = (tool: string, words: readonly string[]) =>
    promisify(execFile)(path.join(programs, tool), words, { ...account, cwd: directory })
  await run('initdb', ['-D', data, '-U', user, '-A', 'scram-sha-256', `--pwfile=${password}`, '-E', 'UTF8', '--no-locale', '--no-sync'])
  const port = await freePort()
  // During setup, only the socket's owner can reach the database.
  await promisify(execFile)('sed', ['-i', 's/^local .*scram-sha-256$/local all all trust/', path.join(data, 'pg_hba.conf')])
  const daemon = await startDaemon({
    command: path.join(programs, program),
    args: [...args, '-D', data, '-k', directory, '-h', '127.0.0.1', '-p', `${port}`],
    readyText: 'database system is ready to accept connections',
    directory,
    account,
  })
  await run('createdb', ['-h', directory, '-p', `${port}`, '-U', user, name])
  return {
    port,
    programs,
    async [Symbol.asyncDispose]() {
      await daemon.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
