// Sets up a fresh clone and runs one task in it. Works on any Node from 20 on, so it is plain JavaScript without dependencies;
// everything it starts runs on the Node that package.json pins.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)
const cache = path.join(root, 'node_modules', '.cache')
const bin = path.join(root, 'node_modules', '.bin')
const windows = process.platform === 'win32'
const isCI = process.env['CI'] === 'true'
/** The folders with programs that a task runs by name. */
const programs = [bin, ...['lint', 'scripts', 'lab'].map((folder) => path.join(root, folder, 'node_modules', '.bin'))]
const environment = {
  ...process.env,
  PATH: [...programs, process.env['PATH'] ?? ''].join(path.delimiter),
  // Windows cannot run a script as a program, and does without the rule that this one adds.
  ...(windows ? {} : { OXLINT_TSGOLINT_PATH: path.join(root, 'lint', 'tsgolint.ts') }),
}
/** By its path, because on Windows a name would need a shell, and a shell would split JSON in an argument. */
const node = path.join(root, 'node_modules', 'node', 'bin', windows ? 'node.exe' : 'node')

/** @param {string} folder @returns {string[]} */
const foldersIn = (folder) => readdirSync(path.join(root, folder)).map((name) => path.join(folder, name))

/** @param {string} text */
const say = (text) => process.stderr.write(text)

