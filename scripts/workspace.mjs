// Sets up a clone, then runs one task in it on the pinned Node; any Node from 20 on can run this script. turbo.json lists the tasks to
// repeat after each change.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { at, install, installation, root, windows } from './install.mjs'

const isCI = process.env['CI'] === 'true'
/** Path of the pinned Node. On Windows, its bare name would need a shell, which would split JSON in an argument. */
const node = at('node_modules', 'node', 'bin', windows ? 'node.exe' : 'node')
const say = (/** @type {string} */ text) => process.stderr.write(text)

/** The native program of turbo; its wrapper would start another Node. */
function turbo() {
  const wrapper = createRequire(realpathSync(at('node_modules', 'turbo', 'package.json')))
  const system = `${windows ? 'windows' : process.platform}-${process.arch === 'x64' ? '64' : process.arch}`
  return wrapper.resolve(`@turbo/${system}/bin/turbo${windows ? '.exe' : ''}`)
}

/** Puts the pinned Node, the installed programs and turbo's pnpm first on the path, and caches compiled code. */
function environment() {
  const programs = ['.', 'lint', 'scripts', 'lab'].map((folder) => at(folder, 'node_modules', '.bin'))
  return {
    ...process.env,
    PATH: [...programs, installation().pnpm ?? [], process.env['PATH']].flat().join(path.delimiter),
    TURBO_TELEMETRY_DISABLED: '1',
    NODE_COMPILE_CACHE: at('node_modules', '.cache', 'node'),
    // Windows cannot run a script as a program, so linting there lacks the rule that this one adds.
    ...(windows ? {} : { OXLINT_TSGOLINT_PATH: at('lint', 'tsgolint.ts') }),
  }
}

/** @param {string} text @param {number} code @returns {never} */
function exit(text, code) {
  say(`${text}\n`)
  process.exit(code)
}

/** Runs a program on this terminal, and forwards signals. @param {string} command @param {string[]} args @returns {Promise<number>} */
function run(command, ...args) {
  // Only a program given by name needs a shell, which takes the arguments as one line.
  const shell = windows && !path.isAbsolute(command)
  const line = shell ? args.map((arg) => (/[\s"*]/.test(arg) ? `"${arg.replaceAll('"', '\\"')}"` : arg)) : args
  const child = spawn(command, line, { cwd: root, env: environment(), shell, stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal))
  // npm ends on SIGTERM without forwarding it. A new parent shows that npm has ended.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ? 130 : (code ?? 1)))
  })
}

/** Builds what is stale, and shows turbo's output only on failure, because it would mix with the program's. @param {string[]} args */
async function build(...args) {
  const child = spawn(turbo(), ['run', 'build', '--output-logs=errors-only', ...args], { cwd: root, env: environment() })
  const isFirst = !existsSync(at('node_modules', '.cache', 'turbo'))
  const timer = setTimeout(() => say(isFirst ? 'Building (first run only: about a minute) …\n' : 'Building …\n'), 1000)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)))
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearTimeout(timer)
  if (code !== 0) exit(`${output}The build failed.`, 1)
}

/** @type {Record<string, (...args: string[]) => Promise<number>>} */
const tasks = {
  // CI shows all output, including that of the builds cached by its first command.
  turbo(...args) {
    // Two tasks share the processors. The linter's type checker repeats work in each of its threads.
    process.env['GOMAXPROCS'] ??= String(Math.ceil(availableParallelism() / 2))
    return run(turbo(), 'run', ...args, '--concurrency=2', '--continue', ...(isCI ? [] : ['--output-logs=new-only']))
  },
  async start(...args) {
    await build('--filter=./apps/*')
    return run(node, 'scripts/start.ts', ...args)
  },
  async app(name = '', ...args) {
    await build(`--filter=./apps/${name}`)
    return run(node, path.join('apps', name, 'dist', 'main.js'), ...args)
  },
  async 'test:file'(...args) {
    // Only the packed servers have declarations, which take longer than the bundles.
    if (args.some((arg) => /e2e|lab/.test(arg))) await build(...(args.some((arg) => /packed/.test(arg)) ? ['declare'] : []))
    return run(node, at('node_modules', 'vitest', 'vitest.mjs'), 'run', ...args)
  },
  exec: (command = '', ...args) => run(command === 'node' ? node : command, ...args),
  async 'exec-built'(command = '', ...args) {
    await build('declare')
    return run(command === 'node' ? node : command, ...args)
  },
}

const help = `npm start [-- --once]

Builds the servers, makes one call to each, and serves them over HTTP until Ctrl-C.
The first start installs what they need, about 320 MB; later ones need no network.

  --once   ends after the calls
  --help   prints this\n`

const [name = '', ...args] = process.argv.slice(2)
const task = tasks[name]
if (!task) throw new Error(`There is no task "${name}".`)
if (name === 'start' && args.includes('--help')) process.stdout.write(help)
else if (name === 'test:file' && args.every((arg) => arg.startsWith('-')))
  // Without a path, every test would run, which takes half an hour.
  exit('test:file needs a PATH: npm run test:file -- PATH. To run many tests: npm test. To run all: .ci/run.', 2)
else {
  install(name === 'start' || name === 'app' ? 'servers' : 'everything')
  process.exit(await task(...args))
}
