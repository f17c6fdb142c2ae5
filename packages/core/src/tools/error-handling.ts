import { callObserver, maskingOf } from "../thrown.ts";
import {
  isToolResult,
  ToolErrorCodes,
  ToolResponse,
  type ToolResult,
  type ToolResultStatus,
} from "./result.ts";
import type { ToolCallInfo } from "./tool.ts";

/** One finished execution of a tool, without its arguments and its result, which may quote the conversation. */
export interface ToolLogEntry {
  readonly toolName: string;
  readonly status: ToolResultStatus;
  readonly executionTimeMs: number;
  /** What the tool threw, if it did. */
  readonly error?: unknown;
}

export interface ErrorHandlingOptions {
  /** Called once for each execution. If it throws, that is reported as a process warning, and the result stays. Default: nothing is logged. */
  readonly log?: (entry: ToolLogEntry) => void;
  /** Masks secrets in the error message that the model gets; the log gets the error itself. See `RunConfig.maskSecrets`. Default `true`. */
  readonly maskSecrets?: boolean | ((thrown: string) => string);
}

type Unwrapped<R> = R extends ToolResult<infer T> ? T : R;

/**
 * Makes an `execute` that never throws. What `executor` returns becomes a successful result (a {@link ToolResult} keeps its
 * status), and what it throws becomes an error with code `EXECUTION_FAILED`. Both have the tool's name and `executionTimeMs`.
 */
export function withErrorHandling<A, Ctx, R>(
  toolName: string,
  executor: (args: A, context: Readonly<Ctx>, call?: ToolCallInfo) => Promise<R> | R,
  options: ErrorHandlingOptions = {},
): (args: A, context: Readonly<Ctx>, call?: ToolCallInfo) => Promise<ToolResult<Unwrapped<R>>> {
  const mask = maskingOf(options);
  return async (args, context, call) => {
    const start = performance.now();
    const finish = (result: ToolResult, failure?: { readonly error: unknown }): ToolResult => {
      const executionTimeMs = performance.now() - start;
      if (options.log !== undefined) {
        callObserver(
          () => options.log?.({ toolName, status: result.status, executionTimeMs, ...failure }),
          () => `The log of withErrorHandling failed for tool "${toolName}"; its result stands.`,
        );
      }
      return { ...result, metadata: { executionTimeMs, toolName, ...result.metadata } };
    };
    try {
      const value = await executor(args, context, call);
      return finish(isToolResult(value) ? value : ToolResponse.success(value));
    } catch (error) {
      const message = error instanceof Error ? error.message : "The tool failed without an error message";
      return finish(ToolResponse.error(ToolErrorCodes.EXECUTION_FAILED, mask(message)), { error });
    }
  };
}