/** A shell on Windows takes the arguments as one line. @param {string[]} args */
const quote = (args) => (windows ? args.map((arg) => (/[\s"*]/.test(arg) ? `"${arg.replaceAll('"', '\\"')}"` : arg)) : args)

/** Runs a program to its end. @param {string} command @param {string[]} args */
function run(command, args) {
  const { status, signal } = spawnSync(command, quote(args), { cwd: root, env: environment, shell: windows, stdio: 'inherit' })
  return signal ? 130 : (status ?? 1)
}

/** Runs a program without a terminal; what it prints is shown when it fails. @param {string} title @param {string} line */
function runQuietly(title, line) {
  const started = performance.now()
  const child = spawn(line, { cwd: root, env: environment, shell: true, stdio: ['ignore', 'pipe', 'pipe'] })
  /** @type {string[]} */
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(String(part)))
  return new Promise((/** @type {(code: number) => void} */ resolve) => {
    child.on('close', (code) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      say(code === 0 ? `  ${title}: ${seconds} s\n` : `  ${title} failed:\n${output.join('')}\n`)
      resolve(code ?? 1)
    })
  })
}

/** Runs a script on the pinned Node and passes signals on to it. @param {string[]} args */
async function runForeground(args) {
  const child = spawn(node, args, { cwd: root, env: environment, stdio: 'inherit' })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => child.kill(signal))
  // npm ends on SIGTERM without passing it on, and this process gets another parent.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
  return new Promise((/** @type {(code: number) => void} */ resolve) => {
    child.on('exit', (code, signal) => resolve(signal ? 130 : (code ?? 1)))
  })
}

/** @param {string} title @param {number} code */
function exitOnFailure(title, code) {
  if (code === 0) return
  say(`${title} failed.\n`)
  process.exit(code)
}

/** What is installed: all that bundling and running the servers takes, or everything. @typedef {'servers' | 'everything'} Scope */

/** @type {Record<Scope, { title: string, args: string[] }>} */
const installations = {
  servers: {
    title: 'Installing what the servers need, and the pinned Node: once, about 300 MB …\n',
    args: ['--prod', '--filter-prod=.', '--filter-prod={./apps/*}...', '--filter-prod=./scripts/bundle'],
  },
  everything: { title: 'Installing what tests, checks and releases need: once, about 800 MB in all …\n', args: [] },
}

/** Installs what the lockfile says, unless it is installed. @param {Scope} needed */
function install(needed) {
  const folders = ['.', 'e2e', 'lab', 'lint', 'scripts', 'scripts/bundle', ...packages(), ...foldersIn('apps')]
  const manifests = folders.map((folder) => path.join(folder, 'package.json'))
  const hash = createHash('sha256')
  for (const file of [...manifests, 'pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
    if (existsSync(path.join(root, file))) hash.update(readFileSync(path.join(root, file)))
  }
  const digest = hash.digest('hex')
  const stamp = path.join(cache, 'installed')
  const [installed, present] = existsSync(stamp) ? readFileSync(stamp, 'utf8').split(' ') : []
  if (installed === digest && (present === needed || present === 'everything')) return
  // A clone that has everything keeps it.
  const scope = present === 'everything' ? present : needed
  const { title, args } = installations[scope]
  say(title)
  const { packageManager } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  // CI compares every entry with the registry, whose metadata is 200 MB; what was merged has passed that.
  const trust = isCI ? [] : ['--trust-lockfile']
  const reporter = process.stderr.isTTY ? 'default' : 'append-only'
  exitOnFailure(
    'The installation',
    run('npx', ['-y', packageManager, 'install', '--frozen-lockfile', '--prefer-offline', `--reporter=${reporter}`, ...trust, ...args]),
  )
  mkdirSync(cache, { recursive: true })
  writeFileSync(stamp, `${digest} ${scope}`)
}

/**
 * When a file, or any source file in a folder, last changed. The folders themselves do not count, nor what is installed in them.
 * @param {string} place
 */
function changedAt(place) {
  const entries = statSync(place).isFile()
    ? [place]
    : readdirSync(place, { recursive: true, encoding: 'utf8' }).map((name) => path.join(place, name))
  const sources = entries.filter((file) => !/\.test\.ts$|node_modules/.test(file)).map((file) => statSync(file, { throwIfNoEntry: false }))
  return Math.max(0, ...sources.map((entry) => (entry?.isFile() ? entry.mtimeMs : 0)))
}

/** Whether a file of a package's `dist` is newer than everything it is made of. @param {string} folder @param {string} name */
function isBuilt(folder, name = 'main.js') {
  const bundle = path.join(root, folder, 'dist', name)
  const shared = [...packages().map((each) => path.join(each, 'src')), 'scripts/bundle', 'releases', 'pnpm-lock.yaml']
  const places = [...shared, `${folder}/src`, `${folder}/package.json`].map((place) => path.join(root, place)).filter(existsSync)
  return existsSync(bundle) && places.every((place) => changedAt(place) <= statSync(bundle).mtimeMs)
}

/** The folders of the servers. */
const apps = () => foldersIn('apps').filter((folder) => existsSync(path.join(root, folder, 'package.json')))

/** The folders of the framework and the emulators. */
const packages = () => [...foldersIn('packages'), ...foldersIn('packages/emulators')]

/** The folders of the emulators, which only tests and releases need as packages. */
const emulators = () => foldersIn('packages/emulators').filter((folder) => existsSync(path.join(root, folder, 'src', 'library.ts')))

/** Bundles the packages that are older than their sources. @param {string[]} folders */
async function bundle(folders) {
  const stale = folders.filter((folder) => !isBuilt(folder))
  if (stale.length > 0) say(`Building ${stale.map((folder) => path.basename(folder)).join(', ')} …\n`)
  return runEach(stale, 'bundle')
}

/** Bundles everything that is published, with its declarations. */
async function build() {
  const folders = [...apps(), ...emulators()]
  const code = await bundle(folders)
  return code === 0
    ? runEach(
        folders.filter((folder) => !isBuilt(folder, 'index.d.ts')),
        'declare',
      )
    : code
}

/** Runs a program of `scripts/bundle` in some folders, in two at a time. @param {string[]} folders @param {string} program */
async function runEach(folders, program) {
  /** @type {[string, string][]} */
  const queue = folders.map((folder) => [
    `${path.basename(folder)}: ${program}`,
    `cd ${folder} && node ${path.relative(folder, 'scripts/bundle')}/${program}.ts`,
  ])
  return Math.max(...(await Promise.all([runInTurn(queue), runInTurn(queue)])))
}

const types = 'tsc -p tsconfig.json --incremental --tsBuildInfoFile node_modules/.cache/tsc.json'
/** @type {Record<string, string>} */
const checks = {
  lint: 'oxlint .',
  types,
  format: `prettier --check --log-level warn ${isCI ? '' : '--cache '}.`,
  duplicates: 'jscpd --config .jscpd.json',
  'generated files': 'node scripts/generate.ts --check',
}

/** Runs command lines one after the other, which can be shared by two workers. @param {[title: string, line: string][]} queue */
async function runInTurn(queue) {
  let worst = 0
  for (let next = queue.shift(); next; next = queue.shift()) worst = Math.max(worst, await runQuietly(...next))
  return worst
}

/** Checks everything that needs no built server. */
async function check() {
  say('Checking …\n')
  const queue = Object.entries(checks)
  return Math.max(...(await Promise.all([runInTurn(queue), runInTurn(queue)])))
}

/** The projects of vitest.config.ts that take five minutes; CI runs all of them. @type {string[]} */
const everyday = isCI ? [] : ['unit', 'app', 'lab', 'e2e'].map((name) => `--project=${name}`)

/** How many tests were skipped. With CI=true none may be, because a test that does not run cannot fail. */
function skippedTests() {
  const report = path.join(cache, 'vitest.json')
  const { numPendingTests = 0, numTodoTests = 0 } = isCI && existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : {}
  return numPendingTests + numTodoTests
}

/** The commit from which `test:changed` counts. */
function branchPoint() {
  const { stdout } = spawnSync('git', ['merge-base', 'HEAD', process.env['BASE'] ?? 'main'], { cwd: root, encoding: 'utf8' })
  return stdout.trim() || 'HEAD'
}

/** @type {Record<string, (args: string[]) => number | Promise<number>>} */
const tasks = {
  build: () => build(),
  check,
  typecheck: () => run('tsc', types.split(' ').slice(1)),
  lint: (args) => run('oxlint', args),
  async start(args) {
    exitOnFailure('The build', await bundle(apps()))
    return runForeground(['scripts/start.ts', ...args])
  },
  async test(args) {
    exitOnFailure('The build', await build())
    exitOnFailure('A check', await check())
    rmSync(path.join(cache, 'vitest.json'), { force: true })
    const code = await runForeground([path.join('node_modules', 'vitest', 'vitest.mjs'), 'run', ...everyday, ...args])
    const skipped = skippedTests()
    if (skipped > 0) say(`${skipped} tests were skipped; with CI=true none may be.\n`)
    return code === 0 && skipped > 0 ? 1 : code
  },
  async 'test:file'(args) {
    if (args.some((arg) => /e2e|lab/.test(arg))) exitOnFailure('The build', await build())
    return run('vitest', ['run', ...args])
  },
  'test:changed': (args) => run('vitest', ['run', `--changed=${branchPoint()}`, '--passWithNoTests', ...args]),
  'test:watch': (args) => run('vitest', ['watch', ...args]),
  async app([name = '', ...args]) {
    const folder = path.join('apps', name)
    exitOnFailure('The build', await bundle([folder]))
    return runForeground([path.join(folder, 'dist', 'main.js'), ...args])
  },
  async bench(args) {
    exitOnFailure('The build', await bundle(apps()))
    return run('node', ['lab/benchmarks/main.ts', ...args])
  },
  async drill() {
    exitOnFailure('The build', await bundle(apps()))
    return run('node', ['lab/drill/main.ts'])
  },
  exec: ([command = '', ...args]) => run(command, args),
}

const help = `npm start [-- --once]

Builds the servers, makes one call to each, and serves them over HTTP until Ctrl-C.
The first start installs what they need, about 300 MB; later ones need no network.

  --once   ends after the calls
  --help   prints this\n`

const [name = '', ...args] = process.argv.slice(2)
const task = tasks[name]
if (!task) throw new Error(`There is no task "${name}".`)
if (name === 'start' && args.includes('--help')) process.stdout.write(help)
else if (name === 'test:file' && args.every((arg) => arg.startsWith('-'))) {
  // Without one every test would run, for half an hour.
  say('test:file needs a PATH: npm run test:file -- PATH. For many of them: npm test. For all: .ci/run.\n')
  process.exit(2)
} else {
  install(name === 'start' || name === 'app' ? 'servers' : 'everything')
  process.exit(await task(args))
}
