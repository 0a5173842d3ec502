import * as z from 'zod'
import { defineTool } from '../context.ts'
import { listSharedDrives, getAbout } from '../drive/about.ts'

const bytes = (what: string) => z.int().nullable().describe(what)

export const whoAmI = defineTool({
  name: 'WhoAmI',
  title: 'Who am I',
  description:
    'The person that this server acts as: name, e-mail address, picture, storage in bytes, and the shared drives that can be reached, with the ids that other tools take as shared_drive_id.',
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
      limit: bytes('Null where it is unlimited or shared by an organization.'),
      used: bytes('By everything that counts, also mail and photos.'),
      used_in_drive: bytes('By files.'),
      used_in_trash: bytes('By files in the trash.'),
    }),
    shared_drives: z
      .array(z.object({ id: z.string(), name: z.string(), hidden: z.boolean().optional() }))
      .nullable()
      .describe('Null where the access token does not allow to list them.'),
    notice: z.string().optional().describe('Why something is null or incomplete.'),
  }),
  async run(_args, { drive }, { scope }) {
    const [{ user, storageQuota: quota }, reachable] = await Promise.all([getAbout(drive, scope), listSharedDrives(drive, scope)])
    return {
      user: { name: user.displayName ?? null, email: user.emailAddress ?? null, picture_url: user.photoLink ?? null },
      storage: {
        limit: count(quota.limit),
        used: count(quota.usage),
        used_in_drive: count(quota.usageInDrive),
        used_in_trash: count(quota.usageInDriveTrash),
      },
      ...('drives' in reachable
        ? { shared_drives: [...reachable.drives], ...(reachable.notice !== undefined && { notice: reachable.notice }) }
        : { shared_drives: null, notice: reachable.unavailable }),
    }
  },
})

function count(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits)
}
