/**
 * What the recipe of `docs/queues.md` uses of Temporal's SDK 1.24.0. The SDK has 150 packages and 263 MB, too many to
 * install for a recipe.
 */

declare module "@temporalio/activity" {
  export function cancellationSignal(): AbortSignal;
  export function heartbeat(details?: unknown): void;
}

declare module "@temporalio/workflow" {
  interface ActivityOptions {
    readonly startToCloseTimeout?: string | number;
    readonly scheduleToCloseTimeout?: string | number;
    readonly heartbeatTimeout?: string | number;
    readonly retry?: {
      readonly initialInterval?: string | number;
      readonly backoffCoefficient?: number;
      readonly maximumAttempts?: number;
    };
  }
  export function proxyActivities<A>(options: ActivityOptions): A;
}

declare module "@temporalio/client" {
  interface StartOptions<Args> {
    readonly taskQueue: string;
    readonly workflowId: string;
    readonly args: Args;
    readonly workflowIdConflictPolicy?: "FAIL" | "USE_EXISTING" | "TERMINATE_EXISTING";
    readonly startDelay?: string | number;
    readonly priority?: { readonly priorityKey?: number; readonly fairnessKey?: string };
  }
  export class Connection {
    private constructor();
    static connect(options: { readonly address: string }): Promise<Connection>;
    close(): Promise<void>;
  }
  export class Client {
    constructor(options: { readonly connection: Connection });
    readonly workflow: {
      start<W extends (...args: never[]) => Promise<unknown>>(
        workflow: string,
        options: StartOptions<Parameters<W>>,
      ): Promise<{ readonly workflowId: string }>;
    };
  }
}

declare module "@temporalio/worker" {
  export class NativeConnection {
    private constructor();
    static connect(options: { readonly address: string }): Promise<NativeConnection>;
    close(): Promise<void>;
  }
  export class Worker {
    private constructor();
    static create(options: {
      readonly connection: NativeConnection;
      readonly taskQueue: string;
      readonly workflowsPath: string;
      readonly activities: object;
      readonly maxConcurrentActivityTaskExecutions?: number;
      readonly shutdownGraceTime?: string | number;
    }): Promise<Worker>;
    run(): Promise<void>;
    shutdown(): void;
  }
}
