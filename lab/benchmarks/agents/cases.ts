// What a mistaken call is, and what it should lead to.
export type Arguments = Readonly<Record<string, unknown>>

export const serverNames = ['file-storage', 'event-pipeline', 'issue-tracker'] as const
export type ServerName = (typeof serverNames)[number]

/** The kinds of mistakes that agents make. */
export type Kind =
  | 'direction'
  | 'path'
  | 'shared drive'
  | 'enumeration'
  | 'event body'
  | 'silent loss'
  | 'date'
  | 'argument name'
  | 'reference'
  | 'form'
  | 'tool name'
  | 'family of tools'

/** A call by the name of the tool without its prefix. */
export interface Call {
  readonly tool: string
  readonly args: Arguments
}

/** What has to be true afterwards. */
export type Intent =
  /** The vendor has stored, and a read has returned, what it would have after this call. */
  | { readonly wanted: 'outcome of'; readonly call: Call; readonly orRefused?: true }
  /** Nobody can know what was meant: nothing changes and the error names candidates, of which these are some. */
  | { readonly wanted: 'candidates'; readonly suggested: readonly string[] }
  /** It cannot be done: nothing changes, whatever the error leads to. */
  | { readonly wanted: 'refusal' }
  /** It succeeds and says something that matches, or it is refused with a way on. */
  | { readonly wanted: 'notice'; readonly pattern: RegExp; readonly call?: Call }

export interface MistakenCall extends Call {
  readonly kind: Kind
  readonly intent: Intent
}

/** The cases of one kind, as the files of cases write them. */
export function casesOf(kind: Kind) {
  const intended = ({ tool, args }: Call, change: Arguments, otherTool = tool): Call => ({
    tool: otherTool,
    args: Object.fromEntries(Object.entries({ ...args, ...change }).filter(([, value]) => value !== undefined)),
  })
  return {
    /** A call that means the same call with other arguments, or with another tool. An argument that is undefined is left out. */
    means(tool: string, args: Arguments, change: Arguments, otherTool?: string): MistakenCall {
      return { kind, tool, args, intent: { wanted: 'outcome of', call: intended({ tool, args }, change, otherTool) } }
    },
    /** Like `means`; a refusal that changes nothing is as good an answer. */
    mayMean(tool: string, args: Arguments, change: Arguments, otherTool?: string): MistakenCall {
      return { kind, tool, args, intent: { wanted: 'outcome of', call: intended({ tool, args }, change, otherTool), orRefused: true } }
    },
    /** A call whose intent cannot be known. */
    unclear(tool: string, args: Arguments, ...suggested: string[]): MistakenCall {
      return { kind, tool, args, intent: { wanted: 'candidates', suggested } }
    },
    /** A call that asks for what cannot be done. */
    impossible(tool: string, args: Arguments): MistakenCall {
      return { kind, tool, args, intent: { wanted: 'refusal' } }
    },
    /** A call of which something is ignored or read otherwise. With `change`, the outcome is that of the changed call. */
    says(pattern: RegExp, tool: string, args: Arguments, change?: Arguments): MistakenCall {
      return { kind, tool, args, intent: { wanted: 'notice', pattern, ...(change && { call: intended({ tool, args }, change) }) } }
    },
  }
}

/** One case for each form in which something is written, with what it means. */
export function forms<Meant>(
  table: Readonly<Record<string, Meant>>,
  toCase: (written: string, meant: Meant) => MistakenCall,
): readonly MistakenCall[] {
  return Object.entries(table).map(([written, meant]) => toCase(written, meant))
}
