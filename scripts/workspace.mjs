// Sets up a fresh clone and runs one task in it. Works on any Node from 20 on, so it is plain JavaScript without dependencies; everything
// it starts runs on the Node that package.json pins. turbo.json lists the tasks to repeat after each change.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)
const at = (/** @type {string[]} */ ...parts) => path.join(root, ...parts)
const stamp = at('node_modules', '.cache', 'installed.json')
const windows = process.platform === 'win32'
const isCI = process.env['CI'] === 'true'
/** By their paths, because on Windows a name would need a shell, and a shell would split JSON in an argument. */
const node = at('node_modules', 'node', 'bin', windows ? 'node.exe' : 'node')
const turbo = at('node_modules', 'turbo', 'bin', 'turbo')
const vitest = at('node_modules', 'vitest', 'vitest.mjs')
const say = (/** @type {string} */ text) => process.stderr.write(text)

/** @returns {{ digest?: string, scope?: string, pnpm?: string }} */
const installation = () => (existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : {})

/** Puts the pinned Node, the installed programs and pnpm, which turbo runs tasks with, before other programs of the same name. */
function environment() {
  const programs = ['.', 'lint', 'scripts', 'lab'].map((folder) => at(folder, 'node_modules', '.bin'))
  return {
    ...process.env,
    PATH: [...programs, installation().pnpm ?? [], process.env['PATH']].flat().join(path.delimiter),
    TURBO_TELEMETRY_DISABLED: '1',
    // Windows cannot run a script as a program, and does without the rule that this one adds.
    ...(windows ? {} : { OXLINT_TSGOLINT_PATH: at('lint', 'tsgolint.ts') }),
  }
}

/** Finds the folder of pnpm in npm's cache, which fetches it if it can. @param {string} packageManager */
function findPnpm(packageManager) {
  const args = ['-y', '-p', packageManager, 'node', '-p', 'process.env.PATH']
  const { stdout } = spawnSync('npx', args, { cwd: root, shell: windows, encoding: 'utf8' })
  return (stdout ?? '')
    .trim()
    .split(path.delimiter)
    .find((folder) => existsSync(path.join(folder, 'pnpm')))
}

/** Installs what the lockfile says, unless it is installed: what the servers need, or everything. @param {'servers' | 'everything'} needed */
function install(needed) {
  const files = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((file) => readFileSync(at(file)))
  const digest = createHash('sha256').update(Buffer.concat(files)).digest('hex')
  const present = installation()
  // A clone that has everything keeps it.
  const scope = present.scope === 'everything' ? present.scope : needed
  const { packageManager } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
  if (present.digest === digest && present.scope === scope) {
    // npm's cache was emptied. Without a network, earlier builds still run.
    if (!existsSync(present.pnpm ?? '')) writeFileSync(stamp, JSON.stringify({ digest, scope, pnpm: findPnpm(packageManager) }))
    return
  }
  // Not `...` behind the apps: pnpm selects by manifests as they are written, before .pnpmfile.cjs changes them.
  const folders = ['.', './apps/*', './packages/{core,sqlite,server,team}', './packages/emulators/*', './scripts/bundle']
  const servers = ['--prod', ...folders.map((folder) => `--filter-prod=${folder}`)]
  say(`Installing ${scope === 'servers' ? 'what the servers need: once, about 310 MB' : 'everything: once, about 750 MB in all'} …\n`)
  // CI compares every entry with the registry, whose metadata is 200 MB; merged changes have passed that.
  const options = [...(isCI ? [] : ['--trust-lockfile']), ...(scope === 'servers' ? servers : [])]
  const reporter = process.stderr.isTTY ? 'default' : 'append-only'
  const args = ['-y', packageManager, 'install', '--frozen-lockfile', '--prefer-offline', `--reporter=${reporter}`, ...options]
  const { status } = spawnSync('npx', args, { cwd: root, shell: windows, stdio: 'inherit' })
  if (status !== 0) exit('The installation failed.', status ?? 1)
  // It leaves a second copy of Node with its headers, for compiling addons.
  rmSync(at('node_modules', 'node', 'node_modules'), { recursive: true, force: true })
  mkdirSync(path.dirname(stamp), { recursive: true })
  writeFileSync(stamp, JSON.stringify({ digest, scope, pnpm: findPnpm(packageManager) }))
}

