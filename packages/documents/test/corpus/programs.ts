import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const maxBuffer = 256 * 1024 ** 2

/** Converts files with LibreOffice, all in one start, and gives the path of each. Filters are those of its documentation. */
export async function convert(
  files: readonly string[],
  ending: string,
  folder: string,
  { filter = '', infilter }: { readonly filter?: string; readonly infilter?: string } = {},
): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const profile = `-env:UserInstallation=file://${path.join(path.dirname(folder), 'profile')}`
  const target = filter === '' ? ending : `${ending}:${filter}`
  const from = infilter === undefined ? [] : [`--infilter=${infilter}`]
  await run('soffice', [profile, '--headless', ...from, '--convert-to', target, '--outdir', folder, ...files], { timeout: 120_000 })
  return files.map((file) => path.join(folder, `${path.parse(file).name}.${ending}`))
}

/** Prints a page as a PDF with Chromium. */
export async function print(page: string, file: string): Promise<string> {
  const options = ['--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer', `--print-to-pdf=${file}`]
  await run('chromium', [...options, `--user-data-dir=${file}.profile`, `file://${page}`], { timeout: 120_000 })
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
