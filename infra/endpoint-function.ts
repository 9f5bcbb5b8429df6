import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  type LayerVersion,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ROUTES } from '../functions/routes.ts';
import { acknowledgeFunction } from './findings.ts';

export interface EndpointFunctionProps {
  readonly name: keyof typeof ROUTES;
  readonly description: string;
  /** The folder that the build writes. */
  readonly assets: string;
  /** Megabytes; 1769 are one vCPU. */
  readonly memory: number;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly layer?: LayerVersion;
  readonly logRetention: RetentionDays;
  /** Keeps the log when the stack is deleted. */
  readonly keepLog: boolean;
  readonly reservedConcurrency?: number;
}

/** One endpoint's function with a log and a role of its own. The role may write that log and nothing else. */
export class EndpointFunction extends Construct {
  readonly function: LambdaFunction;
  readonly log: LogGroup;
  readonly role: Role;

  constructor(scope: Construct, id: string, props: EndpointFunctionProps) {
    super(scope, id);
    this.log = new LogGroup(this, 'Log', {
      retention: props.logRetention,
      removalPolicy: props.keepLog ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    this.role = this.createRole();
    this.function = new LambdaFunction(this, 'Function', {
      description: props.description,
      code: Code.fromAsset(join(props.assets, 'functions', props.name)),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memory,
      timeout: Duration.millis(props.timeoutMs),
      environment: { ...props.environment },
      layers: props.layer ? [props.layer] : [],
      role: this.role,
      logGroup: this.log,
      // Our lines are JSON already and pass through; Lambda's own become JSON too, so that one query reads both.
      loggingFormat: LoggingFormat.JSON,
      // Which of our lines are written is decided by SERVICE_LOG_LEVEL alone.
      applicationLogLevelV2: ApplicationLogLevel.TRACE,
      ...(props.reservedConcurrency !== undefined && { reservedConcurrentExecutions: props.reservedConcurrency }),
    });
    // Without its permissions a function would lose the log of its first start.
    this.function.node.addDependency(this.role);
    acknowledgeFunction(this.function);
  }

  private createRole(): Role {
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [this.log.logGroupArn],
      }),
    );
    return role;
  }
}
