import { directions } from './lint/directions.ts'
import { coreRules, errors, typeRules, typescriptRules } from './lint/rules.ts'

const tests = ['**/*.test.ts', '**/test/**', 'e2e/**', 'lab/live/**', 'lab/{benchmarks,tasks}/**']

export default {
  plugins: ['eslint', 'typescript', 'oxc'],
  jsPlugins: ['./lint/plugin.ts'],
  // Rules that an upgrade adds to this category are on from the first day; all that we rely on are named below.
  categories: { correctness: 'error' },
  options: { typeAware: true, denyWarnings: true, respectEslintDisableDirectives: false },
  env: { builtin: true, node: true },
  ignorePatterns: ['**/dist/**', '**/node_modules/**', '**/.stryker-tmp/**', '**/generated/**', 'templates/server/**'],
  rules: {
    ...coreRules,
    ...typescriptRules,
    ...errors('house/', 'comment-opening no-cycle no-environment no-export-all no-super-linear-backtracking no-super-linear-move'),
    'max-lines': ['error', 400],
    'max-lines-per-function': ['error', { max: 80, skipComments: true }],
    'max-params': ['error', 4],
    'no-constant-condition': ['error', { checkLoops: 'allExceptWhileTrue' }],
    'no-unused-vars': ['error', { args: 'after-used' }],
    'typescript/ban-ts-comment': ['error', { 'ts-expect-error': true, 'ts-ignore': true, 'ts-nocheck': true }],
    'typescript/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
    'typescript/consistent-type-definitions': ['error', 'interface'],
    'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
  },
  overrides: [
    {
      files: ['**/*.{ts,tsx}'],
      rules: {
        ...typeRules,
        // The default order, of code units, is the one that we mean.
        'typescript/require-array-sort-compare': 'off',
        'typescript/restrict-plus-operands': [
          'error',
          { allowAny: false, allowBoolean: false, allowNullish: false, allowNumberAndString: false, allowRegExp: false },
        ],
        'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
        'typescript/return-await': ['error', 'error-handling-correctness-only'],
      },
    },
    // In the others, the type checker knows every name.
    { files: ['**/*.{js,mjs}'], rules: errors('', 'no-redeclare no-undef') },
    { files: tests, rules: { 'max-lines-per-function': 'off', 'house/no-environment': 'off' } },
    {
      files: ['scripts/**', 'releases/**', 'templates/*.ts', 'lint/**', 'lab/{benchmarks,tasks}/**', '**/*.config.ts', '**/*.mjs'],
      rules: { 'no-console': 'off', 'house/no-environment': 'off' },
    },
    {
      files: ['packages/server/src/cli/launch.ts', 'packages/testing/src/runs.ts', 'packages/testing/src/processes/**'],
      rules: { 'house/no-environment': 'off' },
    },
    {
      // The library marks this option as deprecated so that it stands out. Addresses are checked to be https or this machine.
      files: ['packages/server/src/account/login/oauth-client.ts', 'packages/team/src/connect/identity-provider.ts'],
      rules: {
        'typescript/no-deprecated': ['error', { allow: [{ from: 'package', package: 'oauth4webapi', name: 'allowInsecureRequests' }] }],
      },
    },
    { files: ['apps/*/src/tools/**'], excludeFiles: tests, rules: errors('house/', 'tools-throw tools-send-nothing') },
    ...Object.entries(directions).map(([name, { files, except = [], inTests }]) => ({
      files,
      excludeFiles: [...except, ...(inTests ? [] : tests)],
      rules: { [`house/imports-of-${name}`]: 'error' },
    })),
  ],
}
