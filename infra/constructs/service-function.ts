import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Route } from '../../functions/routes.ts';

export interface CommonProps {
  readonly stackName: string;
  /** The folder that the build writes. */
  readonly assets: string;
  readonly layer: lambda.LayerVersion;
}

interface FunctionProps<Name> extends CommonProps {
  readonly name: Name;
  readonly description: string;
  /** Megabytes; 1769 are one vCPU. */
  readonly memory: number;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
  /** By default the function has a log of its own, kept for a month and deleted with the stack. */
  readonly log?: ILogGroup;
  /** By default `live`. A deployment that changes the name moves all requests at once, to a new alias. */
  readonly alias?: string;
}

/**
 * A function with its own role, which may only write its log. It is called by the alias of a published version: Lambda
 * swaps code and layer by two calls, and a version has both of one build.
 */
export class ServiceFunction<Name extends Route['name'] | 'events' = Route['name']> extends Construct {
  /** The endpoint's name in metrics and logs. */
  readonly name: Name;
  readonly function: lambda.Function;
  readonly alias: lambda.Alias;
  /** The alias, in the type of a target. An integration of the gateway would allow it every stage and method. */
  readonly live: lambda.IFunction;
  readonly log: ILogGroup;

  constructor(scope: Construct, id: string, props: FunctionProps<Name>) {
    super(scope, id);
    this.name = props.name;
    const kept = { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY };
    this.log = props.log ?? new LogGroup(this, 'Log', kept);
    // With a role of ours the CDK attaches no policy of AWS, which would allow all logs.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.log.grantWrite(role);
    this.function = new lambda.Function(this, 'Function', {
      functionName: `${props.stackName}-${props.name}`,
      description: props.description,
      code: lambda.Code.fromAsset(join(props.assets, 'functions', props.name)),
      handler: 'index.handler',
      runtime: lambda.Runtime.NODEJS_24_X,
      architecture: lambda.Architecture.ARM_64,
      memorySize: props.memory,
      timeout: Duration.millis(props.timeoutMs),
      environment: { ...props.environment },
      layers: [props.layer],
      role,
      logGroup: this.log,
      // Our lines are JSON already and pass through; Lambda's own become JSON, so that one query reads both.
      loggingFormat: lambda.LoggingFormat.JSON,
      // SERVICE_LOG_LEVEL decides which of our lines are written.
      applicationLogLevelV2: lambda.ApplicationLogLevel.TRACE,
      // Drops Lambda's two lines per request, since ours has the duration. Lines about failures and time-outs stay.
      systemLogLevelV2: lambda.SystemLogLevel.WARN,
      // The previous version is kept, so that the alias can go back to it.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    this.alias = this.function.addAlias(props.alias ?? 'live');
    const live = { functionArn: this.alias.functionArn, sameEnvironment: false, skipPermissions: true };
    this.live = lambda.Function.fromFunctionAttributes(this, 'Live', live);
  }

  allow(actions: readonly string[], resource: string, conditions: Readonly<Record<string, object>> = {}): void {
    this.function.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources: [resource], conditions }));
  }
}