/** @param {string} text @param {number} code @returns {never} */
function exit(text, code) {
  say(`${text}\n`)
  process.exit(code)
}

/** Runs a program with the terminal, and passes signals on to it. @param {string} command @param {string[]} args @returns {Promise<number>} */
function run(command, args) {
  // Only a program that is known by its name needs a shell, which takes the arguments as one line.
  const shell = windows && !path.isAbsolute(command)
  const line = shell ? args.map((arg) => (/[\s"*]/.test(arg) ? `"${arg.replaceAll('"', '\\"')}"` : arg)) : args
  const child = spawn(command, line, { cwd: root, env: environment(), shell, stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal))
  // npm ends on SIGTERM without passing it on, and this process gets another parent.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ? 130 : (code ?? 1)))
  })
}

/** Builds what is stale, for a program whose output is its own: turbo's is shown when it fails. @param {string[]} args */
async function build(...args) {
  const child = spawn(node, [turbo, 'run', 'build', '--output-logs=errors-only', ...args], { cwd: root, env: environment() })
  const timer = setTimeout(() => say('Building …\n'), 1000)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += String(part)))
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearTimeout(timer)
  if (code !== 0) exit(`${output}The build failed.`, 1)
}

/** Each check reads the whole workspace at once: one run is cheaper than one for each package. */
const checks = ['lint', 'typecheck', 'check:format', 'check:duplicates', 'check:generated']
/** CI repeats everything, and lists it. */
const turboRun = (/** @type {string[]} */ ...tasks) =>
  run(node, [turbo, 'run', ...tasks, '--concurrency=2', '--continue', ...(isCI ? ['--force'] : ['--output-logs=new-only'])])

/** @type {Record<string, (args: string[]) => Promise<number>>} */
const tasks = {
  build: () => turboRun('build', 'declare'),
  check: () => turboRun(...checks),
  test(args) {
    if (args.length > 0) exit('npm test runs everything and takes no arguments. For one file: npm run test:file -- PATH.', 2)
    return turboRun(...checks, 'test', ...(isCI ? ['test:e2e'] : []))
  },
  async start(args) {
    await build('--filter=./apps/*')
    return run(node, ['scripts/start.ts', ...args])
  },
  async app([name = '', ...args]) {
    await build(`--filter=./apps/${name}`)
    return run(node, [path.join('apps', name, 'dist', 'main.js'), ...args])
  },
  async 'test:file'(args) {
    if (args.some((arg) => /e2e|lab/.test(arg))) await build('declare')
    return run(node, [vitest, 'run', ...args])
  },
  'test:changed'(args) {
    const { stdout } = spawnSync('git', ['merge-base', 'HEAD', process.env['BASE'] ?? 'main'], { cwd: root, encoding: 'utf8' })
    return run(node, [vitest, 'run', `--changed=${stdout.trim() || 'HEAD'}`, '--passWithNoTests', ...args])
  },
  exec: ([command = '', ...args]) => run(command === 'node' ? node : command, args),
  async 'exec-built'(args) {
    await build('declare')
    return tasks['exec']?.(args) ?? 1
  },
}

const help = `npm start [-- --once]

Builds the servers, makes one call to each, and serves them over HTTP until Ctrl-C.
The first start installs what they need, about 310 MB; later ones need no network.

  --once   ends after the calls
  --help   prints this\n`

const [name = '', ...args] = process.argv.slice(2)
const task = tasks[name]
if (!task) throw new Error(`There is no task "${name}".`)
if (name === 'start' && args.includes('--help')) process.stdout.write(help)
else if (name === 'test:file' && args.every((arg) => arg.startsWith('-')))
  // Without one every test would run, for half an hour.
  exit('test:file needs a PATH: npm run test:file -- PATH. For many of them: npm test. For all: .ci/run.', 2)
else {
  install(name === 'start' || name === 'app' ? 'servers' : 'everything')
  process.exit(await task(args))
}
