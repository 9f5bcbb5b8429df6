/** The arrows of the tree: functions -> shared -> nothing of ours; see CONTRIBUTING.md. */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'shared-stands-alone',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(functions|local|infra|test)/' },
    },
    {
      name: 'functions-use-shared-only',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: '^(local|infra|test)/' },
    },
    {
      name: 'local-adapts',
      severity: 'error',
      from: { path: '^local/' },
      to: { path: '^(infra|test)/' },
    },
    {
      name: 'infra-knows-the-routes-only',
      severity: 'error',
      from: { path: '^infra/' },
      to: { path: '^(functions|shared|local|test)/', pathNot: '^functions/routes\\.ts$' },
    },
    {
      name: 'paper-venue-is-independent',
      comment: 'The paper venue checks what the adapter does: it shares none of its code.',
      severity: 'error',
      from: { path: '^local/paper/' },
      to: { path: '^(functions|shared)/' },
    },
    {
      name: 'wire-models-stay-in-the-venue-folder',
      severity: 'error',
      from: { path: '^(functions|shared|local)/', pathNot: '^shared/venue/polymarket/' },
      to: { path: '^shared/venue/polymarket/', pathNot: '^shared/venue/polymarket/(market-data|order-entry)\\.ts$' },
    },
    {
      name: 'not-to-unresolvable',
      comment: 'aws-lambda is a package of types alone: there is nothing that an import of a value could resolve to.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^aws-lambda$' },
    },
    {
      name: 'runtime-uses-dependencies-only',
      severity: 'error',
      from: { path: '^(functions|shared|local)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
