import { integer, type Store } from '@mcp-toolkits/store'

// Words hold letters, digits, marks and underscores alone, so that they need no escapes in JSON.
const wordsOf = (row: 'files' | 'new' | 'old') =>
  `json_each('["' || replace(trim(${row}.nameWords || ${row}.textWords), ' ', '","') || '"]') where value <> ''`

const insert = `insert or ignore into emulator_words select value, new.n from ${wordsOf('new')};`
const remove = `delete from emulator_words where n = old.n and word in (select value from ${wordsOf('old')});`

/** Which items hold a word, in the name or in the text. */
export const searchTables = `create table emulator_words (word text not null, n integer not null, primary key (word, n)) strict, without rowid;
insert or ignore into emulator_words select value, files.n from files, ${wordsOf('files')};
create trigger words_insert after insert on files begin ${insert} end;
create trigger words_update after update of nameWords, textWords on files begin ${remove} ${insert} end;
create trigger words_delete after delete on files begin ${remove} end;`

/** The words from the first on, without the last. */
export interface WordRange {
  readonly from: string
  readonly to: string
}

/** All words that begin so. */
export const wordsFrom = (beginning: string): WordRange => ({ from: beginning, to: `${beginning}\u{10FFFF}` })

/** One word alone. */
export const oneWord = (word: string): WordRange => ({ from: word, to: `${word}\0` })

/** With more items than this, a page of those with the word is soon found in the order of the list. */
const few = 1_000

/** Whether so few items hold one of the words that it is best to read all of them. */
export function isRare(store: Store, { from, to }: WordRange): boolean {
  const sql = 'select count(*) as found from (select 1 from emulator_words where word >= :from and word < :to limit :limit)'
  return (store.rows({ found: integer }, sql, { from, to, limit: few + 1 })[0]?.found ?? 0) <= few
}
