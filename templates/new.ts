// Scaffolds a server or a tool from the folder `templates`:
//   npm run new:server -- time-tracker Toggl --api https://api.toggl.example/v1 --tool CreateEntry --effect create
//   npm run new:tool -- issue-tracker ListReleases [--toolset planning] [--effect read|create|update|delete] [--list] [--references]
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { rank } from '../packages/core/src/references/matching/closest-names.ts'
import { servers, type Server } from '../servers.ts'
import { effects, toolModule, toolTest, type NewTool } from './tool.ts'

const root = path.dirname(import.meta.dirname)
const at = (...parts: string[]) => path.join(root, ...parts)
const toPascal = (kebab: string) => kebab.replace(/(?:^|-)(\w)/g, (_all, letter: string) => letter.toUpperCase())
const toCamel = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)
const toTitle = (kebab: string) => kebab.replaceAll('-', ' ').replace(/\b\w/g, (letter) => letter.toUpperCase())
const toWords = (pascal: string) => toKebab(pascal).replaceAll('-', ' ')
const toKebab = (pascal: string) => toCamel(pascal).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}

const written = new Set<string>()

function write(file: string, text: string): void {
  mkdirSync(path.dirname(at(file)), { recursive: true })
  writeFileSync(at(file), text)
  written.add(file)
}

/** Formats and lists what was written, and says what to do next. */
function finish(next: string): void {
  execFileSync(process.execPath, [at('scripts/node_modules/oxfmt/bin/oxfmt'), ...written], { cwd: root })
  console.log([...written].map((file) => `  ${file}`).join('\n'))
  console.log(`\nNext: ${next}`)
}

/** Replaces text in a file. Fails if the file does not contain it. */
function edit(file: string, pattern: RegExp, replacement: string): void {
  const before = readFileSync(at(file), 'utf8')
  if (!pattern.test(before)) fail(`${file} has changed: it no longer contains ${String(pattern)}.`)
  write(file, before.replace(pattern, replacement))
}

function announce(packageName: string, sentence: string, name: string): void {
  write(`.changeset/${name}.md`, `---\n'${packageName}': minor\n---\n\n${sentence}\n`)
}

const hintsOf = {
  read: [true, false, true, true],
  create: [false, false, false, true],
  update: [false, false, true, true],
  delete: [false, true, true, true],
} as const

const serverUsage = 'npm run new:server -- time-tracker Toggl --api https://api.toggl.example/v1 --tool CreateEntry --effect create'

const serverOptions = { api: { type: 'string' }, tool: { type: 'string' }, effect: { type: 'string' } } as const

/** Effects of the first tool. */
const firstEffects = ['read', 'create'] as const

interface NewServer {
  readonly name: string
  readonly vendor: string
  /** Base URL of the vendor's API. */
  readonly api: URL
  readonly tool: string
  readonly effect: (typeof firstEffects)[number]
}

/** Reads the words and options of `new:server`. */
function readServerWords(args: readonly string[]): NewServer {
  const { values, positionals } = parseWords(args, serverOptions)
  const [name = '', vendor = '', extra] = positionals
  if (!/^[a-z]+(-[a-z]+)*$/.test(name)) fail(`Name the server in kebab-case: ${serverUsage}`)
  if (existsSync(at('apps', name))) fail(`apps/${name} exists.`)
  if (/^(server|servers|import|export|default|class|new|package)$/.test(name))
    fail(`${name} cannot be the name of a constant. Choose another.`)
  if (extra !== undefined || !/^[\p{L}\p{N}][\p{L}\p{N} .&+-]*$/u.test(vendor))
    fail(`Name the vendor, in quotes if it has spaces: ${serverUsage}`)
  const { api = `https://api.${name}.example/v1`, tool = 'GetItem', effect: written = 'read' } = values
  if (!URL.canParse(String(api))) fail(`"${String(api)}" is not the base URL of an API: ${serverUsage}`)
  if (!/^[A-Z][a-z]+([A-Z][a-z]+)+$/.test(String(tool))) fail(`Name the first tool like CreateEntry, a verb and a noun: ${serverUsage}`)
  const effect = firstEffects.find((each) => each === written)
  if (effect === undefined) fail('The first tool has the --effect read or create. Add others with npm run new:tool.')
  return { name, vendor, api: new URL(String(api)), tool: String(tool), effect }
}

