import { scripts } from './fuzzy-evaluation/scripts.ts'
import { strangers } from './fuzzy-evaluation/strangers.ts'
import { onlyTheTwin, toldApart, undecided } from './fuzzy-evaluation/twins.ts'
import { deletions, insertions, severalSlips, shortNames, substitutions, transpositions } from './fuzzy-evaluation/typos.ts'
import { abbreviations, wordOrder, writing } from './fuzzy-evaluation/writing.ts'

/** The questions that the ranking is measured by, by class. Written by hand from what workspaces look like. */
export const evaluation = {
  deletions,
  insertions,
  substitutions,
  transpositions,
  severalSlips,
  shortNames,
  writing,
  wordOrder,
  abbreviations,
  toldApart,
  undecided,
  onlyTheTwin,
  scripts,
  strangers,
} as const

/** The classes in which exactly one letter is wrong, in a name of seven letters or more that resembles no other. */
export const oneWrongLetter = ['deletions', 'insertions', 'substitutions', 'transpositions'] as const
