export { Call, countOf, Fact, indentJson, More, Prose, Time, WebLink } from './elements.tsx'
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
