// Scaffolds a server or a tool from the folder `templates`:
//   npm run new:server -- time-tracker
//   npm run new:tool -- issue-tracker ListReleases [--toolset planning] [--effect read|create|update|delete] [--list] [--references]
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { rank } from '../packages/core/src/references/matching/closest-names.ts'
import { servers, type Server } from '../servers.ts'
import { effects, toolModule, toolTest, type NewTool } from './tool.ts'

const root = path.dirname(import.meta.dirname)
const at = (...parts: string[]) => path.join(root, ...parts)
const toPascal = (kebab: string) => kebab.replace(/(?:^|-)(\w)/g, (_all, letter: string) => letter.toUpperCase())
const toCamel = (name: string) => name.charAt(0).toLowerCase() + name.slice(1)
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

/** Puts a new server's names into template text. */
function renamer(name: string) {
  const pascal = toPascal(name)
  return (text: string) =>
    text
      .replaceAll('sample-server', name)
      .replaceAll('SampleServer', pascal)
      .replaceAll('sampleServer', toCamel(pascal))
      .replaceAll('SAMPLE_SERVER', name.replaceAll('-', '_').toUpperCase())
      .replaceAll(
        'Sample Server',
        name.replaceAll('-', ' ').replace(/\b\w/g, (letter) => letter.toUpperCase()),
      )
}

function newServer(name: string): void {
  if (!/^[a-z]+(-[a-z]+)*$/.test(name)) fail('Name the server in kebab-case: npm run new:server -- time-tracker')
  if (existsSync(at('apps', name))) fail(`apps/${name} exists.`)
  if (/^(server|servers|import|export|default|class|new|package)$/.test(name))
    fail(`${name} cannot be the name of a constant. Choose another.`)
  const rename = renamer(name)
  for (const file of globSync('**/*.*', { cwd: at('templates/server') }))
    write(rename(file), rename(readFileSync(at('templates/server', file), 'utf8')))
  const variable = toCamel(toPascal(name))
  edit('servers.ts', /(?=import type)/, `import { listedTools as ${variable}Tools } from './apps/${name}/src/generated/tools.ts'\n`)
  const entry = `export const ${variable} = server(
  {
    name: '${name}',
    prefix: '${toPascal(name)}',
    emulator: '${name}-emulator',
    port: ${Math.max(...servers.map(({ port }) => port)) + 1},
    maxListBytes: 12_000,
    read: { tool: 'WhoAmI', arguments: {}, description: 'shows the current user' },
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
  announce(`@mcp-toolkits/${name}`, `The first release of ${name}.`, `${name}-first-release`)
  finish(`npx -y pnpm@12.21.0 install, npm run generate, npm run test:file -- apps/${name}. Then follow docs/adding-a-server.md.`)
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
const hintsOf = {
  read: [true, false, true, true],
  create: [false, false, false, true],
  update: [false, false, true, true],
  delete: [false, true, true, true],
} as const

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

/** Reads a command's words and options. */
function readToolWords(args: readonly string[]) {
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: toolOptions,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const names = Object.keys(toolOptions)
  const unknown = tokens.find((token) => token.kind === 'option' && !names.includes(token.name))
  if (unknown?.kind === 'option')
    fail(
      `There is no option ${unknown.rawName}. ${suggestion(
        unknown.rawName,
        names.map((name) => `--${name}`),
      )}`,
    )
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
  announce(server.packageName, `The new tool ${name}.`, `${server.name}-${file}`)
  finish(`write the tool, then npm run generate and npm run test:file -- ${tests}/${file}.test.ts. See docs/adding-a-tool.md.`)
}

const [kind, ...words] = process.argv.slice(2)
if (kind === 'server') newServer(words[0] ?? '')
else newTool(words)
