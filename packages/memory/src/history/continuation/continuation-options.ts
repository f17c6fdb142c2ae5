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
 * Which messages a client may send. In both modes, the client must not change the stored history. It may only send
 * results for calls in this history, and approval decisions for its pending calls.
 *
 * - `strict` (default): the client sends its copy of the stored history, or a history token. After the copy, it may
 *   send at most one result for each pending call, and then user messages. It may also send at most one approval
 *   decision for each pending call. Use this mode for your own clients.
 * - `compatible`: in addition, the client may leave out the end of the history, add assistant messages, and send
 *   results after user messages. Some data is ignored instead of refused: a result for a call that isn't pending, a
 *   second result for a call, and a second decision about a call. Use this mode for clients that send such messages and
 *   that you can't change.
 */
export type ContinuationMode = "strict" | "compatible";

/** Options of `validateContinuation`. */
export interface ContinuationOptions {
  /** Which messages the client may send. Default `strict`. */
  readonly mode?: ContinuationMode;
  /**
   * The client's approval decisions. The value may be untrusted; a valid value is an array of `ApprovalDecision`.
   * Default: no decisions.
   */
  readonly approvals?: unknown;
  /**
   * The calls that wait for an approval. Each decision must have the call id and the approval id of one of these calls.
   * Calls of an agent that a pending call runs can be among them (e.g. `call_1/call_7` in `call_1`), and in
   * `clientToolCallIds`, too. Default: a decision may be about any pending call.
   */
  readonly pendingApprovals?: readonly PendingApproval[] | undefined;
  /**
   * The ids of the pending calls for which the client may send a result. Default: all pending calls. Set this option
   * whenever tools of the server wait for an approval. Otherwise the client could send a false result for such a tool.
   */
  readonly clientToolCallIds?: readonly string[] | undefined;
  /**
   * The number of oldest messages that the store has dropped: `metadata.nextPosition` minus the number of stored
   * messages. The client's copy may begin with up to this many more messages. These messages are neither checked nor
   * used. Default 0.
   */
  readonly dropped?: number | undefined;
  /**
   * Whether the client's copy may begin later than the stored history, with a user message. Copies from a run with a
   * window begin like this (`RunResult.historyFrom`). The copy must contain at least the last reply. Default `false`.
   */
  readonly mayBeginLater?: boolean | undefined;
  /**
   * Present if the client sent a history token instead of its copy of the history. `incoming` then contains only the
   * added messages. Absent: `incoming` begins with the copy.
   */
  readonly historyToken?: HistoryTokens | undefined;
}

/** A client's history token, and the token to which it must be equal. */
export interface HistoryTokens {
  /** The token from the client. The value may be untrusted. */
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

/** Checks the options and fills in the defaults. Throws a `TypeError` that names an invalid field. */
export function parseContinuationOptions(options: ContinuationOptions): ParsedContinuationOptions {
  refuseOptions(WHAT, optionIssues(optionFields(WHAT, options)));
  const { mode = "strict", dropped = 0, mayBeginLater = false } = options;
  return { ...options, mode, dropped, mayBeginLater };
}

/** Returns the mode of the options, or its default. Throws a `TypeError` that names an invalid field. */
export function parseMode(options: Pick<ContinuationOptions, "mode">): ContinuationMode {
  const fields = optionFields(WHAT, options);
  refuseOptions(WHAT, [modeIssue(fields["mode"]), ...unknownFieldIssues("", fields, ["mode"])]);
  return options.mode ?? "strict";
}
