import type { JsonObject } from '../base/json.ts'
import { foldSpelling } from './spelling.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Arguments that change nothing in any tool, as `effect name=value` with the folded name, and JSON for a value that is not text. */
const needless: readonly RegExp[] = [
  // Credentials, and the place of another product's data: the server has its own access, to one account.
  / x?(?:api|write|access|auth|secret|private|public|app|client|consumer|service|oauth|bearer)(?:key|token|secret)=/,
  / (?:auth(?:orization)?|credentials?|usergoogleemail|(?:cloud|site|tenant)id|workspace(?:id|slug|name|url)?|region|datacenter)=/,
  / (?:thoughts?|thinking|reasoning|rationale)=| confirm(?:ed)?=(?:true|yes)$/,
  // In a write, a reason may be meant for a field; in a read, a token for a page.
  /^read (?:reason|explanation|justification)=|^(?:create|update|delete) token=/,
  / (?:dryrun|validateonly|simulate|preview|autorename|overwrite|upsert|force|debug|async)=false$/,
  // An empty value asks for nothing in a read; in a write, it may clear something.
  /^read [^=]*=(?:null|\[\]|\{\})?$/,
  // An object of fields is content.
  /^(?:create|update) (?:return|response|output|result)?(?:fields|format)=[^{]*$/,
  /^read (?:(?:mode|method|verb|action|operation|command)=(?:get|read|fetch|list|find|search|view|show)|(?:query|search)(?:type|mode)=(?:internal|default|semantic|keyword|hybrid)|page(?:number)?=1)$/i,
]

/** True for an argument that would change nothing here: it only explains the call, or is meant for the vendor's API or another server. */
export function isIdle({ idle = {} }: Vocabulary, effect: string | undefined, args: JsonObject, name: string): boolean {
  const [folded, value] = [foldSpelling(name), args[name]]
  const said = `${effect} ${folded}=${typeof value === 'string' ? value : JSON.stringify(value)}`
  // Other servers ask for a repository of a code host.
  const isOfRepository = /^(?:owner|repo)$/.test(name) && Object.hasOwn(args, 'owner') && Object.hasOwn(args, 'repo')
  const [, own] = Object.entries(idle).find(([each]) => foldSpelling(each) === folded) ?? []
  const isOwn = own !== undefined && (own.length === 0 || own.some((each) => each === value))
  return isOwn || isOfRepository || needless.some((asks) => asks.test(said))
}

/** Folded names of arguments about the form of a result: the result itself shows whether it has that form. */
export const aboutForm =
  /^(?:fields?|columns|expand|\w*format|verbose|detailed|pretty|encoding|(?:include|with)(?!out|.*(?:read|archiv|clos|complet|delet|done|cancel|sub|child|past|all|active)).*)$/
