import { Message, type Spelling } from '@mcp-toolkits/core/errors'
import { contentWaysOf, type ContentRequest, type Extended } from '../extension.ts'
import { type Success, withNotices } from './answer.ts'

export interface ContentChoice extends Pick<ContentRequest, 'settings' | 'way' | 'link' | 'isLocal'> {
  readonly definition: Extended
  readonly tool: string
  readonly spelling: Spelling
}

/** Returns an answer's content in the way chosen by the call or the operator. Throws typed errors. */
export async function giveContent(answer: Success, { definition, tool, spelling, ...request }: ContentChoice): Promise<Success> {
  const { content, ok, list, narrowing } = answer
  const ways = contentWaysOf(definition, tool)
  if (!content || !ways) return answer
  const { fields, programFields, notice, isEmbedded } = await (await ways.load())(content, { ...request, data: answer.data })
  const noticed = withNotices(answer.data, notice === undefined ? [] : [Message.of(notice).render(spelling)])
  const data = { ...noticed, ...fields }
  const shortened = { ...(list && { list }), ...(narrowing !== undefined && { narrowing }) }
  return { ok, data, ...shortened, ...(isEmbedded && { content }), ...(programFields && { programFields }) }
}
