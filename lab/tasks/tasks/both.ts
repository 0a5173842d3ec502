// Tasks across two servers.
import { added, type Task } from '../task.ts'
import { rows, rowWith } from '../tools.ts'
import { namesOnly } from './texts.ts'

const blockers = {
  'ENG-7': 'Battery drains overnight while a pack is updating',
  'ENG-9': 'Routes are lost when two guides edit the same one offline',
  'ENG-19': 'Crash when a pack is opened while it is being verified',
  'ENG-21': 'Answers about privacy for the app stores',
  'OPS-6': 'Load test: 5,000 teams sync at once',
  'DES-7': 'Screenshots for the app stores',
}

/** An issue with its title on one line. */
const isListed = (text: unknown, issue: string, title: string) =>
  String(text)
    .split('\n')
    .some((line) => new RegExp(`\\b${issue}\\b`).test(line) && line.includes(title))

export const both: readonly Task[] = [
  {
    id: 'linear-and-drive-price',
    grade: 'hard',
    vendors: ['linear', 'drive'],
    wish: 'Our pricing decision in Drive says what each further member of a team costs. Write that price on the issue about charging teams from the sixth member on.',
    ends: [added('comments', { issue: 'ENG-13', body: /€\s?4\b|\b4\s?(?:€|EUR|euros?)/i })],
    async solve({ call }) {
      const { files } = await call('SearchFiles', { query: 'pricing', include_shared_drives: true })
      const { text } = await call('ReadFile', { file_path_or_id: rowWith(files, 'name', 'Pricing.md')['id'] })
      const price = /(€\d+) for each further member/.exec(String(text))?.[1] ?? ''
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
          namesOnly(Object.keys(blockers))(text) && Object.entries(blockers).every(([issue, title]) => isListed(text, issue, title)),
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
