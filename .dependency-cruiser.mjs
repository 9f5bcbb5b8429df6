/** The arrows of the tree: functions -> shared -> nothing of ours; see docs/architecture.md. */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Files that need each other are one idea in two places.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-cycles-of-folders',
      comment: 'Folders that need each other are one folder, or have a file that belongs in a third.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'shared-stands-alone',
      comment: 'It is built into the Lambda layer: what it imports travels with it.',
      severity: 'error',
      from: { path: '^shared/' },
      to: { path: '^(functions|local|infra|operator|packages|tools|test)/' },
    },
    {
      name: 'functions-use-shared-only',
      comment: 'The endpoints do not know whether a gateway or the local server calls them.',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: '^(local|infra|operator|packages|tools|test)/' },
    },
    {
      name: 'local-adapts',
      comment: 'It serves the endpoints, on paper with the paper venue.',
      severity: 'error',
      from: { path: '^local/' },
      to: {
        path: '^(infra|operator|packages|tools|test)/',
        pathNot: '^packages/paper-venue/venue\\.ts$',
      },
    },
    {
      name: 'operator-uses-shared',
      comment:
        'The operator reads settings, keys and the store of orders as the service does. Its start also runs the service.',
      severity: 'error',
      from: { path: '^operator/' },
      to: {
        path: '^(functions|local|infra|packages|tools|test)/',
        pathNot:
          '^(local/(command-line|main|file-store/store|paper/session-file|service/(folders|open-store|service|settings-file))|packages/(mcp|paper-venue)/command)\\.ts$|^local/quick-start\\.js$',
      },
    },
    {
      name: 'command-line-stands-alone',
      comment: 'Every command reads its options by it.',
      severity: 'error',
      from: { path: '^local/command-line\\.ts$' },
      to: { path: '^(local|operator|shared)/', pathNot: '^shared/(?:nearest|node-error|secret|version)\\.ts$' },
    },
    {
      name: 'infra-knows-the-tables-only',
      comment:
        'A deployment knows the routes, the codes, the events of the log, the limits, the settings and the accounts of a key, runs the checks of a start, and no other code of the service.',
      severity: 'error',
      from: { path: '^infra/' },
      to: {
        path: '^(functions|shared|local|operator|packages|tools|test)/',
        pathNot:
          '^(functions/(routes|orders/deployed-variables)|shared/(decimal|errors|nearest|node-error|limits|log|orders/table-layout|store-name|settings/(formats|read|rules|table)|venue/polymarket/(accounts|regions)))\\.ts$',
      },
    },
    {
      name: 'paper-venue-shares-no-code',
      comment: 'The paper venue checks what the adapter does: a shared mistake would pass.',
      severity: 'error',
      from: { path: '^packages/paper-venue/' },
      to: {
        path: '^(functions|shared|local|infra|operator|packages|tools|test)/',
        pathNot: '^packages/paper-venue/',
      },
    },
    {
      name: 'client-stands-alone',
      comment: 'It is installed without the service, and without any dependency.',
      severity: 'error',
      from: { path: '^packages/client/' },
      to: { pathNot: '^packages/client/' },
    },
    {
      name: 'console-uses-the-client-only',
      comment:
        'It is a page like those of callers: the client has to provide everything that it needs of the service. uPlot draws.',
      severity: 'error',
      from: { path: '^packages/console/' },
      to: { pathNot: '^(packages/(console/|client/client\\.ts$)|node_modules/uplot/)' },
    },
    {
      name: 'mcp-uses-the-client-only',
      comment: 'The door for agents is a caller like any other, and holds nothing of the service.',
      severity: 'error',
      from: { path: '^packages/mcp/' },
      to: {
        path: '^(functions|shared|local|infra|operator|packages|tools|test)/',
        pathNot: '^packages/(mcp/|client/client\\.ts$)',
      },
    },
    {
      name: 'tools-use-no-tests',
      comment:
        'What a tool needs as well is a part of tools/support. The contract is run at a URL and on built functions, too.',
      severity: 'error',
      from: { path: '^tools/' },
      to: { path: '^test/', pathNot: '^test/contract/[^.]+\\.ts$' },
    },
    {
      name: 'wire-models-stay-in-the-venue-folder',
      comment: "The venue's records change without notice; its folder translates them into our words.",
      severity: 'error',
      from: {
        path: '^(functions|shared|local|operator)/',
        pathNot: '^shared/venue/polymarket/',
      },
      to: {
        path: '^shared/venue/polymarket/',
        pathNot: '^shared/venue/polymarket/(accounts|market-data|open-account|operator-venue|order-entry)\\.ts$',
      },
    },
    {
      name: 'official-client-through-one-file',
      comment: 'One file holds all that the service takes from the official client, and one test pins it.',
      severity: 'error',
      from: {
        pathNot: '^(tools|test)/|^shared/venue/polymarket/official-client.ts$',
      },
      to: { path: 'node_modules/@polymarket/' },
    },
    {
      name: 'not-to-unresolvable',
      comment:
        'aws-lambda is a package of types: an import of a value could not resolve. Stryker is installed by its own package.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(aws-lambda$|@stryker-mutator/)' },
    },
    {
      name: 'runtime-uses-dependencies-only',
      comment: 'Development packages are not installed where the service runs.',
      severity: 'error',
      from: { path: '^(functions|shared|local|operator|packages/paper-venue)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/build/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
