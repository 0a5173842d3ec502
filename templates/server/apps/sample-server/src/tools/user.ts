import * as z from 'zod'
import { defineTool } from '../context.ts'

const User = z.object({ id: z.string(), name: z.string(), email: z.string() })

export const whoAmI = defineTool({
  name: 'WhoAmI',
  title: 'Show the current user',
  description: 'Show the user of Sample Server whose account this server uses.',
  effect: 'read',
  scopes: [],
  input: z.strictObject({}),
  output: z.object({ user: User }),
  example: {},
  async run(_args, { get }, { scope }) {
    return { user: await get('me', User, scope) }
  },
})
