import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Account, freePort, type RunningDaemon, startDaemon, unprivilegedAccount } from './daemon.ts'
import { isCI } from '../runs.ts'

/** A new PostgreSQL server, with a PgBouncer in transaction mode in front of it. */
export interface PostgresServer {
  /** Such as `15.14`. */
  readonly version: string
  /** Connects to the server itself. */
  readonly directUrl: string
  /** Connects through PgBouncer. */
  readonly pooledUrl: string
  /** Stops the server without a checkpoint, as a crash does; every connection breaks. PgBouncer keeps running. */
  readonly crash: () => Promise<void>
  /** Starts it again after a crash, on the same data. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** The reason why PostgreSQL tests cannot run on this machine; undefined if they can. */
export function missingPostgres(): string | undefined {
  const missing = [programs() ? '' : 'postgresql', pgBouncer() === undefined ? 'pgbouncer' : ''].filter((name) => name !== '')
  return missing.length === 0 ? undefined : `These tests need the Debian packages ${missing.join(' and ')}, which are not installed.`
}

/** True if PostgreSQL tests run. Without PostgreSQL they are skipped with a message, or fail in CI. */
export function runsPostgres(): boolean {
  const missing = missingPostgres()
  if (missing !== undefined && !isCI) process.stderr.write(`${missing} They are skipped.\n`)
  return missing === undefined || isCI
}

/** Starts both programs on free local ports. Their data is deleted when they stop or this process dies. */
export async function startPostgres(): Promise<PostgresServer> {
  const [found, bouncer] = [programs(), pgBouncer()]
  if (!found || bouncer === undefined) throw new Error(missingPostgres())
  const account = unprivilegedAccount()
  const directory = mkdtempSync(path.join(tmpdir(), 'postgres-'))
  if (account) chownSync(directory, account.uid, account.gid)
  const data = path.join(directory, 'data')
  const initialize = ['-D', data, '-U', 'tests', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync']
  await promisify(execFile)(path.join(found, 'initdb'), initialize, { ...account, cwd: directory })
  const [port, pooledPort] = [await freePort(), await freePort()]
  const startServer = () =>
    startDaemon({
      command: path.join(found, 'postgres'),
      args: ['-D', data, '-k', directory, '-h', '127.0.0.1', '-p', `${port}`, '-c', 'max_connections=120'],
      readyText: 'database system is ready to accept connections',
      directory,
      account,
    })
  let server = await startServer()
  const pooler = await startPgBouncer(bouncer, { port, pooledPort, directory, account })
  const { stdout } = await promisify(execFile)(path.join(found, 'postgres'), ['--version'])
  return {
    version: /[\d.]+/.exec(stdout)?.[0] ?? stdout,
    directUrl: `postgres://tests@127.0.0.1:${port}/postgres`,
    pooledUrl: `postgres://tests@127.0.0.1:${pooledPort}/postgres`,
    async crash() {
      // An immediate shutdown: https://www.postgresql.org/docs/current/server-shutdown.html
      process.kill(Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT')
      await server.ended
    },
    async restart() {
      server = await startServer()
    },
    async stop() {
      await pooler.stop()
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

interface PgBouncerOptions {
  readonly port: number
  readonly pooledPort: number
  readonly directory: string
  readonly account: Account | undefined
}

/** https://www.pgbouncer.org/config.html */
function startPgBouncer(command: string, { port, pooledPort, directory, account }: PgBouncerOptions): Promise<RunningDaemon> {
  const file = path.join(directory, 'pgbouncer.ini')
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${port} user=tests`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${pooledPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 40',
    'max_client_conn = 400',
    'server_login_retry = 1',
  ]
  writeFileSync(file, `${settings.join('\n')}\n`)
  return startDaemon({ command, args: [file], readyText: 'process up', directory, account })
}

/** The directory with the newest installed PostgreSQL's programs, which Debian does not put in the path. */
function programs(): string | undefined {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).map(Number).filter(Number.isInteger) : []
  return versions
    .toSorted((a, b) => b - a)
    .map((version) => `${root}/${version}/bin`)
    .find((directory) => existsSync(`${directory}/initdb`) && existsSync(`${directory}/postgres`))
}

function pgBouncer(): string | undefined {
  return ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((file) => existsSync(file))
}
