// Sets a fresh clone up and runs one task in it. Runs on any Node from 20 on, so it is plain JavaScript without dependencies;
// everything it starts runs on the Node that package.json pins.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)
const cache = path.join(root, 'node_modules', '.cache')
const { packageManager } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
const bin = path.join(root, 'node_modules', '.bin')
const windows = process.platform === 'win32'

/** A shell on Windows takes the arguments as one line. @param {string[]} args */
const quoted = (args) => (windows ? args.map((arg) => (/[\s"*]/.test(arg) ? `"${arg.replaceAll('"', '\\"')}"` : arg)) : args)

/** @param {string} command @param {string[]} args @param {{ quiet?: boolean }} [options] */
function run(command, args, { quiet = false } = {}) {
  const environment = { ...process.env, PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}`, TURBO_TELEMETRY_DISABLED: '1' }
  const { status, signal, stdout, stderr } = spawnSync(command, quoted(args), {
    cwd: root,
    env: environment,
    shell: windows,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
  })
  if (quiet && status !== 0) process.stderr.write(stdout + stderr)
  return signal ? 130 : (status ?? 1)
}

/** Runs a script on the pinned Node to its end, which may be an interruption: signals are handed on, so that nothing is left behind. @param {string[]} args */
async function runForeground(args) {
  const environment = { ...process.env, PATH: `${bin}${path.delimiter}${process.env['PATH'] ?? ''}` }
  // By its path, because on Windows a name would need a shell, and a shell would take JSON in an argument apart.
  const node = path.join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node')
  const child = spawn(node, args, { cwd: root, env: environment, stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal))
  // npm does not hand SIGTERM on to what it runs; it is simply gone then.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
  return new Promise((/** @type {(code: number) => void} */ resolve) => {
    child.on('exit', (code, signal) => resolve(signal ? 130 : (code ?? 1)))
  })
}

/** @param {string} what @param {number} code */
function orExit(what, code) {
  if (code === 0) return
  process.stderr.write(`${what} failed.\n`)
  process.exit(code)
}

/** @param {string[]} args @param {{ quiet?: boolean }} [options] */
function pnpm(args, options) {
  return run('npx', ['-y', packageManager, ...args], options)
}

function manifests() {
  const folders = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).map((name) => path.join(root, folder, name)),
  )
  const files = [root, path.join(root, 'e2e'), ...folders].map((folder) => path.join(folder, 'package.json')).filter(existsSync)
  return [...files, path.join(root, 'pnpm-lock.yaml'), path.join(root, 'pnpm-workspace.yaml')]
}

/** Installs what the lockfile says, unless that is what is there. */
function install() {
  const stamp = path.join(cache, 'installed')
  const wanted = createHash('sha256')
  for (const file of manifests()) wanted.update(readFileSync(file))
  const digest = wanted.digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  process.stderr.write('Installing the pinned Node and the dependencies …\n')
  orExit('The installation', pnpm(['install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only'], { quiet: true }))
  mkdirSync(cache, { recursive: true })
  writeFileSync(stamp, digest)
}

/** @param {string[]} tasks */
function turbo(...tasks) {
  return pnpm(['exec', 'turbo', 'run', ...tasks, '--output-logs=errors-only', '--log-order=grouped'], {
    quiet: process.env['CI'] !== 'true',
  })
}

/** Whether an app's bundle is younger than everything it is made of. @param {string} app */
function isBuilt(app) {
  const built = path.join(root, 'apps', app, 'dist', 'main.js')
  if (!existsSync(built)) return false
  const { mtimeMs } = statSync(built)
  const folders = [...readdirSync(path.join(root, 'packages')).map((name) => path.join('packages', name, 'src')), path.join('apps', app)]
  return folders.every((folder) => newest(path.join(root, folder)) <= mtimeMs)
}

/** @param {string} folder @returns {number} */
function newest(folder) {
  if (!existsSync(folder)) return 0
  const entries = readdirSync(folder, { withFileTypes: true }).filter(
    ({ name }) => !['node_modules', 'dist', 'test', '.turbo', 'README.md'].includes(name),
  )
  return Math.max(
    0,
    ...entries.map((entry) =>
      entry.isDirectory() ? newest(path.join(folder, entry.name)) : statSync(path.join(folder, entry.name)).mtimeMs,
    ),
  )
}

/** With CI=true nothing may be left out: a test that does not run is a check that cannot fail. */
function leftOut() {
  const file = path.join(cache, 'vitest.json')
  if (!existsSync(file)) return 0
  const report = JSON.parse(readFileSync(file, 'utf8'))
  return process.env['CI'] === 'true' ? report.numPendingTests + report.numTodoTests : 0
}

/** In three parts: TypeScript keeps in memory all that one run of ESLint has seen. */
const lintTasks = ['lint:packages', 'lint:apps', 'lint:rest']

/** Everything that can be checked without running the product. */
function check() {
  process.stderr.write('Checking types, lint, format, duplicates and generated files, and building …\n')
  return turbo('build', 'typecheck', ...lintTasks, 'format:check', 'duplicates', 'generated')
}

/** @type {Record<string, (args: string[]) => number | Promise<number>>} */
const tasks = {
  start(args) {
    orExit('The build', turbo('build'))
    return runForeground(['scripts/start.ts', ...args])
  },
  check,
  lint: () => turbo(...lintTasks),
  build: () => turbo('build'),
  test(args) {
    orExit('A check', check())
    const code = run('vitest', ['run', ...args])
    const missing = leftOut()
    if (missing > 0) process.stderr.write(`${missing} tests were left out; with CI=true none may be.\n`)
    return code === 0 && missing > 0 ? 1 : code
  },
  app([name = '', ...args]) {
    if (!isBuilt(name)) orExit('The build', turbo('build'))
    return runForeground([path.join('apps', name, 'dist', 'main.js'), ...args])
  },
  bench(args) {
    orExit('The build', turbo('build'))
    return run('node', ['benchmarks/all.ts', ...args])
  },
  exec: ([command = '', ...args]) => run(command, args),
}

const [name = '', ...args] = process.argv.slice(2)
const task = tasks[name]
if (!task) throw new Error(`There is no task "${name}".`)
install()
process.exit(await task(args))
