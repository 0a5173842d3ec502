import js from '@eslint/js'
import regexp from 'eslint-plugin-regexp'
import tseslint from 'typescript-eslint'
import { noCycle } from './lint/no-cycle.ts'
import { servers } from './servers.ts'

const tests = ['**/*.test.ts', '**/test/**', 'e2e/**', 'lab/live/**', 'lab/benchmarks/**']
const sdk = ['@modelcontextprotocol/*']
const apps = servers.map(({ packageName }) => packageName)
const emulators = ['@mcp-toolkits/*-emulator', '@mcp-toolkits/emulator']

/** Forbids imports matching `patterns` in `files`; `reason` is what the author reads. */
const forbid = (files, patterns, reason, ignores = []) => ({
  files,
  ignores: [...tests, ...ignores],
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [{ group: patterns, message: reason }] }] },
})

const noTry = { selector: 'TryStatement', message: 'A tool returns data or throws; packages/server turns either into a result.' }
const noFetch = { selector: "CallExpression[callee.name='fetch']", message: 'Only the vendor client sends requests.' }
const noEnv = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'The environment is read once, in packages/server/src/cli/launch.ts, and handed on.',
}
const noExport = { selector: 'ExportAllDeclaration', message: 'Name what is public.' }

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/.stryker-tmp/**', '**/generated/**', 'templates/server/**', 'templates/tool/**'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    plugins: { workspace: { rules: { 'no-cycle': noCycle } } },
    rules: {
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true, 'ts-ignore': true, 'ts-nocheck': true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/dot-notation': 'off',
      'workspace/no-cycle': 'error',
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', { max: 80, skipComments: true }],
      'max-params': ['error', 4],
      'no-console': 'error',
      'no-restricted-syntax': ['error', noExport, noEnv],
    },
  },
  { files: tests, rules: { 'max-lines-per-function': 'off', 'no-restricted-syntax': ['error', noExport] } },
  {
    // What arrives can be chosen so that such a pattern takes minutes.
    files: ['**/*.{ts,tsx,js,mjs}'],
    plugins: { regexp },
    rules: { 'regexp/no-super-linear-backtracking': 'error', 'regexp/no-super-linear-move': 'error' },
  },
  {
    files: ['**/*.mjs', 'eslint.config.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Response: 'readonly',
        fetch: 'readonly',
        setInterval: 'readonly',
        setTimeout: 'readonly',
        performance: 'readonly',
      },
    },
  },
  {
    files: ['scripts/**', 'releases/**', 'templates/*.ts', 'lint/**', 'lab/benchmarks/**', '**/*.config.ts'],
    rules: { 'no-console': 'off', 'no-restricted-syntax': 'off' },
  },
  {
    // The library marks this option as deprecated so that it stands out. Addresses are checked to be https or this machine.
    files: ['packages/server/src/account/login/oauth-client.ts', 'packages/team/src/connect/identity-provider.ts'],
    rules: {
      '@typescript-eslint/no-deprecated': [
        'error',
        { allow: [{ from: 'package', package: 'oauth4webapi', name: 'allowInsecureRequests' }] },
      ],
    },
  },
  {
    files: ['packages/server/src/cli/launch.ts', 'packages/testing/src/runs.ts', 'packages/testing/src/processes/**'],
    rules: { 'no-restricted-syntax': ['error', noExport] },
  },

  // Who may import whom: docs/architecture.md.
  forbid(['packages/testing/**', 'releases/**'], ['**/scripts/**', '**/lab/**', '**/e2e/**'], 'They are shared by scripts, lab and e2e.'),
  forbid(
    ['packages/sqlite/**'],
    [...sdk, '@mcp-toolkits/*', '!@mcp-toolkits/core'],
    'sqlite stands alone; its tests use the clock of core.',
  ),
  forbid(['packages/core/**'], [...sdk, '@mcp-toolkits/*', 'hono', 'hono/*'], 'core knows no protocol, no vendor and no other package.'),
  forbid(
    ['packages/{server,team}/**'],
    [...apps, ...emulators, '@mcp-toolkits/testing'],
    'server stands on core and sqlite, team on server.',
  ),
  forbid(
    ['packages/emulators/**'],
    [...sdk, ...apps, '@mcp-toolkits/core', '@mcp-toolkits/server', '@mcp-toolkits/team', '@mcp-toolkits/testing'],
    'An emulator shares nothing with the client it faces.',
  ),
  forbid(
    ['apps/*/src/*/**'],
    [...sdk, ...apps, ...emulators, '@mcp-toolkits/server/*', '!@mcp-toolkits/server/account'],
    'Only server.ts and context.ts know the server and the emulator.',
  ),
  forbid(['apps/*/src/*.ts'], [...sdk, ...apps], 'The MCP SDK belongs to packages/server; apps never import apps.'),
  {
    files: ['apps/*/src/tools/**'],
    rules: {
      'no-restricted-syntax': ['error', noExport, noEnv, noTry, noFetch],
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: [...sdk, ...apps, ...emulators, '@mcp-toolkits/server/*', '!@mcp-toolkits/server/account', 'node:*'],
              message: 'A tool speaks to its context only.',
            },
            { group: ['../server.ts', '../main.ts', '../embedded.ts'], message: 'Imports go down: server, tools, context, vendor, core.' },
          ],
        },
      ],
    },
  },
)
