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
      name: 'no-cycles-of-rooms',
      comment: 'Folders that need each other are one room, or have a file that belongs in a third.',
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
      to: { path: '^(functions|local|infra|paper|client|console|tools|test)/' },
    },
    {
      name: 'functions-use-shared-only',
      comment: 'The endpoints do not know whether a gateway or the local server calls them.',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: '^(local|infra|paper|client|console|tools|test)/' },
    },
    {
      name: 'local-adapts',
      comment:
        'It serves the endpoints, and for --paper it starts the paper venue and serves the files of the console.',
      severity: 'error',
      from: { path: '^local/' },
      to: { path: '^(infra|client|console|tools|test)/' },
    },
    {
      name: 'command-line-stands-alone',
      comment: 'Every command reads its options by it, those of the paper venue and of the deployment too.',
      severity: 'error',
      from: { path: '^shared/command-line\\.ts$' },
      to: { path: '^shared/', pathNot: '^shared/(?:version|error-code)\\.ts$' },
    },
    {
      name: 'infra-knows-the-tables-only',
      comment:
        'A deployment knows the routes, the codes, the events of the log, the limits, the settings and the accounts of a key, and runs no other code of the service. Its build reads its command line as every command does.',
      severity: 'error',
      from: { path: '^infra/' },
      to: {
        path: '^(functions|shared|local|paper|client|console|tools|test)/',
        pathNot:
          '^(functions/routes|shared/(command-line|errors|error-code|limits|log|settings/(formats|read|table)|venue/polymarket/accounts))\\.ts$',
      },
    },
    {
      name: 'paper-shares-no-code',
      comment:
        'The paper venue checks what the adapter does: a shared mistake would pass. Its command line is read as every other.',
      severity: 'error',
      from: { path: '^paper/' },
      to: { path: '^(functions|shared|local|infra|client|console|tools|test)/', pathNot: '^shared/command-line\\.ts$' },
    },
    {
      name: 'client-stands-alone',
      comment: 'It is installed without the service, and without any dependency.',
      severity: 'error',
      from: { path: '^client/' },
      to: { pathNot: '^client/' },
    },
    {
      name: 'console-uses-the-client-alone',
      comment: 'It is a page like those of callers: what it needs of the service, the client has to give.',
      severity: 'error',
      from: { path: '^console/' },
      to: { pathNot: '^(console/|client/client\\.ts$)' },
    },
    {
      name: 'tools-use-no-tests',
      comment: 'What a tool needs as well is a part of tools/support.',
      severity: 'error',
      from: { path: '^tools/' },
      to: { path: '^test/' },
    },
    {
      name: 'wire-models-stay-in-the-venue-folder',
      comment: "The venue's records change without notice; its folder translates them into our words.",
      severity: 'error',
      from: { path: '^(functions|shared|local)/', pathNot: '^shared/venue/polymarket/' },
      to: {
        path: '^shared/venue/polymarket/',
        pathNot: '^shared/venue/polymarket/(accounts|inspection/inspection|market-data|order-entry)\\.ts$',
      },
    },
    {
      name: 'inspection-is-for-the-doctor',
      comment: 'It asks what no endpoint needs, and must not come into the layer.',
      severity: 'error',
      from: { pathNot: '^(local/doctor|tools|test|shared/venue/polymarket/inspection)/' },
      to: { path: '^shared/venue/polymarket/inspection/' },
    },
    {
      name: 'official-client-through-one-file',
      comment: 'One file holds all that the service takes from the official client, and one test pins it.',
      severity: 'error',
      from: {
        pathNot: '^(local/(desk|doctor)|tools|test)/|^shared/venue/polymarket/official-client.ts$',
      },
      to: { path: 'node_modules/(@polymarket|axios)/' },
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
      comment: 'Development packages are not installed where the service runs.',
      severity: 'error',
      from: { path: '^(functions|shared|local|paper)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(client|console)/build/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json'],
    },
  },
};
