import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { start } from './starting.ts'

/** Writes the path of every file that is loaded into the file that `LOADED` names. */
const tracer = `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  import { fileURLToPath } from 'node:url'
  registerHooks({ load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(process.env.LOADED, fileURLToPath(url) + '\\n')
    return next(url, context)
  } })
`)}`

/** The files that a program of Node's loads, in their order, while `run` runs it in the environment that it is given. */
export async function loadedBy(run: (environment: Readonly<Record<string, string>>) => Promise<unknown>): Promise<string[]> {
  const directory = mkdtempSync(path.join(tmpdir(), 'loaded-'))
  try {
    const loaded = path.join(directory, 'loaded')
    await run({
      PATH: process.env['PATH'] ?? '',
      NODE_OPTIONS: `--import=${tracer}`,
      LOADED: loaded,
      MCP_TOOLKITS_DATA_DIR: path.join(directory, 'data'),
    })
    return readFileSync(loaded, 'utf8').trim().split('\n')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The files that a server has loaded, in their order, by the time that a client has its tools over stdio. */
export async function loadedAtStart(main: string): Promise<string[]> {
  return loadedBy((environment) => start({ main, environment }, 'legacy'))
}
