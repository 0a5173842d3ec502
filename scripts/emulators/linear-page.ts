import { behaviors } from '../../packages/emulators/linear/src/entities.ts'
import { linearRules } from '../../packages/emulators/linear/src/rules/index.ts'
import { fieldsOf, loadDeclarations } from '../../packages/emulators/linear/src/vendor/declarations.ts'
import { eventTypes } from '../../packages/emulators/linear/src/webhooks/webhooks.ts'
import { names, namesLine, rulesCount } from './tables.ts'

await loadDeclarations()

/** The generated parts of `docs/emulators/linear.md`. */
export function linearSections(): Record<string, string> {
  return {
    coverage: coverageLists(),
    events: names(eventTypes),
    count: rulesCount(linearRules),
  }
}

/** The queries and mutations by subject, with the number of those that are not emulated. */
function coverageLists(): string {
  const all = behaviors()
  const kinds = [
    ['Query', 'queries'],
    ['Mutation', 'mutations'],
  ] as const
  return kinds
    .map(([kind, title]) => {
      const fields = [...fieldsOf(kind).keys()]
      const behaves = fields.filter((field) => all.has(`${kind}.${field}`))
      const subjects = Map.groupBy(fields.toSorted(), subjectOf)
      const lines = [...subjects]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([subject, own]) => {
          const emulated = own.filter((field) => all.has(`${kind}.${field}`))
          const line = namesLine(subject, [['', emulated]])
          return emulated.length === own.length ? line : `${line} (${own.length - emulated.length} missing)`
        })
      return `${behaves.length} of ${fields.length} ${title} are emulated.\n\n${lines.join('\n')}`
    })
    .join('\n\n')
}

/** Subjects, by the beginning of their operations' names; the first match counts. */
const subjects: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:integration|airbyte|jira|github|gitlab|slack|microsoft|templatesForIntegration|refreshGoogle|updateIntegration|verifyGitHub|archivedIntegrations)/i,
    'integrations',
  ],
  [/^issueImport/, 'imports'],
  [/^(?:search|semanticSearch|issueSearch)/, 'search'],
  [/^(?:issueLabel|projectLabel|initiativeLabel)/, 'labels'],
  [/^(?:issue|availableIssue)/, 'issues'],
  [/^comment/, 'comments'],
  [/^reaction|^emoji/, 'reactions'],
  [/^(?:attachment|fileUpload|imageUpload|importFileUpload)/, 'attachments and files'],
  [/^document/, 'documents'],
  [/^(?:project|createProject|roadmap)/, 'projects'],
  [/^(?:initiative|createInitiative|entityExternalLink)/, 'initiatives'],
  [/^(?:teams?|team[A-Z]\w*|administrableTeams|archivedTeams|triage\w*|timeSchedules?\w*|gitAutomation\w*)$/, 'teams'],
  [/^(?:workflowState|cycle)/, 'states and cycles'],
  [/^customer/, 'customers'],
  [/^(?:customView|viewPreferences|favorite|templates?$|template[A-Z])/, 'views, favorites and templates'],
  [/^(?:notification|inbox|pushSubscription)/, 'notifications'],
  [/^(?:webhook|failuresForOauth)/, 'webhooks'],
  [/^(?:release|latestRelease|recentReleases)/, 'releases'],
  [/^(?:agent|aiConversation)/, 'agents'],
  [/^(?:user|viewer|external|availableUsers)/, 'people'],
  [/^(?:organization|rateLimit|quotas|usage|audit|slaConfigurations|resendOrganization)/, 'workspace'],
  [/(?:login|logout|auth|session|passkey|oauth|sso|application)/i, 'sign-in and applications'],
]

const subjectOf = (field: string): string => subjects.find(([pattern]) => pattern.test(field))?.[1] ?? 'other'
