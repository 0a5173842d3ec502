/** Letters of a script, of which random words consist. */
const alphabets = {
  english: 'abcdefghijklmnopqrstuvwxyz',
  german: 'abcdefghijklmnopqrstuvwxyzäöüß',
  french: 'abcdefghijklmnopqrstuvwxyzéèêçàù',
  polish: 'abcdefghijklmnopqrstuvwxyząćęłńóśźż',
  russian: 'абвгдежзийклмнопрстуфхцчшщыьэюя',
  greek: 'αβγδεζηθικλμνξοπρστυφχψω',
  hebrew: 'אבגדהוזחטילמנסעפצקרשת',
  arabic: 'ابتثجحخدذرزسشصضطظعغفقكلمنهوي',
  japanese: 'あいうえおかきくけこさしすせそたちつてと山川雪道地図小屋',
  chinese: '山川雪道地图小屋天气路人大中国年月日会议文件',
  korean: '산강눈길지도날씨사람회의문서시간안전',
} as const

export type Language = keyof typeof alphabets

/** Numbers from 0 to 1, the same for each seed. */
export function random(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** The beginning of the Universal Declaration of Human Rights: encodings are recognised by the letters that a language has often. */
const natural: Partial<Readonly<Record<Language, string>>> = {
  polish:
    'Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa. Każdy człowiek posiada wszystkie prawa i wolności zawarte w niniejszej Deklaracji bez względu na różnice rasy, koloru, płci, języka, wyznania, poglądów politycznych i innych przekonań.',
  russian:
    'Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства. Каждый человек должен обладать всеми правами и всеми свободами, провозглашенными настоящей Декларацией, без какого бы то ни было различия, как-то в отношении расы, цвета кожи, пола, языка, религии.',
  greek:
    'Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης. Κάθε άνθρωπος δικαιούται να επικαλείται όλα τα δικαιώματα και όλες τις ελευθερίες που προκηρύσσει η παρούσα Διακήρυξη, χωρίς καμία απολύτως διάκριση.',
}

/** A text as a person could have written it, where the letters matter. */
export const written = (language: Language, seed: number) => natural[language] ?? sentences(language, 400, seed)

/** Random words in sentences, the same for each seed. */
export function sentences(language: Language, count: number, seed: number): string {
  const next = random(seed)
  const letters = Array.from(alphabets[language])
  const words = Array.from({ length: 400 }, () =>
    Array.from({ length: 2 + Math.floor(next() * 8) }, () => letters[Math.floor(next() * letters.length)]).join(''),
  )
  return Array.from(
    { length: count },
    (_, index) => `${words[Math.floor(next() * words.length)] ?? ''}${index % 12 === 11 ? '.' : ''}`,
  ).join(' ')
}

/** A page with a heading, paragraphs, a list and a table. */
export function page(language: Language, paragraphs: number, seed: number): string {
  const some = (count: number, at: number) => sentences(language, count, seed * 1000 + at)
  const body = Array.from({ length: paragraphs }, (_, at) => `<p>${some(90, at)} ${at},${seed} <b>${some(2, at + 1)}</b></p>`).join('\n')
  const items = [1, 2, 3].map((at) => `<li>${some(6, at)}</li>`).join('')
  const rows = [1, 2, 3].map((at) => `<tr><td>${some(2, at)}</td><td>${some(1, at)}</td><td>${at * seed}.5</td></tr>`).join('')
  const direction = language === 'hebrew' || language === 'arabic' ? ' dir="rtl"' : ''
  return `<html${direction}><head><meta charset="utf-8"></head><body style="font-family: DejaVu Sans"><h1>${some(4, 99)}</h1>${body}<ul>${items}</ul><table>${rows}</table></body></html>`
}

/** Rows of a table, with cells that need quotation marks. */
export function rows(language: Language, count: number, seed: number): string[][] {
  const words = sentences(language, 600, seed).split(' ')
  return Array.from({ length: count }, (_, at) => [
    `${at}`,
    words[at % words.length] ?? '',
    at % 7 === 0 ? `${words[(at * 3) % words.length] ?? ''}, "${at}"` : `${at * 0.5}`,
    at % 11 === 0 ? `two\nlines ${at}` : (words[(at * 5) % words.length] ?? ''),
  ])
}

const quoted = (cell: string, delimiter: string) =>
  cell.includes(delimiter) || /["\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

export const table = (all: readonly (readonly string[])[], delimiter = ',') =>
  all.map((row) => `${row.map((cell) => quoted(cell, delimiter)).join(delimiter)}\n`).join('')

/** Slides with two texts and notes each, as one flat file of OpenDocument. */
export function slides(language: Language, count: number, seed: number): string {
  const box = (text: string, at: number) =>
    `<draw:frame svg:x="1cm" svg:y="${at}cm" svg:width="24cm" svg:height="5cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`
  const pages = Array.from(
    { length: count },
    (_, at) =>
      `<draw:page draw:name="p${at}">${box(sentences(language, 6, seed + at), 1)}${box(sentences(language, 12, seed + 50 + at), 8)}</draw:page>`,
  )
  const spaces = ['office', 'text', 'presentation'].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  return `<?xml version="1.0" encoding="UTF-8"?><office:document ${spaces.join(' ')} xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation>${pages.join('')}</office:presentation></office:body></office:document>`
}

/** Signs that are written without spaces between words. */
const signs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** The part of the words of one text that another one has, as often as the first. */
export function shareOfWords(expected: string, found: string): number {
  const wordsOf = (text: string) =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(signs, ' $& ')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const counts = new Map<string, number>()
  for (const each of wordsOf(found)) counts.set(each, (counts.get(each) ?? 0) + 1)
  const all = wordsOf(expected)
  const missing = all.filter((each) => {
    const left = counts.get(each) ?? 0
    counts.set(each, left - 1)
    return left <= 0
  })
  return 1 - missing.length / Math.max(1, all.length)
}
