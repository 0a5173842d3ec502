import { member } from '@mcp-toolkits/core/base'
import { type Choice, printableLine, quote } from '@mcp-toolkits/core/errors'
import { consentParameter, isConsent } from '@mcp-toolkits/core/tool'
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server'
import type { ListedTool } from '../definition.ts'

export type Arguments = Readonly<Record<string, unknown>>

/** One field of a form: the reference in the arguments that it resolves, and the ids that it offers. */
export interface FormField {
  readonly name: string
  readonly parameter: string
  readonly given: string
  readonly ids: readonly string[]
}

/** A person's choice for one reference. */
export interface Selection extends Pick<Choice, 'parameter'> {
  /** The reference; named as in the signed state of earlier versions. */
  readonly given: string
  readonly id: string
}

/** Style of a field's options: revisions before 2025-11-25 have no titles next to values. */
export type OptionStyle = 'titled' | 'parallel'

/** Maximum number of options in a form; a longer list would be unusable. */
const maxOptions = 20
/** Maximum number of characters of a reference to quote. */
const maxQuotedLength = 80

/** True if the arguments contain all references, so that the chosen ids can replace them. */
export function canApply(choices: readonly Choice[], args: Arguments): boolean {
  return choices.every(({ parameter, reference, consequence, options }) => {
    const value = args[parameter]
    if (consequence !== undefined) return parameter === consentParameter
    return options.length > 0 && (Array.isArray(value) ? value.includes(reference) : typeof value === 'string')
  })
}

export function toFields(choices: readonly Choice[]): FormField[] {
  return choices.map(({ parameter, reference: given, options }, index) => ({
    name: nameOf(parameter, index, choices),
    parameter,
    given,
    ids: options.slice(0, maxOptions).map(({ id }) => id),
  }))
}

/** The form for a person: one field per choice, and a message that explains the call. */
export function toForm(title: string, choices: readonly Choice[], style: OptionStyle = 'titled'): ElicitRequestFormParams {
  const [consequence] = choices.flatMap((choice) => choice.consequence ?? [])
  const problems = [...new Set(choices.map(({ kind, reference }) => `${quoted(reference)} matches more than one ${kind}`))]
  const properties = choices.map((choice, index) => [nameOf(choice.parameter, index, choices), fieldSchema(choice, style)] as const)
  return {
    message:
      consequence !== undefined
        ? `"${title}" was called. ${printableLine(consequence)} Agree to continue. If you decline, nothing is done.`
        : `"${title}" was called, and ${problems.join(', ')}. Choose what is meant. If you decline, nothing is done.`,
    requestedSchema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: properties.map(([name]) => name),
    },
  }
}

function fieldSchema({ kind, parameter, reference, consequence, options }: Choice, style: OptionStyle) {
  if (consequence !== undefined) return { type: 'boolean', title: 'I agree', default: false } as const
  const shownOptions = options.slice(0, maxOptions)
  const note = shownOptions.length < options.length ? ` These are the first ${shownOptions.length} of ${options.length}.` : ''
  const field = {
    type: 'string',
    title: `Which ${kind} is ${quoted(reference)}?`,
    description: `The call gives it as ${parameter}.${note}`,
  } as const
  return style === 'titled'
    ? { ...field, oneOf: shownOptions.map(({ id, label }) => ({ const: id, title: printableLine(label) })) }
    : { ...field, enum: shownOptions.map(({ id }) => id), enumNames: shownOptions.map(({ label }) => printableLine(label)) }
}

/** The selections in all fields; undefined if the content does not match the question. */
export function readSelections(content: unknown, fields: readonly FormField[]): Selection[] | undefined {
  if (typeof content !== 'object' || content === null) return undefined
  const values = new Map<string, unknown>(Object.entries(content))
  const chosen = fields.flatMap(({ name, parameter, given, ids }) => {
    const id = ids.find((offered) => offered === (values.get(name) === true ? 'true' : values.get(name)))
    return id === undefined ? [] : [{ parameter, given, id }]
  })
  return chosen.length === fields.length ? chosen : undefined
}

/** Removes consent that a caller claims: if the client can ask, only the person can give consent. */
export function withoutConsent({ tool, args }: { readonly tool: Pick<ListedTool, 'inputSchema'>; readonly args: Arguments }): Arguments {
  if (member(tool.inputSchema['properties'], consentParameter) === undefined) return args
  return Object.fromEntries(Object.entries(args).filter(([name]) => !isConsent(name)))
}

/** Replaces the ambiguous references in the arguments with the chosen ids. */
export function applySelections(args: Arguments, chosen: readonly Selection[]): Arguments {
  return chosen.reduce((changed, { parameter, given, id }) => {
    const value = changed[parameter]
    if (parameter === consentParameter) return { ...changed, [parameter]: true }
    return { ...changed, [parameter]: Array.isArray(value) ? value.map((each: unknown) => (each === given ? id : each)) : id }
  }, args)
}

/** The parameter's name, numbered if there are several fields: a list can need more than one. */
function nameOf(parameter: string, index: number, all: readonly unknown[]): string {
  return all.length === 1 ? parameter : `${parameter}_${index + 1}`
}

function quoted(text: string): string {
  return quote(text.replace(/\s+/g, ' '), maxQuotedLength)
}
