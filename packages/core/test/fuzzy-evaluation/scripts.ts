import type { Entry } from './entry.ts'

const russian = ['Разработка', 'Маркетинг', 'Поддержка клиентов', 'Продажи', 'Бухгалтерия'] as const
const greek = ['Ανάπτυξη', 'Σχεδιασμός', 'Υποστήριξη', 'Πωλήσεις'] as const
const japanese = ['エンジニアリング', 'マーケティング', 'カスタマーサポート', 'デザイン', '人事部'] as const
const korean = ['엔지니어링', '마케팅', '고객 지원', '디자인', '소프트웨어 개발팀'] as const
const arabic = ['الهندسة', 'التسويق', 'خدمة العملاء', 'المبيعات'] as const
const chinese = ['产品设计', '客户成功', '华东区销售团队', '数据科学'] as const

/** Names in other scripts than Latin, with the same slips. */
export const scripts: readonly Entry[] = [
  { wanted: 'Разработка', among: russian, expect: { first: 'Разработка', autoAccept: true } },
  { wanted: 'разработка', among: russian, expect: { first: 'Разработка', autoAccept: true } },
  { wanted: 'Разроботка', among: russian, expect: { first: 'Разработка', autoAccept: true } },
  { wanted: 'Маркетнг', among: russian, expect: { first: 'Маркетинг', autoAccept: true } },
  { wanted: 'Маркеитнг', among: russian, expect: { first: 'Маркетинг', autoAccept: true } },
  { wanted: 'Подержка клиентов', among: russian, expect: { first: 'Поддержка клиентов', autoAccept: true } },
  { wanted: 'Поддержка', among: russian, expect: { first: 'Поддержка клиентов', autoAccept: false } },
  { wanted: 'Бухгaлтерия', among: russian, expect: { first: 'Бухгалтерия', autoAccept: true } },
  { wanted: 'Отчет отдела', among: ['Отчёт отдела', 'Продажи'], expect: { first: 'Отчёт отдела', autoAccept: true } },
  { wanted: 'Спринт 12', among: ['Спринт 13', 'Продажи'], expect: { first: 'Спринт 13', autoAccept: false } },
  { wanted: 'Команда А', among: ['Команда Б', 'Продажи'], expect: { first: 'Команда Б', autoAccept: false } },
  { wanted: 'ΑΝΑΠΤΥΞΗ', among: greek, expect: { first: 'Ανάπτυξη', autoAccept: true } },
  { wanted: 'Σχεδιασμος', among: greek, expect: { first: 'Σχεδιασμός', autoAccept: true } },
  { wanted: 'ΣΧΕΔΙΑΣΜΟΣ', among: greek, expect: { first: 'Σχεδιασμός', autoAccept: true } },
  { wanted: 'Υποστήρηξη', among: greek, expect: { first: 'Υποστήριξη', autoAccept: true } },
  { wanted: 'Πωλήσες', among: greek, expect: { first: 'Πωλήσεις', autoAccept: true } },
  { wanted: 'エンジニアリソグ', among: japanese, expect: { first: 'エンジニアリング', autoAccept: true } },
  { wanted: 'エンジニアリグ', among: japanese, expect: { first: 'エンジニアリング', autoAccept: true } },
  { wanted: 'ｴﾝｼﾞﾆｱﾘﾝｸﾞ', among: japanese, expect: { first: 'エンジニアリング', autoAccept: true } },
  { wanted: 'カスタマサポート', among: japanese, expect: { first: 'カスタマーサポート', autoAccept: true } },
  { wanted: 'カスタマー・サポート', among: japanese, expect: { first: 'カスタマーサポート', autoAccept: true } },
  { wanted: 'テザイン', among: japanese, expect: { first: 'デザイン', autoAccept: false } },
  { wanted: '人事課', among: japanese, expect: { first: '人事部', autoAccept: false } },
  { wanted: 'プロダクト開発一課', among: ['プロダクト開発二課', '人事部'], expect: { first: 'プロダクト開発二課', autoAccept: false } },
  { wanted: '엔지니어링', among: korean, expect: { first: '엔지니어링', autoAccept: true } },
  { wanted: '엔지니어링'.normalize('NFD'), among: korean, expect: { first: '엔지니어링', autoAccept: true } },
  { wanted: '소프트웨어 개빌팀', among: korean, expect: { first: '소프트웨어 개발팀', autoAccept: true } },
  { wanted: '소프트웨어개발팀', among: korean, expect: { first: '소프트웨어 개발팀', autoAccept: true } },
  { wanted: '마캐팅', among: korean, expect: { first: '마케팅', autoAccept: false } },
  { wanted: 'الهندسه', among: arabic, expect: { first: 'الهندسة', autoAccept: true } },
  { wanted: 'التسوق', among: arabic, expect: { first: 'التسويق', autoAccept: true } },
  { wanted: 'خدمة العملا', among: arabic, expect: { first: 'خدمة العملاء', autoAccept: true } },
  { wanted: 'المَبيعات', among: arabic, expect: { first: 'المبيعات', autoAccept: true } },
  { wanted: 'פיתוח תוכנ', among: ['פיתוח תוכנה', 'שיווק'], expect: { first: 'פיתוח תוכנה', autoAccept: true } },
  { wanted: 'इंजीनियरी', among: ['इंजीनियरिंग', 'विपणन'], expect: { first: 'इंजीनियरिंग', autoAccept: false } },
  { wanted: 'วิศวกรรมซอฟต์แวร', among: ['วิศวกรรมซอฟต์แวร์', 'การตลาด'], expect: { first: 'วิศวกรรมซอฟต์แวร์', autoAccept: true } },
  { wanted: '产品设计', among: chinese, expect: { first: '产品设计', autoAccept: true } },
  { wanted: '产品', among: chinese, expect: { first: '产品设计', autoAccept: false } },
  { wanted: '客户成攻', among: chinese, expect: { first: '客户成功', autoAccept: false } },
  { wanted: '华北区销售团队', among: chinese, expect: { first: '华东区销售团队', autoAccept: false } },
  { wanted: 'Քարտեզագրություն', among: ['Քարտեզագրութուն', 'Վաճառք'], expect: { first: 'Քարտեզագրութուն', autoAccept: true } },
  { wanted: '𝐄𝐧𝐠𝐢𝐧𝐞𝐞𝐫𝐢𝐧𝐠', among: ['Engineering', 'Design'], expect: { first: 'Engineering', autoAccept: true } },
  { wanted: 'Team 👩‍💻 Platfrom', among: ['Team 👩‍💻 Platform', 'Team 👩‍🔬 Platform'], expect: { first: 'Team 👩‍💻 Platform', autoAccept: true } },
]