/** Puts a new server's names into template text. */
function renamer({ name, vendor, api, tool, effect }: NewServer) {
  const pascal = toPascal(name)
  const noun = tool.replace(/^[A-Z][a-z]+/, '')
  const words = toWords(noun)
  const article = /^[aeiou]/.test(words) ? 'n' : ''
  const title = toTitle(name)
  // The first placeholder that matches is replaced.
  const names = new Map([
    ["'sample-hints'", hintsOf[effect].join(', ')],
    ['sample-day', new Date().toISOString().slice(0, 10)],
    ['sample-keyword', vendor.toLowerCase().replaceAll(/[^\p{L}\p{N}.]+/gu, '-')],
    ['https://api.sample-server.example', api.origin],
    ['/v1', api.pathname.replace(/\/$/, '')],
    ['sample-tool', toKebab(tool)],
    ['SampleTool', tool],
    ['sampleTool', toCamel(tool)],
    ['sample-server', name],
    ['SampleServer', pascal],
    ['sampleServer', toCamel(pascal)],
    ['SAMPLE_SERVER', name.replaceAll('-', '_').toUpperCase()],
    ['Sample Server', vendor.includes(title) ? vendor : `${title} for ${vendor}`],
    ['Sample Vendor', vendor],
    ['an item', `a${article} ${words}`],
    ['An item', `A${article} ${words}`],
    ['the item', `the ${words}`],
    ['items', `${toCamel(noun).replace(/y$/, 'ie')}s`],
    ['item', toCamel(noun)],
    ['Item', noun],
  ])
  const placeholders = new RegExp([...names.keys()].join('|'), 'g')
  return (text: string) => text.replaceAll(placeholders, (placeholder) => names.get(placeholder) ?? placeholder)
}

