// Tasks across two servers.
import { added, type Task } from '../task.ts'
import { rows, rowWith } from '../tools.ts'

const blockers = ['ENG-7', 'ENG-9', 'ENG-19', 'ENG-21', 'OPS-6', 'DES-7']

export const both: readonly Task[] = [
  {
    id: 'linear-and-drive-price',
    grade: 'hard',
    vendors: ['linear', 'drive'],
    wish: 'Our pricing decision in Drive says what each further member of a team costs. Write that price on the issue about charging teams from the sixth member on.',
    ends: [added('comments', { issue: 'ENG-13', body: /\b4\s?(?:€|EUR|euros?)/i })],
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: 'pricing', include_shared_drives: true })
      const { text } = await call('ReadFile', { file_path_or_id: rowWith(files, 'name', 'Pricing.md')['id'] })
      const price = /\b(\d+ €) for each further member/.exec(String(text))?.[1] ?? ''
      const { issues } = await call('ListIssues', { keywords: 'sixth member' })
      const { identifier } = rowWith(issues, 'title', 'Charge')
      await call('AddComment', { issue: identifier, body: `Decided: each further member costs ${price} a month.` })
      return `${String(identifier)} says ${price}.`
    },
  },
  {
    id: 'drive-and-linear-blockers',
    grade: 'hard',
    vendors: ['drive', 'linear'],
    wish: 'Write a file "Blockers.md" in my Drafts with the number and title of every open issue that blocks the launch, in all teams.',
    ends: [
      added('files', {
        name: 'Blockers.md',
        parent: 'My Drive/Drafts',
        text: (text) =>
          String(text)
            .match(/\b[A-Z]{3}-\d+\b/g)
            ?.toSorted()
            .join() === blockers.toSorted().join(),
      }),
    ],
    async solve({ call }) {
      const { name } = rowWith((await call('ListLabels'))['labels'], 'name', 'blocker')
      const { issues } = await call('SearchIssues', { states: ['open'], labels: [name], limit: 50 })
      const lines = rows(issues).map(({ identifier, title }) => `- ${String(identifier)} ${String(title)}`)
      const file = { file_name: 'Blockers.md', content: `${lines.join('\n')}\n`, destination_folder_path_or_id: 'Drafts' }
      await call('WriteFile', file)
      return `Blockers.md has ${lines.length} issues.`
    },
  },
]
