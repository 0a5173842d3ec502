import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import dockerignore from '@balena/dockerignore'
import { Copy, DockerfileParser, Entrypoint, From, PropertyInstruction, type Instruction } from 'dockerfile-ast'
import { filesIn, root } from './packed.ts'

/** What an image says about itself and holds, as its Dockerfile has it. */
export interface Image {
  readonly base: string
  /** What the project puts into it: from the path in the image to the file in the build context. */
  readonly files: ReadonlyMap<string, string>
  readonly environment: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  /** The names of all build arguments, of every stage. */
  readonly args: readonly string[]
  readonly user: string
  readonly volume: string
  readonly entrypoint: readonly string[]
}

interface Stage {
  readonly name: string
  readonly base: string
  directory: string
  readonly files: Map<string, string>
  readonly instructions: Instruction[]
}

/**
 * Reads the Dockerfile of the workspace as a builder would, apart from running anything: arguments are put in, and each COPY is applied
 * to the files that .dockerignore lets through. Throws for what it does not know, so that no file of an image is overlooked.
 */
export function readImage(args: Readonly<Record<string, string>>): Image {
  const instructions = DockerfileParser.parse(readFileSync(path.join(root, 'Dockerfile'), 'utf8')).getInstructions()
  const context = buildContext(args['APP'] ?? '')
  const stages: Stage[] = []
  for (const instruction of instructions) {
    if (instruction instanceof From)
      stages.push({
        name: instruction.getBuildStage() ?? '',
        base: instruction.getImage() ?? '',
        directory: '/',
        files: new Map(),
        instructions: [],
      })
    const stage = stages.at(-1)
    if (!stage) throw new Error(`${instruction.getKeyword()} comes before the first stage.`)
    stage.instructions.push(instruction)
    if (instruction.getKeyword() === 'ADD') throw new Error('ADD may fetch and unpack; this reads COPY alone.')
    if (instruction.getKeyword() === 'WORKDIR') stage.directory = path.posix.resolve(stage.directory, words(instruction, args)[0] ?? '')
    if (instruction instanceof Copy) copy(stage, instruction, { args, context, stages })
  }
  const last = stages.at(-1)
  if (!last) throw new Error('The Dockerfile has no stage.')
  const only = (keyword: string) => instructionsOf(last.instructions, keyword).map((each) => words(each, args).join(' '))
  const [entrypoint] = last.instructions.filter((each) => each instanceof Entrypoint)
  return {
    base: last.base,
    files: last.files,
    environment: properties(last, 'ENV', args),
    labels: properties(last, 'LABEL', args),
    args: instructionsOf(instructions, 'ARG').map((each) => words(each, {})[0]?.split('=')[0] ?? ''),
    user: only('USER').at(-1) ?? 'root',
    volume: only('VOLUME').join(' '),
    entrypoint: entrypoint?.getJSONStrings().map((each) => each.getJSONValue()) ?? [],
  }
}

/** What a builder is sent: the files of the repository and of a build, and what must not get in, less what .dockerignore leaves out. */
function buildContext(app: string): string[] {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const built = filesIn(path.join(root, 'apps', app, 'dist')).map((file) => `apps/${app}/dist/${file}`)
  const strangers = [
    '.env',
    '.npmrc',
    `apps/${app}/.env`,
    `apps/${app}/dist/.env`,
    `apps/${app}/node_modules/x/dist/index.js`,
    'out/a.mcpb',
  ]
  const ignore = dockerignore.default().add(readFileSync(path.join(root, '.dockerignore'), 'utf8'))
  return ignore.filter([...tracked, ...built, ...strangers]).sort()
}

interface Surroundings {
  readonly args: Readonly<Record<string, string>>
  readonly context: readonly string[]
  readonly stages: readonly Stage[]
}

function copy(stage: Stage, instruction: Copy, { args, context, stages }: Surroundings): void {
  const from = instruction
    .getFlags()
    .find((flag) => flag.getName() === 'from')
    ?.getValue()
  const other = stages.find(({ name }) => name === from)
  if (from && !other) throw new Error(`There is no stage ${from}.`)
  const there: ReadonlyMap<string, string> = other?.files ?? new Map(context.map((file) => [`/${file}`, file]))
  const places = words(instruction, args)
  const target = path.posix.resolve(stage.directory, places.at(-1) ?? '')
  for (const place of places.slice(0, -1)) {
    const source = path.posix.resolve('/', place)
    const found = [...there].filter(([file]) => file === source || file.startsWith(`${source}/`))
    if (found.length === 0) throw new Error(`COPY ${place} finds nothing.`)
    for (const [file, origin] of found)
      stage.files.set(path.posix.join(target, file === source ? path.posix.basename(file) : file.slice(source.length)), origin)
  }
}

function properties(stage: Stage, keyword: string, args: Readonly<Record<string, string>>): Record<string, string> {
  const found = stage.instructions.filter((each) => each instanceof PropertyInstruction).filter((each) => each.getKeyword() === keyword)
  const pairs = found.flatMap((each) => each.getProperties())
  return Object.fromEntries(pairs.map((each) => [each.getName(), expanded(each.getValue() ?? '', args)]))
}

function instructionsOf(instructions: readonly Instruction[], keyword: string): Instruction[] {
  return instructions.filter((each) => each.getKeyword() === keyword)
}

function words(instruction: Instruction, args: Readonly<Record<string, string>>): string[] {
  return instruction.getArguments().map((each) => expanded(each.getValue(), args))
}

function expanded(text: string, args: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)\}/g, (whole, name: string) => args[name] ?? whole)
}
