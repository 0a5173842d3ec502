import { assumed, documented } from '@mcp-toolkits/emulator'
import { permissionsListReference, roleGuide, sharingGuide } from './vendor-pages.ts'

/** Permissions. */
export const sharingRules = {
  'sharing/one-per-principal': assumed(
    'A principal has one permission; create returns an existing one and never lowers it.',
    'seen by others against Drive',
  ),
  'sharing/create-never-raises': assumed('create returns an existing permission even if a higher role was asked for.'),
  'sharing/mails': documented(sharingGuide, 'Sharing sends a mail unless sendNotificationEmail is false.'),
  'sharing/addresses': assumed('Addresses ignore case, and an alias maps to its account.', 'seen by others against Drive'),
  'sharing/ownership': documented(sharingGuide, 'Giving ownership away needs transferOwnership and a mail.'),
  'sharing/inherited': documented(sharingGuide, 'An inherited permission names its source and cannot be changed below it.'),
  'sharing/pages': documented(permissionsListReference, 'Items of shared drives list permissions in pages of at most 100.'),
  'sharing/roles': documented(roleGuide, 'organizer and fileOrganizer exist in shared drives only, owner in My Drive only.'),
  'sharing/who-may-share': documented(roleGuide, 'Role and place decide who may share; folders of a shared drive need an organizer.'),
  'sharing/mails-again': assumed('A create for a principal that has the permission sends a mail as well.'),
  'sharing/owner': assumed("Changing or removing the owner's permission is 403."),
  'sharing/strangers': assumed('Addresses without an account need a mail, otherwise 400 invalidSharingRequest.'),
  'sharing/domain-and-anyone': assumed('A domain may find an item, and a link opens it.'),
  'sharing/who-sees': assumed('In My Drive writers see permissions; in a shared drive all members see those of folders.'),
  'sharing/owners-of-folders': assumed('The owner of a folder is a writer of what others put into it.'),
  'sharing/groups': assumed('A group must be shared with as a group.'),
}
