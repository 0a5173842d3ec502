import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'

const run = promisify(execFile)
const maxBuffer = 256 * 1024 ** 2

/** Converts files, and gives the path of each. Filters are those of LibreOffice's documentation. */
export type Convert = (
  files: readonly string[],
  ending: string,
  folder: string,
  filters?: { readonly filter?: string; readonly infilter?: string },
) => Promise<string[]>

/**
 * Starts one LibreOffice for all conversions, as each start takes seconds of processor time. A later command hands its files to the one that
 * runs, which ends with its last document; so one stays open until the test ends.
 */
export async function startOffice(folder: string): Promise<Convert> {
  const options = [`-env:UserInstallation=file://${path.join(folder, 'profile')}`, '--headless']
  const open = path.join(folder, 'open.html')
  await writeFile(open, '<p>open</p>')
  const office = execFile('soffice', [...options, open])
  onTestFinished(() => void office.kill())
  await expect.poll(() => existsSync(path.join(folder, '.~lock.open.html#')), { timeout: 120_000 }).toBe(true)
  return async (files, ending, into, { filter = '', infilter } = {}) => {
    await mkdir(into, { recursive: true })
    const target = filter === '' ? ending : `${ending}:${filter}`
    const from = infilter === undefined ? [] : [`--infilter=${infilter}`]
    await run('soffice', [...options, ...from, '--convert-to', target, '--outdir', into, ...files], { timeout: 120_000 })
    return files.map((file) => path.join(into, `${path.parse(file).name}.${ending}`))
  }
}

/** Prints a page as a PDF with Chromium. */
export async function print(page: string, file: string): Promise<string> {
  const options = ['--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer', `--print-to-pdf=${file}`]
  await run('chromium-headless-shell', [...options, `--user-data-dir=${file}.profile`, `file://${page}`], { timeout: 120_000 })
  return file
}

/** The text of a PDF by poppler. */
export async function pdfToText(file: string): Promise<string> {
  const { stdout } = await run('pdftotext', [file, '-'], { maxBuffer })
  return stdout
}

/** The output of a program in Python. */
export async function python(program: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('/usr/bin/python3', ['-c', program, ...args], { maxBuffer })
  return stdout
}

/** The cells of a table by Python's own module. */
export async function csvCells(file: string, encoding: string, delimiter = ','): Promise<string> {
  return python(
    'import csv, sys; csv.field_size_limit(10**9)\nfor row in csv.reader(open(sys.argv[1], encoding=sys.argv[2], newline=""), delimiter=sys.argv[3]): print("\\n".join(row))',
    file,
    encoding,
    delimiter,
  )
}
