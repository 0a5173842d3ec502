import { abortReason, type Clock } from '@mcp-toolkits/core/base'
import type { CallOperation } from '@mcp-toolkits/core/tool'
import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import type { Answer } from '../answers/answer.ts'
import type { CallOptions } from '../call.ts'
import { traceOf } from '../calls/trace.ts'
import type { ListedTool } from '../definition.ts'
import { acceptedModes, type Elicitation } from '../elicitation/elicitation.ts'
import type { Arguments } from '../elicitation/form.ts'
import type { CreatedTask } from './task.ts'
import type { TaskRun } from './task-run.ts'
import type { TaskDesk } from './desk-types.ts'

/** Time, in milliseconds, after which a call becomes a task. */
const callMs = 2_000

/** A call that may outlive its request. */
export interface LongCall {
  readonly tool: ListedTool
  readonly given: Arguments
  readonly options: CallOptions
  readonly context: ServerContext
  readonly asking: Pick<Elicitation, 'stateOf'>
  /** Makes the call. `onArguments` receives the arguments used. */
  readonly make: (options: CallOptions, onArguments: (args: Arguments) => void) => Promise<Answer | InputRequiredResult>
}

/** Answers a call that ends soon; any other call continues as a task. */
export async function answerOrHandOver(
  { tool, given, options, context, asking, make }: LongCall,
  { hasPending, load }: Pick<TaskDesk, 'hasPending' | 'load'>,
  clock: Clock,
): Promise<Answer | InputRequiredResult | CreatedTask> {
  const { caller, delivery } = options
  const isOwnKey = options.key === undefined && tool.effect !== 'read'
  const joined = isOwnKey && (await hasPending()) ? await (await load()).joined(tool, given, caller) : undefined
  if (joined) return joined
  const controller = new AbortController()
  const leave = () => {
    controller.abort(abortReason(options.signal))
  }
  options.signal.addEventListener('abort', leave)
  let [args, report]: [Arguments, CallOptions['progress']] = [given, options.progress]
  let latest: Parameters<TaskRun['report']> | undefined
  let operation: CallOperation | undefined
  let ownKey: string | undefined
  const detached: CallOptions = {
    ...options,
    signal: controller.signal,
    // The request is answered in time, no matter how long the work takes.
    patienceMs: undefined,
    progress(...step) {
      latest = step
      report?.(...step)
    },
    onOperation(opened) {
      operation = opened
      if (ownKey !== undefined) void opened.assignKey(ownKey).catch(() => undefined)
    },
  }
  const onTask = async (run: TaskRun) => {
    options.signal.removeEventListener('abort', leave)
    report = run.report
    if (latest) run.report(...latest)
    if (operation) run.follow(operation)
    if (!isOwnKey) return
    ownKey = run.task.id
    // If this fails, the operation is found by its arguments.
    await operation?.assignKey(ownKey).catch(() => undefined)
  }
  const working = make(detached, (made) => (args = made))
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = clock.timer(callMs, () => {
    resolve(undefined)
  })
  try {
    const answer = await Promise.race([working, late])
    if (answer) return answer
    const key = typeof options.key === 'string' ? options.key : undefined
    const stateOf = (asked: InputRequiredResult) => asking.stateOf(asked, context)
    const work = { given, args, key, caller, modes: acceptedModes(context), trace: traceOf(context) }
    const started = { tool, work, controller, working, stateOf, delivery, onTask }
    return (await (await load()).begin(started)) ?? (await working)
  } finally {
    timer.cancel()
    options.signal.removeEventListener('abort', leave)
  }
}
