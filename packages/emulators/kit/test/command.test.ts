import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { runCommand } from '../src/command/command.ts'
import { SeedError } from '../src/index.ts'
import { notesEmulator } from './notes.ts'

const Started = z.object({
  url: z.string(),
  apiKey: z.string(),
  control: z.string(),
  controlToken: z.string(),
  workspace: z.string().nullable(),
  data: z.string().nullable(),
})

function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'command-'))
  onTestFinished(() => {
    rmSync(directory, { recursive: true, force: true })
  })
  return directory
}

/** Runs the notes emulator's command. */
function run(
  args: readonly string[],
  { env = {}, dataDirectory = '/nowhere' }: { readonly env?: Record<string, string>; readonly dataDirectory?: string } = {},
) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const first = new Promise<string>((resolve) =>
    stdout.once('data', (part: Buffer) => {
      resolve(part.toString())
    }),
  )
  const stops: (() => void)[] = []
  const opened: unknown[] = []
  const definition = {
    name: 'notes-emulator',
    version: '1.2.3',
    service: 'Notes',
    port: 0,
    dataDirectory,
    credential: { name: 'apiKey', value: 'notes' } as const,
    options: {
      note: { placeholder: 'TEXT', description: 'a note', problem: (text: string) => (text === 'bad' ? 'it must not be bad.' : undefined) },
    },
    open: (options: { readonly file?: string; readonly seed?: string; readonly credential?: string }) => {
      opened.push(options)
      if (options.seed === 'broken.yaml') throw new SeedError([], 'broken.yaml, line 1: nothing fits.')
      return Promise.resolve(notesEmulator({ ...(options.file !== undefined && { file: options.file }) }))
    },
    hint: (url: string, key: string) => `Notes are at ${url}/notes, with ${key}.`,
  }
  const program = {
    argv: ['node', 'notes-emulator', ...args],
    env,
    stdout,
    stderr,
    once: (_signal: string, stop: () => void) => stops.push(stop),
  }
  const code = runCommand(definition, program).finally(() => {
    stdout.end()
    stderr.end()
  })
  const stop = async () => {
    for (const each of stops) each()
    return code
  }
  onTestFinished(async () => {
    await stop()
  })
  const failure = async () => ({ code: await code, errors: await text(stderr) })
  const started = async () => Started.parse(JSON.parse(await first))
  return { code, first, failure, started, stop, opened }
}

