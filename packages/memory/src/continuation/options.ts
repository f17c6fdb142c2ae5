import * as z from "zod";
import { lazy } from "../lazy.ts";
import type { PendingApproval } from "./approval.ts";

/**
 * `strict`, the default: behind the stored history a client may add results for calls that are pending, each once,
 * then user messages. `compatible`: nothing is asked but that the history was not rewritten, that each result is for
 * a call of the history, and each decision for a call that is pending.
 */
export type ContinuationMode = "strict" | "compatible";

export interface ContinuationOptions {
  /** Default `strict`. */
  readonly mode?: ContinuationMode;
  /** The client's decisions, an array of `ApprovalDecision`, as they came in: they are checked here. Default: none. */
  readonly approvals?: unknown;
  /** The calls that wait for approval. A decision must name one of them with its approval id. Absent: any pending call. */
  readonly pendingApprovals?: readonly PendingApproval[] | undefined;
  /**
   * The pending calls that the client is to answer. Absent: all of them; name them wherever tools of the server wait
   * for approval, since a result of the client's would stand in for theirs.
   */
  readonly clientToolCallIds?: readonly string[] | undefined;
  /**
   * How many of its oldest messages the store has dropped: `metadata.nextPosition` less the number of its messages.
   * The client's copy may begin with up to as many more, which nobody can check and nobody uses. Default 0.
   */
  readonly dropped?: number | undefined;
  /**
   * Whether the client's copy may begin later than the stored history, with a user message, as those do that a run with a
   * window gives out (`RunResult.historyFrom`). It holds at least the last reply. Default `false`.
   */
  readonly mayBeginLater?: boolean | undefined;
  /**
   * Given where the client sent a token in place of its copy, and `incoming` is what it adds alone. Default: `incoming` begins
   * with the copy.
   */
  readonly historyToken?: HistoryTokens | undefined;
}

export interface HistoryTokens {
  /** As it came in. */
  readonly sent: unknown;
  /** `historyTokenOf` the stored conversation. */
  readonly expected: string | undefined;
}

export const modeSchema = lazy(() => z.enum(["strict", "compatible"]).default("strict"));

export const continuationOptionsSchema = lazy(() =>
  z.strictObject({
    mode: modeSchema(),
    approvals: z.unknown().optional(),
    pendingApprovals: z
      .array(z.object({ toolCallId: z.string(), approvalId: z.string() }))
      .readonly()
      .optional(),
    clientToolCallIds: z.array(z.string()).readonly().optional(),
    dropped: z.int().min(0).default(0),
    mayBeginLater: z.boolean().default(false),
    historyToken: z.object({ sent: z.unknown(), expected: z.string().optional() }).optional(),
  }),
);

export type ParsedContinuationOptions = z.output<ReturnType<typeof continuationOptionsSchema>>;
