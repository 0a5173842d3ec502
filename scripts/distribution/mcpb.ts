// Packs the built servers as bundles for Claude Desktop: out/<app>-<version>.mcpb. With names of apps it packs those alone, and with
// --out DIR into another directory. A bundle holds what the npm package holds, apart from declarations, and the manifest and icon of apps/<app>/mcpb.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { manifestOf } from '../bundle/third-party.ts'

const root = path.join(import.meta.dirname, '..', '..')
const { values, positionals } = parseArgs({ options: { out: { type: 'string', default: path.join(root, 'out') } }, allowPositionals: true })

for (const app of positionals.length > 0 ? positionals : readdirSync(path.join(root, 'apps'))) {
  const source = path.join(root, 'apps', app)
  if (!existsSync(path.join(source, 'dist', 'main.js'))) throw new Error(`${app} is not built.`)
  const { name, version, license } = manifestOf(source)
  const stage = mkdtempSync(path.join(tmpdir(), 'mcpb-'))
  try {
    cpSync(path.join(source, 'mcpb'), stage, { recursive: true })
    cpSync(path.join(source, 'dist'), path.join(stage, 'dist'), { recursive: true })
    cpSync(path.join(root, 'LICENSE'), path.join(stage, 'LICENSE'))
    // Node needs to be told that the files are modules.
    writeFileSync(path.join(stage, 'package.json'), `${JSON.stringify({ name, version, license, type: 'module' }, null, 2)}\n`)
    mkdirSync(values.out, { recursive: true })
    const bundle = path.join(path.resolve(values.out), `${app}-${String(version)}.mcpb`)
    rmSync(bundle, { force: true })
    execFileSync(
      process.execPath,
      [path.join(root, 'node_modules', '@anthropic-ai', 'mcpb', 'dist', 'cli', 'cli.js'), 'pack', stage, bundle],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    console.log(bundle)
  } finally {
    rmSync(stage, { recursive: true })
  }
}
