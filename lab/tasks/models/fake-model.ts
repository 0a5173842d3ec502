// A model endpoint on this machine that plays the solutions of tasks, in both forms, and knows only what is sent to it.
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { isObject, type JsonObject, member, parseJson } from '../../../packages/core/src/base/json.ts'
import { listenOnLoopback } from '../../../packages/testing/src/processes/loopback.ts'
import type { Task } from '../task.ts'
import { type Arguments, rows } from '../tools.ts'

export interface FakeModel extends AsyncDisposable {
  readonly url: string
}

/** A solution's next step: a call or an answer. */
type Step = { readonly tool: string; readonly args: Arguments } | { readonly answer: string }

/** Runs a solution step by step: each result leads to the next step. */
function stepsOf(task: Task): (result?: string) => Promise<Step> {
  let next = Promise.withResolvers<Step>()
  let give: (result: string) => void = () => undefined
  const ask = (tool: string, args: Arguments = {}): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>()
    give = resolve
    next.resolve({ tool, args })
    return promise
  }
  const call = async (tool: string, args?: Arguments): Promise<JsonObject> => {
    const data = parseJson(await ask(tool, args))
    return isObject(data) ? data : {}
  }
  const begin = async () => {
    try {
      const answer = await task.solve({ call, refused: ask })
      next.resolve({ answer })
    } catch (error) {
      next.reject(error)
    }
  }
  let isBegun = false
  return (result = '') => {
    next = Promise.withResolvers()
    if (isBegun) give(result)
    else void begin()
    isBegun = true
    return next.promise
  }
}

export async function startFakeModel(tasks: readonly Task[]): Promise<FakeModel> {
  const conversations = new Map<string, (result?: string) => Promise<Step>>()
  const stepFor = async (wish: string, result: string | undefined): Promise<Step> => {
    const task = tasks.find((each) => each.wish === wish)
    if (!task) throw new Error(`No task has the wish ${wish}.`)
    const steps = (result === undefined ? undefined : conversations.get(wish)) ?? stepsOf(task)
    conversations.set(wish, steps)
    return steps(result)
  }
  const server = createServer((request, response) => {
    const answer = async () => {
      const body = await json(request)
      const { read, write } = request.url?.endsWith('/messages') === true ? inMessages : inChat
      const step = await stepFor(...read(rows(member(body, 'messages'))))
      const names = rows(member(body, 'tools')).map((tool) => String(tool['name'] ?? member(tool['function'], 'name')))
      return write(step, (tool) => names.find((name) => name.endsWith(`_${tool}`)) ?? tool)
    }
    answer().then(
      (value) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(400).end(String(error)),
    )
  })
  return listenOnLoopback(server)
}

type Naming = (tool: string) => string
type Messages = readonly JsonObject[]

const inChat = {
  read: (messages: Messages): [string, string | undefined] => {
    const last = messages.at(-1)
    return [String(messages[1]?.['content']), last?.['role'] === 'tool' ? String(last['content']) : undefined]
  },
  write: (step: Step, named: Naming) => ({
    choices: [
      {
        message:
          'answer' in step
            ? { content: step.answer }
            : { tool_calls: [{ id: 'call', function: { name: named(step.tool), arguments: JSON.stringify(step.args) } }] },
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 10 },
  }),
}

const inMessages = {
  read: (messages: Messages): [string, string | undefined] => {
    const last = messages.length > 1 ? rows(messages.at(-1)?.['content'])[0] : undefined
    return [String(messages[0]?.['content']), last && String(last['content'])]
  },
  write: (step: Step, named: Naming) => ({
    content: [
      'answer' in step ? { type: 'text', text: step.answer } : { type: 'tool_use', id: 'call', name: named(step.tool), input: step.args },
    ],
    usage: { input_tokens: 100, output_tokens: 10 },
  }),
}
