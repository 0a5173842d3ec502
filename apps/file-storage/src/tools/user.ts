import * as z from 'zod'
import { defineTool } from '../context.ts'
import { listSharedDrives, getAbout } from '../drive/about.ts'

const bytes = (what: string) => z.int().nullable().describe(what)

export const whoAmI = defineTool({
  name: 'WhoAmI',
  title: 'Get my profile and shared drives',
  description:
    "Show who is signed in to Google Drive: the current user's account and profile (name, email), how full the drive is (storage used, left, quota), and which shared drives I can access, with ids; shared drives are null without the scope drive.readonly or drive.",
  effect: 'read',
  scopes: ['drive.file', 'userinfo.profile', 'userinfo.email'],
  input: z.strictObject({}),
  output: z.object({
    user: z.object({
      name: z.string().nullable(),
      email: z.string().nullable(),
      picture_url: z.string().nullable(),
    }),
    storage: z.object({
      limit: bytes('Null if unlimited or shared by an organization.'),
      used: bytes('Everything, email and photos included.'),
      used_in_drive: bytes('Files.'),
      used_in_trash: bytes('Files in the trash.'),
    }),
    shared_drives: z.array(z.object({ id: z.string(), name: z.string(), hidden: z.boolean().optional() })).nullable(),
  }),
  example: {},
  async run(_args, { drive }, { scope, notice }) {
    const [{ user, storageQuota: quota }, reachable] = await Promise.all([getAbout(drive, scope), listSharedDrives(drive, scope)])
    const problem = 'drives' in reachable ? reachable.notice : reachable.unavailable
    if (problem !== undefined) notice(problem)
    return {
      user: { name: user.displayName ?? null, email: user.emailAddress ?? null, picture_url: user.photoLink ?? null },
      storage: {
        limit: count(quota.limit),
        used: count(quota.usage),
        used_in_drive: count(quota.usageInDrive),
        used_in_trash: count(quota.usageInDriveTrash),
      },
      shared_drives: 'drives' in reachable ? [...reachable.drives] : null,
    }
  },
})

function count(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits)
}