/** The response's status for a request with the given headers, which may include `Host`. */
function ask(url: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

describe('the command of an emulator', () => {
  it('prints where it listens as one line of JSON, and ends with a signal', async () => {
    const { started, stop } = run(['--memory', '--json'])
    const { url, apiKey, control, controlToken, workspace, data } = await started()
    expect([apiKey, data, workspace, control]).toEqual(['notes', null, `${url}/workspace`, `${url}/__emulator`])
    expect(await (await fetch(`${control}/health`)).json()).toEqual({ status: 'ok', service: 'Notes <API>' })
    const reset = await fetch(`${control}/reset`, { method: 'POST', headers: { authorization: `Bearer ${controlToken}` } })
    expect([reset.status, await stop()]).toEqual([200, 0])
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })

  it('stores its data in its own directory, or in one that is chosen', async () => {
    const [own, chosen] = [temporaryDirectory(), temporaryDirectory()]
    const first = run(['--json'], { dataDirectory: own })
    expect((await first.started()).data).toBe(path.join(own, 'notes.db'))
    const second = run(['--json', '--data-dir', chosen], { dataDirectory: own })
    const { data, url } = await second.started()
    await fetch(`${url}/notes`, { method: 'POST', body: 'mine' })
    expect([data, readdirSync(chosen)]).toEqual([path.join(chosen, 'notes.db'), expect.arrayContaining(['notes.db'])])
    await second.stop()
    const third = run(['--json', '--data-dir', chosen])
    const notes: unknown = await (await fetch(`${(await third.started()).url}/notes`)).json()
    expect(notes).toMatchObject([{ body: 'welcome' }, { body: 'mine' }])
  })

  it('tells people how to reach it', async () => {
    const { first } = run(['--memory', '--api-key', 'secret'])
    expect(await first).toMatch(
      /^Notes is emulated on http:\/\/127\.0\.0\.1:\d+ \(this machine only; no request is forwarded\)\.\nNotes are at .*\/notes, with secret\.\nData: in memory/,
    )
  })

  it('prints help and version', async () => {
    expect(await run(['--version']).first).toBe('1.2.3\n')
    expect(await run(['-h']).first).toMatch(/Usage: notes-emulator \[options\]\n\n {2}--port PORT/)
  })

  it('passes seed and secrets on', async () => {
    const env = { NOTES_EMULATOR_API_KEY: 'from-environment', NOTES_EMULATOR_CONTROL_TOKEN: 'hidden' }
    const { started, opened } = run(['--memory', '--json', '--seed', 'empty'], { env })
    expect(await started()).toMatchObject({ apiKey: 'from-environment', controlToken: 'hidden' })
    expect(opened).toEqual([{ seed: 'empty', credential: 'from-environment', own: new Map([['note', []]]) }])
  })

  it('passes on the options that only one emulator has', async () => {
    const { started, opened } = run(['--memory', '--json', '--note', 'a', '--note=b'])
    await started()
    expect(opened).toEqual([{ own: new Map([['note', ['a', 'b']]]) }])
  })

  it.each([
    [['--note', 'bad'], '--note: it must not be bad.'],
    [['--note', ''], '--note: it needs a value.'],
    [['--prot', '1'], 'There is no option "--prot". Did you mean --port? Try --help.'],
    [['--memroy'], 'There is no option "--memroy". Did you mean --memory? Try --help.'],
    [['--data_dir=x'], 'There is no option "--data_dir". Did you mean --data-dir? Try --help.'],
    [['--quux'], 'There is no option "--quux". Options: --port, '],
    [['--port'], "Option '--port <value>' argument missing. Try --help."],
    [['--port', 'x'], '--port must be from 0 to 65535'],
    [['--port', '70000'], '--port must be from 0 to 65535'],
    [['--port', '6000'], 'fetch refuses to connect'],
    [['serve'], '"serve" is not expected'],
    [['--memory', '--data-dir', 'x'], '--memory stores nothing'],
    [['--seed', ''], '--seed needs a value.'],
    [['--api-key', 'two words'], 'The API key of --api-key must be one word'],
    [
      ['--host', '0.0.0.0'],
      'given: --api-key WORD and --control-token WORD, or the variables NOTES_EMULATOR_API_KEY and NOTES_EMULATOR_CONTROL_TOKEN',
    ],
    [['--host', '0.0.0.0', '--api-key', 'secret'], 'Other machines can reach 0.0.0.0'],
    [['--host', '192.0.2.1', '--api-key', 'secret', '--control-token', 'hidden'], '"192.0.2.1" is not an address of this machine.'],
  ])('refuses %j', async (args, problem) => {
    const { code, errors } = await run(['--memory', ...args]).failure()
    expect([code, errors]).toEqual([2, expect.stringContaining(problem)])
    expect(errors).toMatch(/^notes-emulator: .* Try --help\.\n$/)
  })

  it('says when the port is in use', async () => {
    const { url } = await run(['--memory', '--json']).started()
    const { port } = new URL(url)
    const { code, errors } = await run(['--memory', '--port', port]).failure()
    expect([code, errors]).toEqual([
      2,
      `notes-emulator: Port ${port} is in use. Stop the program listening there, or choose another with --port; 0 takes any free one. Try --help.\n`,
    ])
  })

  it('says what is wrong with a seed or with the data', async () => {
    expect(await run(['--memory', '--seed', 'broken.yaml']).failure()).toEqual({
      code: 1,
      errors: 'notes-emulator: broken.yaml, line 1: nothing fits. Correct it, or choose another seed with --seed.\n',
    })
    const file = path.join(temporaryDirectory(), 'file')
    writeFileSync(file, '')
    const { code, errors } = await run(['--data-dir', file]).failure()
    expect([code, errors]).toEqual([1, expect.stringContaining(path.join(file, 'notes.db'))])
  })
})

describe('beyond loopback', () => {
  it('serves the API, and control only with its token, but no pages', async () => {
    const { started } = run(['--memory', '--json', '--host', '0.0.0.0', '--api-key', 'key', '--control-token', 'secret'])
    const { url, workspace } = await started()
    expect(workspace).toBeNull()
    const local = new URL(url).host
    for (const host of [local, 'notes.example', 'localhost', `localhost:${new URL(url).port}`]) {
      const statuses = async (headers: Readonly<Record<string, string>> = {}) =>
        Promise.all(
          ['/notes', '/__emulator/health', '/__emulator/requests', '/', '/workspace', '/workspace/requests'].map((where) =>
            ask(url + where, { host, ...headers }),
          ),
        )
      expect(await statuses(), host).toEqual([200, 200, 401, 401, 403, 403])
      expect((await statuses({ authorization: 'Bearer secret' })).slice(0, 3), host).toEqual([200, 200, 200])
      expect((await statuses({ authorization: 'Bearer secret' })).slice(4), host).toEqual([403, 403])
      expect(await statuses({ origin: 'http://evil.example', authorization: 'Bearer secret' }), host).toEqual(Array(6).fill(403))
    }
  })

  it('needs a control token', async () => {
    const emulator = notesEmulator()
    onTestFinished(emulator.close)
    await expect(emulator.listen({ host: '0.0.0.0' })).rejects.toThrow('Other machines can reach 0.0.0.0: give a controlToken.')
  })
})
