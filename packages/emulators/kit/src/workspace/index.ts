export {
  Call,
  countOf,
  Fact,
  type FilterChoice,
  filteredPath,
  Filters,
  indentJson,
  More,
  Person,
  Time,
  Trail,
  WebLink,
} from './elements.tsx'
export { Prose } from './prose.tsx'
export { SheetTable } from './sheet.tsx'
export { newestFirst } from './newest-first.tsx'
export {
  type Change,
  type Content,
  type PageRequest,
  pageSize,
  type Section,
  type View,
  type Workspace,
  type WorkspacePage,
} from './workspace.ts'
