import { assumed, documented } from '@mcp-toolkits/emulator'
import { pickerGuide } from './vendor-pages.ts'

/** How people give an application single files. */
export const pickerRules = {
  'picker/scope': documented(pickerGuide, 'trigger_onepick needs drive.file alone and prompt=consent, and refuses include_granted_scopes.'),
  'picker/answer': documented(
    pickerGuide,
    'The redirect carries picked_file_ids, code, scope and state; the app may then use what was picked.',
  ),
  'picker/options': documented(pickerGuide, 'allow_multiple, allow_folder_selection, mimetypes and file_ids are off when absent.'),
  'picker/refusal': documented(pickerGuide, 'A refusal is error=access_denied and grants nothing.'),
  'picker/shortcuts': assumed('Picking a folder does not grant its contents; picking a shortcut grants its target.'),
  'picker/page': assumed('The page lists folders and files of a place by name and runs no script.'),
  'picker/choice': assumed('The choice is kept from place to place, and the app may use it at once.'),
  'picker/places': assumed('The person reaches folders, items shared with them and shared drives.'),
  'picker/upload': assumed('An upload goes into the folder shown and is granted with the rest.'),
  'picker/other-places': assumed('A folder that does not exist shows My Drive; there is no upload where the account may not write.'),
  'picker/upload-at-end': assumed('A file in the form is uploaded when access is granted, and stays private if it is not picked.'),
  'picker/faults': assumed('Mistakes are shown on the page, which can be used again.'),
  'picker/cancel': assumed('Cancelling grants nothing and ends the picker.'),
  'picker/restrictions': assumed('Restrictions hold whatever is sent: one item, types, no folders, certain items.'),
  'picker/pages': assumed('A page holds a hundred items.'),
  'picker/address': assumed('The URL cannot be guessed, lasts half an hour and ends with the answer.'),
  'picker/end': assumed('A picker ends by timeout, by its signal, with a reset, after a hundred newer ones, or with the emulator.'),
  'picker/listener': assumed('The listener serves pickers only, to loopback names and to its own pages.'),
  'picker/ticket': assumed('Every page is answered once.'),
  'picker/two-answers': assumed('The first of two answers counts.'),
  'picker/log': assumed('The URL is not in the request log.'),
}
