import { scripts } from './fuzzy-evaluation/scripts.ts'
import { unrelated } from './fuzzy-evaluation/unrelated.ts'
import { onlySimilarName, similarNames, undecidable } from './fuzzy-evaluation/similar-names.ts'
import { deletions, insertions, severalTypos, shortNames, substitutions, transpositions } from './fuzzy-evaluation/typos.ts'
import { abbreviations, wordOrder, writing } from './fuzzy-evaluation/writing.ts'

/** The entries that measure the ranking, by class. Written by hand after real workspaces. */
export const evaluation = {
  deletions,
  insertions,
  substitutions,
  transpositions,
  severalTypos,
  shortNames,
  writing,
  wordOrder,
  abbreviations,
  similarNames,
  undecidable,
  onlySimilarName,
  scripts,
  unrelated,
} as const

/** The classes with one wrong letter in a name of seven letters or more that is similar to no other. */
export const oneWrongLetter = ['deletions', 'insertions', 'substitutions', 'transpositions'] as const
