import { execFile } from 'node:child_process'
import { appendFile, cp, readFile, readdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { baseEnvironment, temporaryDirectory } from './command.ts'

const root = path.join(import.meta.dirname, '..')
const manifestSchema = z.object({ version: z.string() })

export const apps = ['event-pipeline', 'file-storage', 'issue-tracker'] as const

/** A copy of the workspace, with a history of its own, in which a release can be made. */
export interface WorkspaceCopy {
  readonly directory: string
  /** Runs a program of the workspace in the copy and returns what it prints. */
  readonly run: (command: string, args: readonly string[], environment?: Readonly<Record<string, string>>) => Promise<string>
  /** Commits everything there is and a changeset that releases these servers with that sentence. */
  readonly addChangeset: (releases: Readonly<Record<string, string>>, sentence: string) => Promise<void>
  /** Does what `release:version` and `release:pack` do, without the installation that they begin with. */
  readonly versionAndPack: () => Promise<void>
  readonly versions: () => Promise<Readonly<Record<string, string>>>
  readonly read: (file: string) => Promise<string>
}

export async function workspaceCopy(): Promise<WorkspaceCopy> {
  const directory = path.join(await temporaryDirectory(), 'workspace')
  const run: WorkspaceCopy['run'] = (command, args, environment) => execute(command, args, { directory, environment })
  const read = (file: string) => readFile(path.join(directory, file), 'utf8')
  await copyInto(directory)
  await run('git', ['init', '--quiet', '--initial-branch', 'main'])
  // What is ignored as a folder is a link here.
  await appendFile(path.join(directory, '.git', 'info', 'exclude'), 'node_modules\n')
  return {
    directory,
    run,
    read,
    addChangeset: async (releases, sentence) => {
      const head = Object.entries(releases).map(([name, kind]) => `'${name}': ${kind}\n`)
      await writeFile(path.join(directory, '.changeset', 'of-this-test.md'), `---\n${head.join('')}---\n\n${sentence}\n`)
      await run('git', ['add', '--all'])
      await run('git', ['-c', 'user.name=e2e', '-c', 'user.email=e2e@example.com', 'commit', '--quiet', '--message', sentence])
    },
    versionAndPack: async () => {
      await run('changeset', ['version'])
      await run('node', ['scripts/generate.ts'])
      for (const app of apps) await execute('tsup', [], { directory: path.join(directory, 'apps', app) })
      await run('node', ['scripts/release/pack.ts'])
    },
    versions: async () => {
      const manifests = await Promise.all(apps.map(async (app) => manifestSchema.parse(JSON.parse(await read(`apps/${app}/package.json`)))))
      return Object.fromEntries(apps.map((app, index) => [app, manifests[index]?.version ?? '']))
    },
  }
}

interface Where {
  readonly directory: string
  readonly environment?: Readonly<Record<string, string>> | undefined
}

async function execute(command: string, args: readonly string[], { directory, environment = {} }: Where): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, {
    cwd: directory,
    env: { ...baseEnvironment(), ...environment },
    maxBuffer: 1 << 26,
  })
  return stdout
}

async function copyInto(directory: string): Promise<void> {
  const listed = await execute('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { directory: root })
  for (const file of new Set(listed.split('\0').filter((name) => name !== ''))) {
    await cp(path.join(root, file), path.join(directory, file)).catch(ignoreDeleted)
  }
  // The links in them are relative: to packages of the copy, and to what is installed once.
  for (const folder of ['apps', 'packages']) {
    for (const name of await readdir(path.join(directory, folder))) {
      const [from = '', to = ''] = [root, directory].map((workspace) => path.join(workspace, folder, name, 'node_modules'))
      await cp(from, to, { recursive: true, verbatimSymlinks: true })
    }
  }
  await symlink(path.join(root, 'node_modules'), path.join(directory, 'node_modules'))
}

/** Git lists what is deleted as long as that is not committed. */
function ignoreDeleted(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}
