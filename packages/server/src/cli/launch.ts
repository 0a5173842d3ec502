import module from 'node:module'
import type { HostedServer } from '../team.ts'

const minNodeVersion = [22, 19] as const

/**
 * Starts a server's command. Runs before anything else is loaded, so that an old Node gets one clear line instead of a syntax error, and
 * the compile cache is on before the first module worth caching.
 */
export async function launch<Context>(name: string, load: () => Promise<HostedServer<Context>>): Promise<void> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < minNodeVersion[0] || (major === minNodeVersion[0] && minor < minNodeVersion[1])) {
    process.stderr.write(
      `${name} needs Node ${minNodeVersion.join('.')} or later, and this is ${process.versions.node}: see https://nodejs.org/en/download\n`,
    )
    process.exitCode = 1
    return
  }
  // Our own listener keeps Node from opening a debugger, through which any user of the machine could read the keys.
  process.on('SIGUSR1', () => undefined)
  module.enableCompileCache()
  const [{ runCli }, definition] = await Promise.all([import('./cli.ts'), load()])
  const { stdin: input, stdout: output, stderr: errors, argv } = process
  // A reader that leaves early (`| head`, or a client that closes the log) must not end calls.
  for (const stream of [output, errors]) stream.on('error', () => undefined)
  const code = await runCli(definition, argv.slice(2), {
    input,
    output,
    errors,
    // All code gets the environment from here, except OpenTelemetry, which reads its variables itself.
    environment: process.env,
    program: argv[1] ?? '',
    // Node writes the cache on exit, but a client may kill a server, and another client may start one meanwhile.
    onListed: () => {
      module.flushCompileCache()
    },
    onSignal: (stop) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop)
    },
  })
  process.exit(code)
}
