// Google Drive: one file or folder.
import { member } from '../../../packages/core/src/base/json.ts'
import { added, changed, removed, type Task } from '../task.ts'
import { column, dayAgo, rows, rowWith } from '../tools.ts'
import { lines, replaced } from './texts.ts'

const drive = { vendors: ['drive'] } as const
const folder = 'application/vnd.google-apps.folder'
const letter = 'My Drive/Drafts/Letter to the beta teams.txt'
const plan = 'Trails launch/Launch plan.md'

/** Lines of the launch checklist, with dates relative to today. */
const checklist = () => [
  'item,issue,owner,due,state',
  `Battery drain fixed,ENG-7,Mikael Lindström,${dayAgo(-5)},In Progress`,
  `Two versions of a route,ENG-9,Ada Okafor,${dayAgo(-4)},In Review`,
  `Crash while verifying fixed,ENG-19,Yara Costa,${dayAgo(-4)},In Progress`,
  `Answers about privacy,ENG-21,Robin Vance,${dayAgo(-3)},In Review`,
  `Screenshots,DES-7,Grace Kim,${dayAgo(-5)},In Progress`,
  `Load test with 5000 teams,OPS-6,Tomás Herrera,${dayAgo(-6)},In Progress`,
  `Submitted to the stores,ENG-20,Yara Costa,${dayAgo(-7)},Todo`,
  `Members beyond the fifth are charged,ENG-13,Sam Idowu,${dayAgo(-8)},In Progress`,
  `Trials warn before they end,ENG-17,Sam Idowu,${dayAgo(-9)},Todo`,
  `Press kit,DES-8,Hana Sato,${dayAgo(-12)},Todo`,
  `Landing page is public,DES-3,Priya Nair,${dayAgo(-12)},In Review`,
  `Runbook for the day,OPS-8,Ada Okonkwo,${dayAgo(-14)},In Progress`,
  `Opening in steps works,ENG-22,Ada Okafor,${dayAgo(-14)},In Progress`,
  `On-call rota,OPS-9,Tomás Herrera,${dayAgo(-15)},Todo`,
]

