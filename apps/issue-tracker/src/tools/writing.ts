import * as z from 'zod'
import { day, filled } from './parameters.ts'

export { reference } from './parameters.ts'

/** Parameters of the tools that write. */
export const title = (meaning: string) => filled().describe(meaning)
export const markdown = (meaning: string) => z.string().describe(`${meaning}, in Markdown.`)
export const body = (meaning: string) => filled().describe(`${meaning}, in Markdown.`)
export const names = (meaning: string) => z.array(filled()).max(50).describe(meaning)
export const points = z.int().describe("Points, on the scale of the issue's team.")
export const dueDate = day('The day it is due')
export const address = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).describe('A URL to attach to the issue.')
export const addressTitle = filled().describe('What the attached URL is called; the URL itself if left out.')
export const noticed = { notice: z.string().optional() } as const
