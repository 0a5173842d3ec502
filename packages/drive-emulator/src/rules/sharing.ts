import { assumed, documented, type DriveBehaviour } from './basis.ts'

export const sharing: readonly DriveBehaviour[] = [
  ...documented('§0.9', [
    'one permission per principal',
    'create answers with the existing one and lowers nothing',
    'are one for each principal, which a second create does not change',
  ]),
  ...assumed('§0.9', [
    'create that would raise',
    'answers with the existing one too',
    'are one for each principal, which a second create does not change',
  ]),
  ...documented(
    '§1 ShareFile',
    ['mails', 'sent unless sendNotificationEmail is false', 'send a mail unless told not to, a second time too'],
    ['addresses', 'in any case; an alias is mapped', 'map another address of someone to the one that is shown'],
    ['ownership', 'needs transferOwnership and a mail', 'hand ownership on only when asked to in so many words'],
    [
      'inherited permissions',
      'say where they come from, and cannot be changed below',
      'say where they are inherited from, and change there only',
    ],
    ['permission pages', 'of 100 at most for what lies in a shared drive', 'come in pages for what lies in a shared drive'],
    ['roles', 'organizer and fileOrganizer in shared drives only, owner in My Drive only', 'have the roles of the place'],
    [
      'who may share',
      'by role and place; folders of a shared drive need an organizer',
      'are given by those who may share, and shown to those who may change the item',
    ],
  ),
  ...assumed(
    '§1 ShareFile',
    ['mails: again', 'a create for someone who has the permission mails too', 'send a mail unless told not to, a second time too'],
    ['owner', 'a change or removal of the owner’s row is 403', 'never change for the owner'],
    [
      'strangers',
      'addresses without an account need a mail: 400 invalidSharingRequest',
      'refuse addresses that are none, groups taken for people, and strangers without a mail',
    ],
    ['domain and anyone', 'a domain may find an item, a link opens it', 'open an item to the organization, to a link, and close it again'],
  ),
  ...assumed('§1 ShareFile', [
    'who sees permissions',
    'in My Drive those who may change the item, in a shared drive all members for folders',
    'are given by those who may share, and shown to those who may change the item',
  ]),
  ...assumed('§1 MoveFile "inherits"', [
    'owners of folders',
    'are writers of what others put into them',
    'make the owner of a folder a writer of what others put into it',
  ]),
  ...assumed('§9.4', [
    'groups',
    'must be called groups',
    'refuse addresses that are none, groups taken for people, and strangers without a mail',
  ]),
]
