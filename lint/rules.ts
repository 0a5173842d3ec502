/** Turns on the named rules of one plugin. */
export const errors = (prefix: string, names: string): Readonly<Record<string, 'error'>> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [prefix + name, 'error']),
  )

export const coreRules = errors(
  '',
  `
  constructor-super for-direction getter-return no-array-constructor no-async-promise-executor no-case-declarations
  no-class-assign no-compare-neg-zero no-cond-assign no-console no-const-assign no-constant-binary-expression no-control-regex
  no-debugger no-delete-var no-dupe-class-members no-dupe-else-if no-dupe-keys no-duplicate-case no-empty
  no-empty-character-class no-empty-function no-empty-pattern no-empty-static-block no-ex-assign no-extra-boolean-cast
  no-fallthrough no-func-assign no-global-assign no-import-assign no-invalid-regexp no-irregular-whitespace no-loss-of-precision
  no-misleading-character-class no-new-native-nonconstructor no-nonoctal-decimal-escape no-obj-calls no-prototype-builtins
  no-regex-spaces no-self-assign no-setter-return no-shadow-restricted-names no-sparse-arrays no-this-before-super
  no-unassigned-vars no-unexpected-multiline no-unreachable no-unsafe-finally no-unsafe-negation no-unsafe-optional-chaining
  no-unused-expressions no-unused-labels no-unused-private-class-members no-useless-assignment no-useless-backreference
  no-useless-catch no-useless-constructor no-useless-escape no-var no-with prefer-const prefer-rest-params prefer-spread
  preserve-caught-error require-yield use-isnan valid-typeof`,
)

export const typescriptRules = errors(
  'typescript/',
  `
  adjacent-overload-signatures array-type ban-tslint-comment class-literal-property-style consistent-generic-constructors
  consistent-indexed-object-style no-confusing-non-null-assertion no-duplicate-enum-values no-dynamic-delete
  no-empty-object-type no-explicit-any no-extra-non-null-assertion no-extraneous-class no-inferrable-types no-invalid-void-type
  no-misused-new no-namespace no-non-null-asserted-nullish-coalescing no-non-null-asserted-optional-chain no-non-null-assertion
  no-require-imports no-this-alias no-unnecessary-type-constraint no-unsafe-declaration-merging no-unsafe-function-type
  no-wrapper-object-types prefer-as-const prefer-for-of prefer-function-type prefer-literal-enum-member prefer-namespace-keyword
  triple-slash-reference unified-signatures`,
)

/** Rules that need the type checker. */
export const typeRules = errors(
  'typescript/',
  `
  await-thenable no-array-delete no-base-to-string no-confusing-void-expression no-deprecated no-duplicate-type-constituents
  no-floating-promises no-for-in-array no-generated-empty-object-type no-implied-eval no-meaningless-void-operator
  no-misused-promises no-misused-spread no-mixed-enums no-redundant-type-constituents no-unnecessary-boolean-literal-compare
  no-unnecessary-condition no-unnecessary-template-expression no-unnecessary-type-arguments no-unnecessary-type-assertion
  no-unnecessary-type-conversion no-unnecessary-type-parameters no-unsafe-argument no-unsafe-assignment no-unsafe-call
  no-unsafe-enum-comparison no-unsafe-member-access no-unsafe-return no-unsafe-unary-minus
  no-useless-default-assignment non-nullable-type-assertion-style only-throw-error prefer-find prefer-includes
  prefer-nullish-coalescing prefer-optional-chain prefer-promise-reject-errors prefer-reduce-type-parameter prefer-regexp-exec
  prefer-return-this-type prefer-string-starts-ends-with related-getter-setter-pairs require-await switch-exhaustiveness-check
  unbound-method use-unknown-in-catch-callback-variable`,
)
