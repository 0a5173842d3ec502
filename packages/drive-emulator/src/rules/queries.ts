import { assumed, documented, type DriveBehaviour } from './basis.ts'

export const queries: readonly DriveBehaviour[] = [
  ...documented(
    '§0.4',
    ['q: name =', 'ignores case', 'compares names without regard to case'],
    ['q: name contains', 'beginnings of words in any order', 'finds the beginnings of the words of a name, in any order'],
  ),
  ...documented('§0.2', ['q: fullText and orderBy', '403 forbidden, location orderBy', 'refuses to sort a search of contents']),
  ...documented('§1 SearchFiles "Phrases"', [
    'q: fullText',
    'all words, in any order; phrases between double quotes',
    'finds whole words of names and contents, and phrases between double quotes',
  ]),
  ...assumed('§1 SearchFiles "fullText is looser"', [
    'q: fullText, whole words',
    'the narrower reading: parts of words are not found',
    'finds whole words of names and contents, and phrases between double quotes',
  ]),
  ...documented(
    '§1 SearchFiles',
    [
      'q: types, flags, moments',
      'as in Google’s list of search terms; moments without an offset are UTC',
      'compares types, flags and moments',
    ],
    ['q: grammar', 'and, or, not, parentheses; and binds closer than or', 'combines terms with and, or, not and parentheses'],
  ),
  ...assumed(
    '§1 SearchFiles',
    ['q: mimeType contains', 'beginnings only', 'compares types, flags and moments'],
    ['q: owners, writers, readers', 'what was granted on the item itself, and its owner', 'finds what people own, may change and may read'],
    [
      'q: anything else',
      '400 invalid, also properties, visibility, other case of keywords, bare trashed',
      'refuses what is not in the grammar: %s',
    ],
  ),
  ...documented('§1 Common rules "quote(s)"', [
    'q: quoting',
    'a backslash before a quote or a backslash',
    'keeps quotes, backslashes and operators inside a text',
  ]),
  ...assumed('§2 Algorithm', ['q: unknown folder', '404 notFound', 'answers 404 for a folder that is not there']),
  ...assumed('§1 SearchFiles "order"', [
    'q: fullText, order',
    'never by time: the shortest text first',
    'orders a search of contents by something else than time',
  ]),
  ...documented('§0.3', [
    'q: alternatives of in parents',
    'with a switch the rows of all but the first are lost, incompleteSearch false',
    'loses rows of alternatives of parents, when told to',
  ]),
  ...assumed('§9.7', ['q: length', 'no limit but that of the request line', 'takes hundreds of names at once']),
]
