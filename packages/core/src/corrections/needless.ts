import type * as z from 'zod'
import type { JsonObject } from '../base/json.ts'
import { foldSpelling } from './spelling.ts'
import { vocabularyOf, words } from './vocabulary.ts'

/** Arguments, by folded name, that change nothing in calls with the effects (any, if empty), with the values for which that is true. */
const needless: readonly (readonly [effects: string, names: RegExp, values?: RegExp])[] = [
  // Credentials, and the place of another product's data: the server has its own access, to one account.
  ['', /^x?(?:api|write|access|auth|secret|private|public|app|client|consumer|service|oauth|bearer)(?:key|token|secret)$/],
  ['', /^(?:auth(?:orization)?|credentials?|(?:cloud|site|tenant)id|workspace(?:id|slug|name|url)?|region|datacenter)$/],
  // A token in a read may be that of the next page.
  ['create update delete', /^token$/],
  ['', /^(?:thoughts?|thinking|reasoning|rationale)$/],
  // A reason may be meant for a field.
  ['read', /^(?:reason|explanation|justification)$/],
  ['', /^confirm(?:ed)?$/, /^(?:true|yes)$/],
  ['', /^(?:dryrun|validateonly|simulate|preview|autorename|overwrite|upsert|force|debug|async)$/, /^false$/],
  // An object of fields is content.
  ['create update', /^(?:return|response|output|result)?(?:fields|format)$/, /^[^{]*$/],
  ['read', /^(?:mode|method|verb|action|operation|command)$/, /^(?:get|read|fetch|list|find|search|view|show)$/i],
  ['read', /^page(?:number)?$/, /^1$/],
]

export interface IdleIn {
  readonly input: z.ZodObject
  readonly effect?: string | undefined
  readonly args: JsonObject
}

/** True for an argument that would change nothing here: it only explains the call, or is meant for the vendor's API or another server. */
export function isIdle({ input, effect = '', args }: IdleIn, name: string): boolean {
  const [folded, value] = [foldSpelling(name), args[name]]
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const isNeedless = needless.some(
    ([effects, names, values = /^/]) => (effects === '' || words(effects).includes(effect)) && names.test(folded) && values.test(text),
  )
  // Other servers ask for a repository of a code host.
  const isOfRepository = /^(?:owner|repo)$/.test(name) && Object.hasOwn(args, 'owner') && Object.hasOwn(args, 'repo')
  const [, own] = Object.entries(vocabularyOf(input).idle ?? {}).find(([each]) => foldSpelling(each) === folded) ?? []
  return isNeedless || isOfRepository || (own !== undefined && (own.length === 0 || own.some((each) => each === value)))
}

/** Folded names of arguments about the form of a result: the result itself shows whether it has that form. */
export const aboutForm =
  /^(?:fields?|columns|expand|\w*format|verbose|detailed|pretty|encoding|(?:include|with)(?!out|.*(?:read|archiv|clos|complet|delet|done|cancel|sub|child|past|all|active)).*)$/