function newServer(args: readonly string[]): void {
  const words = readServerWords(args)
  const { name, vendor, tool, effect } = words
  const rename = renamer(words)
  const unused = effect === 'read' ? '.create.' : '.read.'
  for (const file of globSync('**/*.*', { cwd: at('templates/server') }).filter((each) => !each.includes(unused)))
    write(rename(file.replace(`.${effect}.`, '.')), rename(readFileSync(at('templates/server', file), 'utf8')))
  register(words, rename(sampleCalls[effect]))
  edit('.changeset/config.json', /("fixed": \[\s*\[[^\]]*")/, `$1, "@mcp-toolkits/${name}"`)
  announce(`@mcp-toolkits/${name}`, `An MCP server for ${vendor}.`, `${name}-first-release`)
  finish(
    `npx -y pnpm@12.21.0 install, npm run generate, npm run test:file -- apps/${name} packages/emulators/${name}. The contract test names what is left to write. Then follow docs/adding-a-server.md, and write ${tool}.`,
  )
}

/** The sample call of the first tool. */
const sampleCalls = {
  read: "{ tool: 'SampleTool', arguments: { id: 'i1' }, description: 'shows an item' }",
  create: "{ tool: 'SampleTool', arguments: { name: 'Sample' }, description: 'creates an item' }",
}

/** Adds a server to `servers.ts`. */
function register({ name }: NewServer, sample: string): void {
  const pascal = toPascal(name)
  const variable = toCamel(pascal)
  addImport('servers.ts', `{ listedTools as ${variable}Tools }`, `./apps/${name}/src/generated/tools.ts`)
  const entry = `export const ${variable} = server(
  {
    name: '${name}',
    prefix: '${pascal}',
    emulator: '${name}-emulator',
    port: ${Math.max(...servers.map(({ port }) => port)) + 1},
    maxListBytes: 12_000,
    read: ${sample},
    withDefinition: async (use) => {
      const { ${variable} } = await import('./apps/${name}/src/server.ts')
      return use(${variable}, (await import('./apps/${name}/distribution.ts')).distribution)
    },
  },
  ${variable}Tools,
)

`
  edit('servers.ts', /(?=export const servers)/, entry)
  edit('servers.ts', /(export const servers[^=]+= \[[^\]]*)\]/, `$1, ${variable}]`)
}

/** Adds an import to a file, in the order of the modules. */
function addImport(file: string, what: string, source: string): void {
  const text = readFileSync(at(file), 'utf8')
  const imports = [...text.matchAll(/^import [^']*'([^']+)'\n/gm)]
  // Package imports come first.
  const later = imports.find(([, each = '']) => each.startsWith('.') && each > source)
  const last = imports.at(-1)
  const index = later?.index ?? (last ? last.index + last[0].length : 0)
  write(file, `${text.slice(0, index)}import ${what} from '${source}'\n${text.slice(index)}`)
}

const usage = 'npm run new:tool -- issue-tracker ListReleases'

/** The server with the given name. */
function serverOf(written: string): Server {
  const names = servers.map(({ name }) => name)
  const found = servers.find(({ name }) => name === written)
  if (found) return found
  fail(written === '' ? `Name a server and a tool: ${usage}` : `There is no server "${written}". ${suggestion(written, names)}`)
}

/** Suggests the word that was probably meant, or lists them all. */
function suggestion(written: string, words: readonly string[]): string {
  const [likely] = rank(written, words, { minConfidence: 0.55 })
  return likely ? `Did you mean ${likely.value}?` : `Choose one of: ${words.join(', ')}.`
}

/** Fails if the name is invalid for a tool, or is taken by a tool, even one in a toolset. */
function checkToolName({ name }: Server, tool: string): void {
  const sources = globSync(`apps/${name}/src/{tools,toolsets}/**/*.ts`, { cwd: root })
  const taken = sources.find((file) => readFileSync(at(file), 'utf8').includes(`name: '${tool}',`))
  if (taken !== undefined) fail(`${name} has a tool ${tool}: ${taken}.`)
  if (/^[A-Z][A-Za-z]+$/.test(tool)) return
  const pascal = toPascal(tool.replaceAll(/[^A-Za-z]+/g, '-'))
  const hint = /^[A-Z][A-Za-z]+$/.test(pascal) ? `Did you mean ${pascal}?` : `Write it like ListReleases: ${usage}`
  fail(tool === '' ? `Name the tool, too: ${usage}` : `"${tool}" cannot be the name of a tool. ${hint}`)
}

/** The folders of a tool's module and test: the server's own, or those of the toolset that the option names. */
function placeOf({ name }: Server, toolset: string | boolean | undefined) {
  if (toolset === undefined) return { source: `apps/${name}/src/tools`, tests: `apps/${name}/test` }
  const folders = globSync(`apps/${name}/src/toolsets/*/index.ts`, { cwd: root }).map((file) => path.basename(path.dirname(file)))
  const toolsets = folders.filter((each) => existsSync(at(`apps/${name}/test/${each}/contract.test.ts`)))
  const found = toolsets.find((each) => each === toolset)
  if (found === undefined) fail(`${name} has no toolset "${String(toolset)}". ${suggestion(String(toolset), toolsets)}`)
  return { toolset: found, source: `apps/${name}/src/toolsets/${found}`, tests: `apps/${name}/test/${found}` }
}

const toolOptions = {
  toolset: { type: 'string' },
  effect: { type: 'string' },
  list: { type: 'boolean' },
  references: { type: 'boolean' },
} as const

/** The variant that the options ask for. */
function variantOf({ effect: written = 'read', list = false, references = false }: Readonly<Record<string, string | boolean | undefined>>) {
  const effect = effects.find((each) => each === written)
  if (effect === undefined) fail(`"${String(written)}" is not a tool effect. ${suggestion(String(written), effects)}`)
  if (list === true && effect !== 'read') fail(`--list is for a read-only tool, but --effect says ${effect}. Leave one of them out.`)
  return { effect, isList: list === true, hasReference: references === true }
}

/** Reads a command's words and options. Fails for an option that there is not. */
function parseWords(args: readonly string[], options: NonNullable<ParseArgsConfig['options']>) {
  const { values, positionals, tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
  const names = Object.keys(options)
  const unknown = tokens.find((token) => token.kind === 'option' && !names.includes(token.name))
  const choices = names.map((name) => `--${name}`)
  if (unknown?.kind === 'option') fail(`There is no option ${unknown.rawName}. ${suggestion(unknown.rawName, choices)}`)
  return { values, positionals }
}

/** Reads the words and options of `new:tool`. */
function readToolWords(args: readonly string[]) {
  const { values, positionals } = parseWords(args, toolOptions)
  const [server = '', tool = '', extra] = positionals
  if (extra !== undefined) fail(`"${extra}" is one word too many. Give only the server and the tool: ${usage}`)
  const found = serverOf(server)
  return { server: found, tool, place: placeOf(found, values['toolset']), ...variantOf(values) }
}

/** Adds a module of tools after the last one. */
function registerModule(file: string, module: string): void {
  const text = readFileSync(at(file), 'utf8')
  const end = text.indexOf(')', text.lastIndexOf('toolsOf('))
  write(file, `${text.slice(0, end).trimEnd().replace(/,$/, '')}, ${module}${text.slice(end)}`)
}

function newTool(args: readonly string[]): void {
  const { server, tool: name, place, ...variant } = readToolWords(args)
  const { source, tests, toolset } = place
  checkToolName(server, name)
  const tool: NewTool = { name, constant: toCamel(name), toolset, ...variant }
  const file = toKebab(name)
  if (existsSync(at(source, `${file}.ts`))) fail(`${source}/${file}.ts exists.`)
  write(`${source}/${file}.ts`, toolModule(tool))
  write(`${tests}/${file}.test.ts`, toolTest(tool, { constant: toCamel(toPascal(server.name)), prefix: server.prefix }))
  addImport(`${source}/index.ts`, `* as ${tool.constant}`, `./${file}.ts`)
  registerModule(`${source}/index.ts`, tool.constant)
  edit(
    `${tests}/contract.test.ts`,
    /( {2}\},\n(?: {2}(?:conditional|maxListBytes): .*\n)*\}\))/,
    `    '${server.prefix}.${name}': ${JSON.stringify(hintsOf[tool.effect])},\n$1`,
  )
  if (!existsSync(at('.changeset', `${server.name}-first-release.md`)))
    announce(server.packageName, `The new tool ${name}.`, `${server.name}-${file}`)
  finish(`write the tool, then npm run generate and npm run test:file -- ${tests}/${file}.test.ts. See docs/adding-a-tool.md.`)
}

const [kind, ...words] = process.argv.slice(2)
if (kind === 'server') newServer(words)
else newTool(words)
