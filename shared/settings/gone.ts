/**
 * Settings of an earlier build, each with what stands in its place: a start or a synth that is given one stops. Kept for
 * one release.
 */
const GONE: ReadonlyMap<string, string> = new Map([
  ['SERVICE_STORE_SHARED_FOLDER', 'unset it, and keep the file of the store on a local disk'],
  ['marketsPerSecond', 'the gateway lets 20 requests for markets a second through'],
  ['booksPerSecond', 'the gateway lets 150 requests for books a second through'],
  ['orderConcurrency', 'reserve executions by aws lambda put-function-concurrency'],
  ['readConcurrency', 'reserve executions by aws lambda put-function-concurrency'],
  ['monthlyBudget', 'create a budget of the account in AWS Budgets'],
  ['tracing', 'the log has the traceparent and the X-Amzn-Trace-Id of each request'],
  ['ticketTopic', 'alarmTopic gets every alarm'],
  ['storeKeyArn', 'give keyArn, for the table, the logs and the secret'],
  ['logKeyArn', 'give keyArn, for the table, the logs and the secret'],
  ['secretKeyArn', 'give keyArn, for the table, the logs and the secret'],
]);

/** Returns the sentence on a setting that is gone, by the name that the operator gave. */
export function goneProblem(name: string): string | undefined {
  const instead = GONE.get(name);
  return instead && `${name} is no longer a setting: ${instead}.`;
}
