// Lints the files that a change since the last clean lint can affect: in a fresh clone, as in CI, that is every file.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseJson } from '../packages/core/src/base/json.ts'
import { windows } from '../scripts/install.mjs'
import { Clean, hashesOf, staleFiles } from './stale.ts'

const record = path.join('node_modules', '.cache', 'lint.json')

function read(...patterns: string[]): [path: string, text: string][] {
  const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], { encoding: 'utf8' })
  const files = stdout.split('\n').filter((file) => file !== '' && existsSync(file))
  return files.map((file) => [file, readFileSync(file, 'utf8')])
}

const files = read('*.ts', '*.tsx', '*.js', '*.mjs')
const now = hashesOf(files, JSON.stringify(read('lint', 'oxlint.config.ts', 'tsconfig*.json', 'pnpm-lock.yaml')))
const clean = existsSync(record) ? Clean.safeParse(parseJson(readFileSync(record, 'utf8'))).data : undefined
const stale = staleFiles(files, now, clean ?? {})

// More paths may not fit on a command line, and then linting everything takes hardly longer.
const paths = stale.length > 500 ? [] : stale
const { status } =
  stale.length > 0
    ? spawnSync('oxlint', ['--no-error-on-unmatched-pattern', ...paths], { stdio: 'inherit', shell: windows })
    : { status: 0 }
if (status === 0) {
  mkdirSync(path.dirname(record), { recursive: true })
  writeFileSync(record, JSON.stringify(now))
}
process.exitCode = status ?? 1
