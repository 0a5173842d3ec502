import { at, isRecord, listAt, type Row, textAt } from './json.ts'

/** The answer to a call: the data of its result, or the text that the person reads instead. */
export type Answer = { readonly data: Row } | { readonly problem: string }

interface Shown {
  /** Takes the tool's result, and each later one that replaces it. */
  readonly result: (answer: Answer) => void
  /** Redraws after the host has changed the page's size. */
  readonly draw: () => void
}

const server: unknown = JSON.parse(document.querySelector('#server')?.textContent ?? '{}')
const waiting = new Map<number, (message: unknown) => void>()
/** The last unanswered change to each item: repeating it reuses its key, so that it is made only once. */
const unanswered = new Map<unknown, { readonly change: string; readonly key: string }>()
const sentences: string[] = []
let lastId = 0
let host: unknown
/** The host's context, kept up to date. */
let context: Row = {}
/** The arguments of the call whose result is shown. */
let input: Row = {}
let isOpen = false

const post = (message: Row) => {
  parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
}

async function request(method: string, params: Row): Promise<unknown> {
  const id = (lastId += 1)
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    post({ id, method, params })
  })
}

function answerOf(result: unknown): Answer {
  const data = at(result, 'structuredContent')
  const isResult = at(result, 'isError') !== true
  if (isResult && isRecord(data)) return { data }
  const text = textAt(listAt(result, 'content')[0], 'text')
  try {
    const read: unknown = JSON.parse(text)
    if (isResult && isRecord(read)) return { data: read }
    return { problem: textAt(read, 'error', 'message') || text }
  } catch {
    return { problem: text || 'No result arrived.' }
  }
}

/** True if the server has a tool, and lets this page's user call it. */
export const has = (tool: string): boolean => textAt(server, 'tools', tool) !== ''

/** The arguments of the call whose result is shown. */
export const given = (): Row => input

/** True while the page has all the space it wants. */
export const isLarge = (): boolean => isOpen || context['displayMode'] === 'fullscreen'

/** Calls a tool. A change has a key, so it is made only once, however often it is sent. */
export async function call(tool: string, args: Row, isChange = false): Promise<Answer> {
  const name = textAt(server, 'tools', tool)
  const change = JSON.stringify([tool, args])
  const thing = args['issue_id'] ?? args['file_path_or_id'] ?? change
  const earlier = unanswered.get(thing)
  // If the item has been changed since, the same change counts as a new one: a card may be moved, moved on, and moved back.
  const key = earlier?.change === change ? earlier.key : [...crypto.getRandomValues(new Uint32Array(4))].join('-')
  if (isChange) unanswered.set(thing, { change, key })
  const reply = await request('tools/call', {
    name,
    arguments: args,
    ...(isChange && { _meta: { 'mcp-toolkits/idempotency-key': key } }),
  })
  const problem = textAt(reply, 'error', 'message')
  if (problem !== '') return { problem: `${problem}. Try again: nothing is done twice.` }
  if (unanswered.get(thing)?.key === key) unanswered.delete(thing)
  return answerOf(at(reply, 'result'))
}

/** Quotes text by others, for a sentence that the model reads. */
export const quoted = (text: string): string => JSON.stringify(text.slice(0, 80))

/** Tells the model what the person did, in one sentence. The host keeps only the last text, so each text repeats the earlier sentences. */
export function tell(sentence: string): void {
  sentences.push(sentence)
  if (at(host, 'hostCapabilities', 'updateModelContext') === undefined) return
  void request('ui/update-model-context', { content: [{ type: 'text', text: sentences.slice(-20).join('\n') }] })
}

/** Expands the page, to the full window if the host allows, or collapses it. */
export async function toggleSize(draw: () => void): Promise<void> {
  const mode = isLarge() ? 'inline' : 'fullscreen'
  isOpen = mode === 'fullscreen'
  draw()
  const modes = context['availableDisplayModes']
  if (!Array.isArray(modes) || !modes.includes(mode)) return
  const reply = await request('ui/request-display-mode', { mode })
  context = { ...context, displayMode: at(reply, 'result', 'mode') }
  draw()
}

function takeContext(changed: unknown): void {
  if (!isRecord(changed)) return
  context = { ...context, ...changed }
  const theme = textAt(context, 'theme')
  if (theme !== '') root.style.colorScheme = theme
  for (const [name, value] of Object.entries(at(context, 'styles', 'variables') ?? {}))
    if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value)
}

function takeMessage(message: unknown, { result, draw }: Shown): void {
  const [id, method, params] = [at(message, 'id'), textAt(message, 'method'), at(message, 'params')]
  if (typeof id === 'number' && method === '') {
    waiting.get(id)?.(message)
    waiting.delete(id)
  }
  const event = method.replace('ui/notifications/', '')
  if (event === 'tool-input') {
    const args = at(params, 'arguments')
    input = isRecord(args) ? args : {}
  } else if (event === 'tool-result' || event === 'tool-cancelled') {
    result(event === 'tool-result' ? answerOf(params) : { problem: 'The call was cancelled.' })
    reportSize()
  } else if (event === 'host-context-changed') {
    takeContext(params)
    draw()
  } else if (method !== '' && id !== undefined) post({ id, result: {} })
}

const root = document.documentElement
const sizes = new ResizeObserver(() => {
  const params = { width: root.scrollWidth, height: Math.ceil(root.getBoundingClientRect().height) }
  post({ method: 'ui/notifications/size-changed', params })
})

/** Tells the host the page's size, now and after each change. */
const reportSize = () => {
  sizes.observe(root)
}

/** Starts the conversation with the host. */
export async function start(shown: Shown): Promise<void> {
  let again = 0
  addEventListener('message', ({ source, data }) => {
    if (source === parent) takeMessage(data, shown)
  })
  const greeting = {
    protocolVersion: '2026-01-26',
    appInfo: { name: textAt(server, 'app'), version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  }
  const reply = await new Promise((resolve) => {
    const greet = (waitMs: number) => {
      void request('ui/initialize', greeting).then(resolve)
      // Some hosts listen only after the page has loaded, and would leave it blank.
      again = setTimeout(greet, waitMs, 1.3 * waitMs)
    }
    greet(40)
  })
  clearTimeout(again)
  host = at(reply, 'result')
  takeContext(at(host, 'hostContext'))
  post({ method: 'ui/notifications/initialized' })
  // Resizing the frame keeps the host busy when it should be sending the result.
  setTimeout(reportSize, 200)
}
