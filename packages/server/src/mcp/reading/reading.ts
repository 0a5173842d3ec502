import { isObject, member, stringMember } from '@mcp-toolkits/core/base'
import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type Result,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Answer } from '../answers/answer.ts'
import type { Apps } from '../apps/apps.ts'
import type { Loaders } from '../definition.ts'
import { toToolResult } from '../answers/mcp-result.ts'
import { countCall, currentCaller, currentDelivery } from '../calls/current-request.ts'
import type { Toolbox } from '../calls/toolbox.ts'
import { traceOf } from '../calls/trace.ts'
import type { ReadingMethod } from './capability.ts'
import { withLinks } from './links.ts'
import type { ToolResource } from './readable.ts'
import { type ServedSkill, servedSkills, skillEntry } from './skills.ts'

/** Time, in milliseconds, that a client may cache data that changes only on a restart. */
const cached = { ttlMs: 300_000, cacheScope: 'public' } as const

type Handler = (params: unknown, context: ServerContext, apps: Apps | undefined) => Result | Promise<Result>

interface Readings {
  readonly prefix: string
  readonly load: Pick<Loaders<never>, 'readable'>
}

/** Serves everything that clients can read besides the tools, and adds links to answers. */
export async function openReading({ prefix, load }: Readings, toolbox: Toolbox) {
  const { skills, resources } = (await load.readable?.()) ?? { skills: [], resources: [] }
  const { listing } = toolbox
  const served = servedSkills(skills, listing, prefix)
  const readable = resources.filter(({ tool }) => listing.spell(`${prefix}.${tool}`) !== undefined)
  const methods: Readonly<Record<ReadingMethod, Handler>> = {
    'resources/list': (_params, _context, apps) => ({
      resources: [...(apps?.resources() ?? []), ...served.map(resourceOf)],
      ...(apps ? { ...cached, cacheScope: 'private' } : cached),
    }),
    'resources/templates/list': () => ({ resourceTemplates: readable.map(templateOf), ...cached }),
    'resources/read': (params, context, apps) => {
      const uri = stringMember(params, 'uri') ?? ''
      return apps && uri.startsWith('ui:') ? apps.read(uri) : readResource(uri, context)
    },
    'prompts/list': () => ({ prompts: served.map(promptOf), ...cached }),
    'prompts/get': (params) => promptText(served, params),
    'skills/list': () => ({ skills: served.map(skillEntry), ...cached }),
    'skills/get': (params) => ({ skill: skillEntry(findSkill(served, stringMember(params, 'uri'))), ...cached }),
  }

  async function readResource(uri: string, context: ServerContext): Promise<ReadResourceResult> {
    const skill = served.find((each) => each.uri === uri)
    if (skill) return { contents: [{ uri, mimeType: 'text/markdown', text: skill.text }] }
    for (const resource of readable) {
      const value = variableIn(uri, resource.uriTemplate)
      if (value) return { contents: [{ uri, ...(await readByTool(resource, value, context)) }] }
    }
    throw new ResourceNotFoundError(uri)
  }

  /** Calls the tool that reads a resource, like any other call. */
  async function readByTool({ tool: name, text }: ToolResource, args: Readonly<Record<string, string>>, context: ServerContext) {
    const tool = listing.find(`${prefix}.${name}`)
    if (!tool) throw new ResourceNotFoundError(Object.values(args).join())
    countCall()
    const caller = currentCaller()
    const { signal } = context.mcpReq
    const call = () => toolbox.invoke(tool, args, { signal, caller, delivery: currentDelivery() })
    const answer = await (toolbox.audit ? toolbox.audit.call({ caller, tool, args, trace: traceOf(context), signal }, call) : call())
    const { structuredContent, content } = toToolResult(answer, toolbox.embedded)
    const [block] = content
    const whole = block?.type === 'text' ? block.text : ''
    if (!isObject(structuredContent)) throw problemOf(whole)
    const part = text === undefined ? undefined : stringMember(structuredContent, text)
    return part === undefined ? { mimeType: 'application/json', text: whole } : { mimeType: 'text/plain', text: part }
  }

  return {
    answer: async (method: ReadingMethod, ...request: Parameters<Handler>): Promise<Result> => methods[method](...request),
    /** Adds links to the items that a tool's answer is about. */
    link: (answer: Answer) => withLinks(answer, readable),
  }
}

/** A template's variable and its value in an address; undefined if the address does not match the template. */
function variableIn(uri: string, template: string): Readonly<Record<string, string>> | undefined {
  const [start = '', variable = ''] = template.split(/[{}]/)
  if (!uri.startsWith(start) || uri.length === start.length) return undefined
  try {
    return { [variable]: decodeURIComponent(uri.slice(start.length)) }
  } catch {
    return undefined
  }
}

/** A tool's error as a protocol error, with the next step for the caller. */
function problemOf(text: string): ProtocolError {
  const error = member(JSON.parse(text), 'error')
  const code = stringMember(error, 'code')
  const isCallers = code === 'not_found' || code === 'invalid_input' || code === 'ambiguous'
  return new ProtocolError(
    isCallers ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
    stringMember(error, 'message') ?? text,
    {
      error,
    },
  )
}

function findSkill(served: readonly ServedSkill[], uri: string | undefined): ServedSkill {
  const skill = served.find((each) => each.uri === uri)
  if (!skill)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No skill is at ${uri ?? 'this address'}. List them with skills/list.`)
  return skill
}

const resourceOf = ({ uri, frontmatter: { name, description } }: ServedSkill) => ({ uri, name, description, mimeType: 'text/markdown' })

const templateOf = ({ uriTemplate, name, title, description }: ToolResource) => ({ uriTemplate, name, title, description })

const promptOf = ({ frontmatter: { name, description } }: ServedSkill) => ({
  name,
  description,
  arguments: [{ name: 'request', description: 'Details in your own words, such as a name or a period.', required: false }],
})

function promptText(served: readonly ServedSkill[], params: unknown) {
  const name = stringMember(params, 'name') ?? ''
  const skill = served.find(({ frontmatter }) => frontmatter.name === name)
  if (!skill) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt ${name}. List them with prompts/list.`)
  const request = stringMember(member(params, 'arguments'), 'request')
  const text = request === undefined ? skill.body : `${skill.body}\nThe request: ${request}\n`
  return { description: skill.frontmatter.description, messages: [{ role: 'user', content: { type: 'text', text } }] }
}
