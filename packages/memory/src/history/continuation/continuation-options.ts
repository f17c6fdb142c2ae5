import {
  expectedType,
  integerOptionIssue,
  optionFields,
  refuseOptions,
  typeIssue,
  unknownFieldIssues,
} from "../../codec/checks.ts";
import type { MemoryIssue } from "../../contract/errors.ts";
import { type Fields, isFields } from "../../runtime/objects.ts";
import type { PendingApproval } from "./approval.ts";

/**
 * Which messages a client may send. In both modes it must not rewrite the stored history, and may only send results for
 * calls of that history and approval decisions for its pending calls.
 *
 * - `strict` (default): the client sends the stored history (or a token for it), then at most one result for each
 *   pending call, then user messages. It may also send at most one approval decision for each pending call. Use it for
 *   your own clients.
 * - `compatible`: the client may also leave out the end of the history, add assistant messages, and send results after
 *   user messages. Results of calls that don't wait for one, second results of a call, and second decisions about it
 *   are ignored, not refused. Use it for clients that send such messages and that you can't change.
 */
export type ContinuationMode = "strict" | "compatible";

/** Options of `validateContinuation`. */
export interface ContinuationOptions {
  /** Default `strict`. */
  readonly mode?: ContinuationMode;
  /** The client's unchecked decisions: an array of `ApprovalDecision` is expected. Default: none. */
  readonly approvals?: unknown;
  /**
   * The calls that wait for approval. A decision must name one of them with its approval id. Default: any pending call.
   */
  readonly pendingApprovals?: readonly PendingApproval[] | undefined;
  /**
   * The pending calls that the client may answer. Default: all. Set it whenever server tools wait for approval:
   * otherwise a result from the client could replace theirs.
   */
  readonly clientToolCallIds?: readonly string[] | undefined;
  /**
   * The number of oldest messages that the store has dropped: `metadata.nextPosition` minus the number of stored
   * messages. The client's copy may begin with up to that many more messages; they are neither checked nor used.
   * Default 0.
   */
  readonly dropped?: number | undefined;
  /**
   * Whether the client's copy may begin later than the stored history, with a user message, like the copies of a run
   * with a window (`RunResult.historyFrom`). It must contain at least the last reply. Default `false`.
   */
  readonly mayBeginLater?: boolean | undefined;
  /**
   * Set it if the client sent a token instead of its copy: then `incoming` contains only the added messages. By default
   * `incoming` begins with the copy.
   */
  readonly historyToken?: HistoryTokens | undefined;
}

/** A client's history token and the token that it must equal. */
export interface HistoryTokens {
  /** The unchecked token from the client. */
  readonly sent: unknown;
  /** The result of `historyTokenOf` for the stored conversation. */
  readonly expected: string | undefined;
}

export interface ParsedContinuationOptions
  extends Omit<ContinuationOptions, "mode" | "dropped" | "mayBeginLater"> {
  readonly mode: ContinuationMode;
  readonly dropped: number;
  readonly mayBeginLater: boolean;
}

const WHAT = "continuation options";
const KNOWN = [
  "mode",
  "approvals",
  "pendingApprovals",
  "clientToolCallIds",
  "dropped",
  "mayBeginLater",
  "historyToken",
];

type Issues = readonly (MemoryIssue | undefined)[];

const modeIssue = (mode: unknown): MemoryIssue | undefined =>
  mode === undefined || mode === "strict" || mode === "compatible"
    ? undefined
    : { path: ".mode", expected: 'one of "strict"|"compatible"' };

function listIssues(path: string, list: unknown, issuesOf: (path: string, item: unknown) => Issues): Issues {
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [expectedType(path, "array", list)];
  return list.flatMap((item: unknown, index) => issuesOf(`${path}[${index}]`, item));
}

const approvalIssues = (path: string, approval: unknown): Issues =>
  isFields(approval)
    ? ["toolCallId", "approvalId"].map((field) => typeIssue(`${path}.${field}`, approval[field], "string"))
    : [expectedType(path, "object", approval)];

function tokenIssues(path: string, tokens: unknown): Issues {
  if (tokens === undefined) return [];
  if (!isFields(tokens)) return [expectedType(path, "object", tokens)];
  const { expected } = tokens;
  return [
    "sent" in tokens ? undefined : expectedType(`${path}.sent`, "nonoptional", undefined),
    expected === undefined ? undefined : typeIssue(`${path}.expected`, expected, "string"),
  ];
}

const optionIssues = (options: Fields): Issues => [
  modeIssue(options["mode"]),
  ...listIssues(".pendingApprovals", options["pendingApprovals"], approvalIssues),
  ...listIssues(".clientToolCallIds", options["clientToolCallIds"], (path, id) => [
    typeIssue(path, id, "string"),
  ]),
  options["dropped"] === undefined ? undefined : integerOptionIssue(".dropped", options["dropped"], 0),
  options["mayBeginLater"] === undefined
    ? undefined
    : typeIssue(".mayBeginLater", options["mayBeginLater"], "boolean"),
  ...tokenIssues(".historyToken", options["historyToken"]),
  ...unknownFieldIssues("", options, KNOWN),
];

/** Throws a `TypeError` that names the field. */
export function parseContinuationOptions(options: ContinuationOptions): ParsedContinuationOptions {
  refuseOptions(WHAT, optionIssues(optionFields(WHAT, options)));
  const { mode = "strict", dropped = 0, mayBeginLater = false } = options;
  return { ...options, mode, dropped, mayBeginLater };
}

/** Throws a `TypeError` that names the field. */
export function parseMode(options: Pick<ContinuationOptions, "mode">): ContinuationMode {
  const fields = optionFields(WHAT, options);
  refuseOptions(WHAT, [modeIssue(fields["mode"]), ...unknownFieldIssues("", fields, ["mode"])]);
  return options.mode ?? "strict";
}