export const driveOne: readonly Task[] = [
  {
    ...drive,
    id: 'drive-folder',
    grade: 'easy',
    wish: 'Make a folder called Receipts in my drive.',
    ends: [added('files', { name: 'Receipts', parent: 'My Drive', mimeType: folder })],
    async solve({ call }) {
      await call('CreateFolder', { folder_name: 'Receipts' })
      return 'The folder Receipts is in your drive.'
    },
  },
  {
    ...drive,
    id: 'drive-rename',
    grade: 'easy',
    wish: 'Rename "Train to Innsbruck.pdf" to "Receipt Innsbruck.pdf".',
    ends: [changed('files', 'My Drive/Train to Innsbruck.pdf', { name: 'Receipt Innsbruck.pdf' })],
    async solve({ call }) {
      await call('RenameFile', { file_path_or_id: 'Train to Innsbruck.pdf', new_filename: 'Receipt Innsbruck.pdf' })
      return 'It is called Receipt Innsbruck.pdf now.'
    },
  },
  {
    ...drive,
    id: 'drive-put-away',
    grade: 'easy',
    wish: 'Put "Interview questions.txt" from my folder Hiring into the folder Archive.',
    ends: [changed('files', 'My Drive/Hiring/Interview questions.txt', { parent: 'My Drive/Archive' })],
    async solve({ call }) {
      await call('MoveFile', { source_file_path_or_id: 'Hiring/Interview questions.txt', destination_folder_path_or_id: 'Archive' })
      return 'It is in Archive.'
    },
  },
  {
    ...drive,
    id: 'drive-trash',
    grade: 'easy',
    wish: 'Throw away the picture of the whiteboard in my Team folder. Into the trash is enough.',
    ends: [changed('files', 'My Drive/Team/Whiteboard after the outage.png', { trashed: 1 })],
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: 'whiteboard' })
      await call('TrashFile', { file_path_or_id: rowWith(files, 'name', 'Whiteboard')['id'] })
      return 'The picture is in the trash.'
    },
  },
  {
    ...drive,
    id: 'drive-hotel',
    grade: 'easy',
    wish: 'How much may a hotel cost a night, by our travel policy?',
    ends: [],
    answer: [/\b130\b/],
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: 'travel policy' })
      const { text } = await call('ReadFile', { file_path_or_id: rowWith(files, 'name', 'Travel')['id'] })
      return `Up to ${/Hotels up to (.*?) a night/.exec(String(text))?.[1] ?? ''}.`
    },
  },
  {
    ...drive,
    id: 'drive-comment-role',
    grade: 'easy',
    wish: 'Let hana.sato@lodestar.example comment on "All-hands talk.md" in my Drafts.',
    ends: [
      added('permissions', { file: 'My Drive/Drafts/All-hands talk.md', emailAddress: 'hana.sato@lodestar.example', role: 'commenter' }),
    ],
    async solve({ call }) {
      const wish = { file_path_or_id: 'Drafts/All-hands talk.md', email_addresses: ['hana.sato@lodestar.example'], role: 'commenter' }
      await call('ShareFile', wish)
      return 'Hana can comment on it.'
    },
  },
  {
    ...drive,
    id: 'drive-quietly',
    grade: 'middle',
    wish: 'Noah (noah.weiss@lodestar.example) should be able to read my folder Archive, but he must not get an email about it.',
    ends: [added('permissions', { file: 'My Drive/Archive', emailAddress: 'noah.weiss@lodestar.example', role: 'reader' })],
    watched: ['mails'],
    async solve({ call }) {
      const people = { email_addresses: ['noah.weiss@lodestar.example'], role: 'reader', send_notification_email: false }
      await call('ShareFile', { file_path_or_id: 'Archive', ...people })
      return 'Noah can read Archive, and has got no email.'
    },
  },
  {
    ...drive,
    id: 'drive-revoke',
    grade: 'middle',
    wish: 'Ada Okonkwo should no longer see the letter to the beta teams. Noah keeps it.',
    ends: [removed('permissions', { file: letter, emailAddress: 'ada.okonkwo@lodestar.example' })],
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: 'letter to the beta teams' })
      const { id } = rowWith(files, 'name', 'Letter')
      const { permissions } = await call('ListFilePermissions', { file_path_or_id: id })
      const { who } = rowWith(permissions, 'who', 'okonkwo')
      await call('RevokeFileAccess', { file_path_or_id: id, people: [who] })
      return `${String(who)} has no access any more.`
    },
  },
  {
    ...drive,
    id: 'drive-restore',
    grade: 'middle',
    wish: 'I have thrown away "Old launch dates.txt". Can you get it back?',
    ends: [changed('files', 'My Drive/Old launch dates.txt', { trashed: 0 })],
    async solve({ call }) {
      await call('RestoreFile', { file_path_or_id: 'Old launch dates.txt' })
      return 'Old launch dates.txt is back.'
    },
  },
  {
    ...drive,
    id: 'drive-copy',
    grade: 'middle',
    wish: 'Copy the launch checklist from the shared drive Trails launch into my Drafts, as "Spring checklist.csv".',
    ends: [added('files', { name: 'Spring checklist.csv', parent: 'My Drive/Drafts', text: (text) => lines(checklist())(text) })],
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: 'launch checklist', shared_drive_id: 'Trails launch' })
      const copy = { destination_folder_path_or_id: 'Drafts', new_filename: 'Spring checklist.csv' }
      await call('CopyFile', { file_path_or_id: rowWith(files, 'name', 'checklist')['id'], ...copy })
      return 'The copy is in your Drafts.'
    },
  },
  {
    ...drive,
    id: 'drive-figure',
    grade: 'middle',
    wish: 'In the launch plan, 41 teams pay today, not 34. Correct that figure and leave the rest as it is.',
    ends: [changed('files', plan, { text: replaced('Paying teams | 34 | 250', 'Paying teams | 41 | 250') })],
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: 'launch plan', include_shared_drives: true })
      const { id } = rowWith(files, 'name', 'Launch plan.md')
      const { revision } = await call('ReadFile', { file_path_or_id: id })
      const replace = { passage: 'Paying teams | 34 | 250', with: 'Paying teams | 41 | 250' }
      await call('WriteFile', { file_path_or_id: id, replace, expected_revision: revision })
      return 'The plan says 41 paying teams.'
    },
  },
  {
    ...drive,
    id: 'drive-one-file',
    grade: 'hard',
    wish: 'Lena Hofer (lena@alpenpass.example) wants to read the draft of the press release. Let her, and show her nothing else of that folder.',
    ends: [
      added('permissions', { file: 'Trails launch/Press/Press release draft.md', emailAddress: 'lena@alpenpass.example', role: 'reader' }),
    ],
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: 'press release', include_shared_drives: true })
      const { id } = rowWith(files, 'name', 'draft')
      await call('ShareFile', { file_path_or_id: id, email_addresses: ['lena@alpenpass.example'], role: 'reader' })
      return 'Lena can read the draft, and nothing else.'
    },
  },
  {
    ...drive,
    id: 'drive-two-budgets',
    grade: 'hard',
    wish: 'Share "Travel budget.csv" with Ines (ines.carvalho@lodestar.example), she only has to read it.',
    prepare: {
      drive({ addItem, store }) {
        for (const name of ['Archive', 'Hiring'])
          addItem({ name: 'Travel budget.csv', text: `item,EUR\n${name},100\n`, parent: store.named(name)[0]?.id ?? null })
      },
    },
    ends: [],
    answer: [/Archive/, /Hiring/],
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: 'travel budget' })
      const tree = await call('GetFileTreeStructure')
      const folders = rows(rowWith(tree['drives'], 'name', 'My Drive')['items'])
      const places = folders.filter(({ children }) => column(children, 'id').some((id) => column(files, 'id').includes(id)))
      return `There are two: in ${column(places, 'name').join(' and in ')}. Which one do you mean?`
    },
  },
  {
    ...drive,
    id: 'drive-outsiders',
    grade: 'hard',
    wish: 'Make sure that no one outside Lodestar can open my letter to the beta teams. Whoever works here keeps it.',
    prepare: {
      drive({ addItem, store }) {
        const draft = store.named('Letter to the beta teams.txt')[0]
        addItem({
          name: 'Letter to the beta teams, final.txt',
          text: 'Dear guides',
          parent: draft?.parentId ?? null,
          grants: [
            ['press@agency.example', 'writer'],
            ['anyone', 'reader'],
            ['noah.weiss@lodestar.example', 'writer'],
          ],
        })
      },
    },
    ends: [
      removed('permissions', { file: 'My Drive/Drafts/Letter to the beta teams, final.txt', emailAddress: 'press@agency.example' }),
      removed('permissions', { file: 'My Drive/Drafts/Letter to the beta teams, final.txt', type: 'anyone' }),
    ],
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: 'letter to the beta teams' })
      const removedFrom: string[] = []
      for (const { id } of rows(files)) {
        const { permissions } = await call('ListFilePermissions', { file_path_or_id: id })
        if (column(permissions, 'who').includes('anyone')) await call('SetGeneralAccess', { file_path_or_id: id, access: 'restricted' })
        const people = column(permissions, 'who').filter((who) => who.includes('@') && !who.endsWith('@lodestar.example'))
        if (people.length > 0) await call('RevokeFileAccess', { file_path_or_id: id, people })
        removedFrom.push(...people)
      }
      return `The public link is gone, and ${removedFrom.join(', ')} has no access.`
    },
  },
  {
    ...drive,
    id: 'drive-lost-answer',
    grade: 'hard',
    wish: 'Make a folder "Guides" in my Archive, one only, and in it a file "Names.txt" with the line: Lena, Callum, Anders. The connection is bad today.',
    // Drive carries out both requests, and their answers are lost.
    prepare: {
      drive: ({ faults }) => {
        faults.add({ match: { method: 'POST', path: '/drive/v3/files' }, times: 1, action: { kind: 'drop_after' } })
        faults.add({ match: { method: 'POST', path: '/upload/drive/v3/files' }, times: 1, action: { kind: 'drop_after' } })
      },
    },
    ends: [
      added('files', { name: 'Guides', parent: 'My Drive/Archive', mimeType: folder }),
      added('files', { name: 'Names.txt', parent: 'My Drive/Archive/Guides', text: lines(['Lena, Callum, Anders']) }),
    ],
    async solve({ call }) {
      const made = await call('CreateFolder', { folder_name: 'Guides', parent_folder_path_or_id: 'Archive' })
      const file = { file_name: 'Names.txt', content: 'Lena, Callum, Anders\n' }
      await call('WriteFile', { ...file, destination_folder_path_or_id: member(made['folder'], 'id') })
      return 'Both are there.'
    },
  },
]
