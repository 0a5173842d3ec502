import { assumed, documented, type DriveBehaviour } from './basis.ts'

const section = '§1 GenerateFilePickerUrl'

/** How people give an application single files. */
export const picker: readonly DriveBehaviour[] = [
  ...documented(
    section,
    [
      'onepick: scope',
      'drive.file and nothing else, with prompt=consent; include_granted_scopes is refused',
      'goes with one scope, and with prompt=consent: %j',
    ],
    [
      'onepick: answer',
      'picked_file_ids beside code, scope and state; what was picked is open to the application',
      'follows the consent, and sends back what was chosen with the code',
    ],
    [
      'onepick: options',
      'allow_multiple, allow_folder_selection, mimetypes and file_ids, each off when absent',
      'offers what the application asks for',
    ],
    ['onepick: refusal', 'error=access_denied, and no grant', 'sends back a refusal, of the consent and of the choice'],
  ),
  ...assumed(
    section,
    [
      'picker: shortcuts',
      'a folder is given without its content, a shortcut with its target',
      'gives a folder without what is in it, and a shortcut with what it points to',
    ],
    ['picker: page', 'folders and files of a place, by name; no script', 'shows what there is in a folder, and runs nothing'],
    [
      'picker: choice',
      'kept from place to place; what was chosen is open to the app at once',
      'gives what is chosen, here and there, so that a failed request succeeds',
    ],
    ['picker: places', 'folders, what others shared, shared drives', 'goes up by the path, and to shared drives'],
    ['picker: upload', 'into the folder that is shown; given with the rest', 'takes a file and gives it, when that is wanted in the end'],
    [
      'picker: other places',
      'My Drive in place of what is no folder to the account; no upload where it may not write',
      'shows My Drive for a folder that is not there, and no upload where nothing may be added',
    ],
    [
      'picker: upload at the end',
      'a file that is in the form when access is given goes with it; one that is not given stays the person’s own',
      'takes a file that was not uploaded yet when access is given, and keeps one that is not given to itself',
    ],
    ['picker: faults', 'told on the page, which goes on', 'says what cannot be done, and goes on'],
    ['picker: cancel', 'gives nothing and ends it', 'gives nothing to whoever cancels'],
    [
      'picker: restrictions',
      'hold whatever is sent: one item, types, no folders, certain items',
      'offers one item, some types, no folders or certain items when that is asked',
    ],
    ['picker: pages', 'a hundred items each', 'shows many items page by page'],
    ['picker: address', 'unguessable, for half an hour, ends with the answer', 'cannot be guessed, and is good once and for half an hour'],
    [
      'picker: end',
      'by itself, by its signal, with a reset, when a hundred newer ones are open, with the emulator',
      'ends by itself, with its signal, with a reset, among a hundred newer ones and with the emulator',
    ],
    [
      'picker: listener',
      'serves pickers alone, to loopback names and to their own pages',
      'serves its pages alone, to the pages themselves and to nobody who only has fetch',
    ],
    ['picker: ticket', 'every page is answered once', 'takes the ticket of a page once, and of no other picker'],
    ['picker: two answers', 'the first one counts', 'takes the first of two answers'],
    ['picker: log', 'the address is not in the log', 'is kept out of the log'],
  ),
]
