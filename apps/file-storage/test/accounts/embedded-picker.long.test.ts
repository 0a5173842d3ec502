import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { connect, runProgram, startInTerminal, fetchPage } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import type { ConnectOptions, Settings } from '@mcp-toolkits/server'
import * as connector from '../../src/connect.ts'
import { fileStorage } from '../../src/server.ts'
import { embeddedToken } from '../../src/account.ts'
import { textAt } from '../storage.ts'
import { press } from './choosing.ts'
import { containing } from './setup.ts'

const picker = 'FileStorage.GenerateFilePickerUrl'
const main = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts')

/** The server on a built-in emulator whose token can see everything, but can change only selected items. */
async function readingEmbedded(scopes: readonly string[] = ['drive.readonly', 'drive.file']) {
  const emulator = driveEmulator({ seed: 'empty', accessToken: embeddedToken.reveal(), scopes })
  const embeddedDrive = { open: () => Promise.resolve(emulator), scopes }
  const definition = {
    ...fileStorage,
    load: {
      ...fileStorage.load,
      connector: () =>
        Promise.resolve({
          ...connector,
          connect: (settings: Settings, options?: ConnectOptions) => connector.connect(settings, { ...options, embeddedDrive }),
        }),
    },
  }
  const server = await connect(definition, { embedded: true })
  onTestFinished(() => server[Symbol.asyncDispose]())
  return { ...server, emulator }
}

test('a call that failed succeeds after the person has selected the file, without a restart', async () => {
  const { call, fails, emulator } = await readingEmbedded()
  const id = emulator.addItem({ name: 'plan.txt', content: 'text' })
  const rename = ['FileStorage.RenameFile', { file_path_or_id: 'plan.txt', new_filename: 'Plan.txt' }] as const
  const error = await fails(...rename)
  expect(error).toMatchObject({ code: 'forbidden', next: { tool: 'FileStorage_GenerateFilePickerUrl' } })

  const offered = await call(picker)
  expect(offered).toMatchObject({ flow: 'embedded', url: containing('http://127.0.0.1:'), how_to_retry: containing('unchanged') })
  expect(Date.parse(textAt(offered, 'expires_at'))).toBeGreaterThan(Date.now())
  expect((await press(textAt(offered, 'url'), 'give', { ticked: [id] })).status).toBe(200)
  expect(await call(...rename)).toMatchObject({ item: { name: 'Plan.txt' } })
})

test('a call that missed a file finds it after the person has uploaded it', async () => {
  const { call, fails } = await readingEmbedded(['drive.file'])
  const rename = ['FileStorage.RenameFile', { file_path_or_id: 'mine.txt', new_filename: 'Mine.txt' }] as const
  expect(await fails(...rename)).toMatchObject({ code: 'not_found', next: { tool: 'FileStorage_GenerateFilePickerUrl' } })
  const url = textAt(await call('FileStorage.GenerateGoogleFilePickerUrl'), 'url')
  expect((await press(url, 'give', { file: new File(['mine'], 'mine.txt', { type: 'text/plain' }) })).status).toBe(200)
  await call(...rename)
})

test('the embedded default says that nothing has to be selected, and its page uploads', async () => {
  await using server = await connect(fileStorage, { embedded: true, seed: 'edge-cases' })
  const offered = await server.call(picker)
  expect(offered).toMatchObject({ flow: 'embedded', how_to_retry: containing('nothing needs to be selected') })
  const url = textAt(offered, 'url')
  await press(url, 'give', { file: new File(['mine'], 'mine.txt', { type: 'text/plain' }) })
  expect(await server.call('FileStorage.SearchFiles', { query: 'mine' })).toMatchObject({ files: [{ name: 'mine.txt' }] })
})

test('the page closes with the server', async () => {
  const server = await connect(fileStorage, { embedded: true })
  const url = textAt(await server.call(picker), 'url')
  expect((await fetchPage(url)).status).toBe(200)
  await server[Symbol.asyncDispose]()
  await expect(fetchPage(url)).rejects.toThrow('fetch failed')
})

test('the picker is offered with --read-only, because reading also needs selected files', async () => {
  await using server = await connect(fileStorage, { embedded: true, readOnly: true })
  expect(await server.call(picker)).toMatchObject({ flow: 'embedded' })
})

test('a client on another machine gets no page of the embedded default', async () => {
  await using server = await connect(fileStorage, { embedded: true, servesOtherMachines: true })
  expect(await server.call(picker)).toMatchObject({ url: null, expires_at: null, how_to_retry: containing('nothing needs to be selected') })
})

const urlIn = /(?<="url": ")[^"]+/

/** A command that has printed its page's URL. */
async function callForPage() {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'picker-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const environment = { MCP_TOOLKITS_DATA_DIR: dataDirectory, PATH: process.env['PATH'] }
  const running = startInTerminal([main, 'call', 'GenerateFilePickerUrl', '{}', '--embedded', '--json'], environment)
  const [url = ''] = urlIn.exec(await running.waitForLine(urlIn)) ?? []
  return { running, url, environment }
}

test('in a terminal, call waits until the person has responded on the page', async () => {
  const { running, url, environment } = await callForPage()
  const given = await press(url, 'give', { file: new File(['mine'], 'mine.txt', { type: 'text/plain' }) })
  expect([given.status, given.body]).toEqual([200, containing('<h1>Access given</h1>')])
  expect(await running.result).toMatchObject({ code: 0, output: containing('Answer on the page, in a browser') })
  const found = await runProgram([main, 'call', 'SearchFiles', '{"query":"mine"}', '--embedded'], environment)
  expect(found).toMatchObject({ code: 0, output: containing('mine.txt') })
})

test('Ctrl-C closes the page in a terminal', async () => {
  const { running, url } = await callForPage()
  expect((await fetchPage(url)).status).toBe(200)
  running.writeLine('\u0003')
  expect(await running.result).toMatchObject({ code: 130 })
  await expect(fetchPage(url)).rejects.toThrow('fetch failed')
})

test('call does not wait without a terminal', async () => {
  const dataDirectory = await mkdtemp(path.join(tmpdir(), 'picker-'))
  onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
  const ended = await runProgram([main, 'call', 'GenerateFilePickerUrl', '--embedded'], { MCP_TOOLKITS_DATA_DIR: dataDirectory })
  expect(ended).toMatchObject({ code: 0, output: containing('"url": "http'), errors: containing('closed when this command ended') })
})
