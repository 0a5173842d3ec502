import type { EvaluationCase } from './entry.ts'

const russian = ['Разработка', 'Маркетинг', 'Поддержка клиентов', 'Продажи', 'Бухгалтерия'] as const
const greek = ['Ανάπτυξη', 'Σχεδιασμός', 'Υποστήριξη', 'Πωλήσεις'] as const
const japanese = ['エンジニアリング', 'マーケティング', 'カスタマーサポート', 'デザイン', '人事部'] as const
const korean = ['엔지니어링', '마케팅', '고객 지원', '디자인', '소프트웨어 개발팀'] as const
const arabic = ['الهندسة', 'التسويق', 'خدمة العملاء', 'المبيعات'] as const
const chinese = ['产品设计', '客户成功', '华东区销售团队', '数据科学'] as const

/** Names in scripts other than Latin, with the same typos. */
export const scripts: readonly EvaluationCase[] = [
  { reference: 'Разработка', names: russian, expect: { first: 'Разработка', autoAccept: true } },
  { reference: 'разработка', names: russian, expect: { first: 'Разработка', autoAccept: true } },
  { reference: 'Разроботка', names: russian, expect: { first: 'Разработка', autoAccept: true } },
  { reference: 'Маркетнг', names: russian, expect: { first: 'Маркетинг', autoAccept: true } },
  { reference: 'Маркеитнг', names: russian, expect: { first: 'Маркетинг', autoAccept: true } },
  { reference: 'Подержка клиентов', names: russian, expect: { first: 'Поддержка клиентов', autoAccept: true } },
  { reference: 'Поддержка', names: russian, expect: { first: 'Поддержка клиентов', autoAccept: false } },
  { reference: 'Бухгaлтерия', names: russian, expect: { first: 'Бухгалтерия', autoAccept: true } },
  { reference: 'Отчет отдела', names: ['Отчёт отдела', 'Продажи'], expect: { first: 'Отчёт отдела', autoAccept: true } },
  { reference: 'Спринт 12', names: ['Спринт 13', 'Продажи'], expect: { first: 'Спринт 13', autoAccept: false } },
  { reference: 'Команда А', names: ['Команда Б', 'Продажи'], expect: { first: 'Команда Б', autoAccept: false } },
  { reference: 'ΑΝΑΠΤΥΞΗ', names: greek, expect: { first: 'Ανάπτυξη', autoAccept: true } },
  { reference: 'Σχεδιασμος', names: greek, expect: { first: 'Σχεδιασμός', autoAccept: true } },
  { reference: 'ΣΧΕΔΙΑΣΜΟΣ', names: greek, expect: { first: 'Σχεδιασμός', autoAccept: true } },
  { reference: 'Υποστήρηξη', names: greek, expect: { first: 'Υποστήριξη', autoAccept: true } },
  { reference: 'Πωλήσες', names: greek, expect: { first: 'Πωλήσεις', autoAccept: true } },
  { reference: 'エンジニアリソグ', names: japanese, expect: { first: 'エンジニアリング', autoAccept: true } },
  { reference: 'エンジニアリグ', names: japanese, expect: { first: 'エンジニアリング', autoAccept: true } },
  { reference: 'ｴﾝｼﾞﾆｱﾘﾝｸﾞ', names: japanese, expect: { first: 'エンジニアリング', autoAccept: true } },
  { reference: 'カスタマサポート', names: japanese, expect: { first: 'カスタマーサポート', autoAccept: true } },
  { reference: 'カスタマー・サポート', names: japanese, expect: { first: 'カスタマーサポート', autoAccept: true } },
  { reference: 'テザイン', names: japanese, expect: { first: 'デザイン', autoAccept: false } },
  { reference: '人事課', names: japanese, expect: { first: '人事部', autoAccept: false } },
  { reference: 'プロダクト開発一課', names: ['プロダクト開発二課', '人事部'], expect: { first: 'プロダクト開発二課', autoAccept: false } },
  { reference: '엔지니어링', names: korean, expect: { first: '엔지니어링', autoAccept: true } },
  { reference: '엔지니어링'.normalize('NFD'), names: korean, expect: { first: '엔지니어링', autoAccept: true } },
  { reference: '소프트웨어 개빌팀', names: korean, expect: { first: '소프트웨어 개발팀', autoAccept: true } },
  { reference: '소프트웨어개발팀', names: korean, expect: { first: '소프트웨어 개발팀', autoAccept: true } },
  { reference: '마캐팅', names: korean, expect: { first: '마케팅', autoAccept: false } },
  { reference: 'الهندسه', names: arabic, expect: { first: 'الهندسة', autoAccept: true } },
  { reference: 'التسوق', names: arabic, expect: { first: 'التسويق', autoAccept: true } },
  { reference: 'خدمة العملا', names: arabic, expect: { first: 'خدمة العملاء', autoAccept: true } },
  { reference: 'المَبيعات', names: arabic, expect: { first: 'المبيعات', autoAccept: true } },
  { reference: 'פיתוח תוכנ', names: ['פיתוח תוכנה', 'שיווק'], expect: { first: 'פיתוח תוכנה', autoAccept: true } },
  { reference: 'इंजीनियरी', names: ['इंजीनियरिंग', 'विपणन'], expect: { first: 'इंजीनियरिंग', autoAccept: false } },
  { reference: 'วิศวกรรมซอฟต์แวร', names: ['วิศวกรรมซอฟต์แวร์', 'การตลาด'], expect: { first: 'วิศวกรรมซอฟต์แวร์', autoAccept: true } },
  { reference: '产品设计', names: chinese, expect: { first: '产品设计', autoAccept: true } },
  { reference: '产品', names: chinese, expect: { first: '产品设计', autoAccept: false } },
  { reference: '客户成攻', names: chinese, expect: { first: '客户成功', autoAccept: false } },
  { reference: '华北区销售团队', names: chinese, expect: { first: '华东区销售团队', autoAccept: false } },
  { reference: 'Քարտեզագրություն', names: ['Քարտեզագրութուն', 'Վաճառք'], expect: { first: 'Քարտեզագրութուն', autoAccept: true } },
  { reference: '𝐄𝐧𝐠𝐢𝐧𝐞𝐞𝐫𝐢𝐧𝐠', names: ['Engineering', 'Design'], expect: { first: 'Engineering', autoAccept: true } },
  {
    reference: 'Team 👩‍💻 Platfrom',
    names: ['Team 👩‍💻 Platform', 'Team 👩‍🔬 Platform'],
    expect: { first: 'Team 👩‍💻 Platform', autoAccept: true },
  },
]
