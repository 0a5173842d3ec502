import type { Caller } from '@mcp-toolkits/core/base'
import { type Spelling, storageFailure, ToolError, withDetails } from '@mcp-toolkits/core/errors'
import { isTemporary, withInvocation } from '../../cli/invocation.ts'
import type { ConnectLinks } from '../connect-links.ts'
import type { ServerDefinition, Settings } from '../definition.ts'
import { type Failure, toFailure } from './answer.ts'
import type { ExitFilter } from './exit-filter.ts'

interface FailedCall<Context> {
  readonly definition: ServerDefinition<Context>
  readonly options: {
    readonly settings: Settings
    /** Makes the pages at which people do what their calls need; absent where all calls use one account. */
    readonly links?: Pick<ConnectLinks, 'create'> | undefined
    readonly spelling: Spelling
    readonly filter: ExitFilter
  }
  readonly call: { readonly caller?: Caller | undefined }
}

/** The answer for an error, with the page at which its person can solve it. */
export async function failureAnswer<Context>(
  error: unknown,
  { definition, options, call: { caller } }: FailedCall<Context>,
): Promise<Failure> {
  const { links, spelling } = options
  const filter = withTypedCommand(definition, options)
  const step = error instanceof ToolError ? error.details.connect : undefined
  if (!(error instanceof ToolError) || !step || !links || !caller) return toFailure(error, spelling, filter)
  if (caller.isService) {
    const { serviceProblem } = await import('../elicitation/connect-prompt.ts')
    return toFailure(serviceProblem(definition, caller, step), spelling, filter)
  }
  try {
    const { id, url } = await links.create({ ...step, caller })
    const known = withDetails(error, error.text, { ...error.details, next: { ...error.details.next, url } })
    const { connectMessage } = await import('../elicitation/connect-prompt.ts')
    return { ...toFailure(known, spelling, filter), connectLink: { id, url, message: connectMessage(definition, step) } }
  } catch (failure) {
    return toFailure(storageFailure(failure, options.settings.dataDirectory) ?? failure, spelling, filter)
  }
}

/** Commands in errors are those that the person can type, also where npx has started the server. */
function withTypedCommand(
  definition: Pick<ServerDefinition<never>, 'name'>,
  { filter, settings: { environment } }: { readonly filter: ExitFilter; readonly settings: Pick<Settings, 'environment'> },
): ExitFilter {
  const program = process.argv[1] ?? ''
  if (!isTemporary(program)) return filter
  const spell = withInvocation(definition, { environment, program })
  return (text) => filter(spell(text))
}
