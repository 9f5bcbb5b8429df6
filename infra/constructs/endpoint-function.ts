import { join } from 'node:path';
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Route } from '../../functions/routes.ts';
import type { Names } from './names.ts';

export interface FunctionProps<Name = Route['name'] | 'fills'> {
  readonly name: Name;
  readonly names: Names;
  readonly description: string;
  /** The folder that the build writes. */
  readonly assets: string;
  /** Megabytes; 1769 are one vCPU. */
  readonly memory: number;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly layer: lambda.LayerVersion;
  /** By default the function has a log of its own, kept for a month and deleted with the stack. */
  readonly log?: ILogGroup;
}

/** What all functions share. */
export type CommonProps = Pick<FunctionProps, 'names' | 'assets' | 'layer'>;

interface EndpointFunctionProps extends FunctionProps<Route['name']> {
  /** By default `live`. A deployment that changes the name moves all requests at once, to a new alias. */
  readonly alias?: string;
}

/** Adds the layer of all functions. Older versions of them, to which an alias may go back, need theirs. */
export function addVenueLayer(scope: Construct, assets: string, names: Names): lambda.LayerVersion {
  return new lambda.LayerVersion(scope, 'VenueLayer', {
    layerVersionName: names.layer,
    description: 'The client of the venue',
    code: lambda.Code.fromAsset(join(assets, 'layer')),
    compatibleRuntimes: [lambda.Runtime.NODEJS_24_X],
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
}

/** A function with its own role, which may only write its log. */
export class ServiceFunction extends Construct {
  readonly function: lambda.Function;
  readonly log: ILogGroup;

  constructor(scope: Construct, id: string, props: FunctionProps) {
    super(scope, id);
    const kept = { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY };
    this.log = props.log ?? new LogGroup(this, 'Log', kept);
    // With a role of our own the CDK attaches no policy of AWS, which would allow all logs.
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.log.grantWrite(role);
    this.function = new lambda.Function(this, 'Function', {
      functionName: props.names.function(props.name),
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
      // Our lines are JSON already and pass through; Lambda's own become JSON too, so that one query reads both.
      loggingFormat: lambda.LoggingFormat.JSON,
      // Which of our lines are written is decided by SERVICE_LOG_LEVEL alone.
      applicationLogLevelV2: lambda.ApplicationLogLevel.TRACE,
      // Drops Lambda's two lines per request, since ours has the duration. Lines about failures and time-outs stay.
      systemLogLevelV2: lambda.SystemLogLevel.WARN,
      // The previous version is kept, so that the alias can go back to it.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
  }

  /** Allows calls of AWS. */
  allow(actions: readonly string[], resource: string, conditions: Readonly<Record<string, object>> = {}): void {
    this.function.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources: [resource], conditions }));
  }
}

/**
 * One endpoint's function. Requests go to the alias of a published version: Lambda swaps code and layer by two calls, and
 * a version has both of one build.
 */
export class EndpointFunction extends ServiceFunction {
  /** The endpoint's name in metrics and logs. */
  readonly route: Route['name'];
  readonly alias: lambda.Alias;
  /** The alias in the type that an integration of the gateway takes. */
  readonly live: lambda.IFunction;

  constructor(scope: Construct, id: string, props: EndpointFunctionProps) {
    super(scope, id, props);
    this.route = props.name;
    this.alias = this.function.addAlias(props.alias ?? 'live');
    // An integration would add a permission for every stage and method.
    const live = { functionArn: this.alias.functionArn, sameEnvironment: false, skipPermissions: true };
    this.live = lambda.Function.fromFunctionAttributes(this, 'Live', live);
  }

  /** Lets the one stage of the API invoke the alias, for a method and path; `*` stands for any. */
  allowGateway({ apiId: resource }: HttpApi, methodAndPath: string): lambda.CfnPermission {
    const resourceName = `$default/${methodAndPath}`;
    return new lambda.CfnPermission(this, 'Gateway', {
      action: 'lambda:InvokeFunction',
      functionName: this.alias.functionArn,
      principal: 'apigateway.amazonaws.com',
      sourceArn: Stack.of(this).formatArn({ service: 'execute-api', resource, resourceName }),
    });
  }
}
