import type { ApprovalDecision, ContinuationRejectionCode } from "@jaf/memory";
import { parseApprovalDecision } from "@jaf/memory/engine";
import { ContinuationValidationError } from "@jaf/memory/turns";
import * as z from "zod";
import type { Resume } from "../config.ts";
import type { ClientToolResult } from "../interruption/interruption.ts";
import { toolPartsSchema } from "../tools/tool-parts.ts";

const toolResultSchema = z.object({
  toolCallId: z.string(),
  result: z.union([z.string(), z.looseObject({ status: z.string() }), toolPartsSchema]),
});

/** What was decided about waiting calls. */
type GivenByClient = Pick<Resume, "approvals" | "toolResults">;

interface SentByClient {
  readonly approvals?: unknown;
  readonly toolResults?: unknown;
}

/** They come from a browser: throws `ContinuationValidationError` for what is no list of decisions or of results. */
export function parseDecisions({ approvals, toolResults }: SentByClient): GivenByClient {
  return {
    ...(approvals === undefined ? {} : { approvals: parseApprovals(approvals) }),
    ...(toolResults === undefined ? {} : { toolResults: parseToolResults(toolResults) }),
  };
}

function parseApprovals(approvals: unknown): readonly ApprovalDecision[] {
  const decisions = Array.isArray(approvals) ? approvals.map(parseApprovalDecision) : undefined;
  const bad = decisions?.indexOf(undefined) ?? -1;
  if (decisions !== undefined && bad === -1) return decisions as readonly ApprovalDecision[];
  const reason =
    "the approvals are not a list of decisions; each has toolCallId, approvalId, approved and maybe reason";
  throw malformed("malformed-approval", reason, bad);
}

function parseToolResults(toolResults: unknown): readonly ClientToolResult[] {
  const parsed = z.array(toolResultSchema).safeParse(toolResults);
  if (parsed.success) return parsed.data as readonly ClientToolResult[];
  const reason = "the tool results are not a list of results; each has toolCallId and result";
  const [index] = parsed.error.issues[0]?.path ?? [];
  throw malformed("malformed-message", reason, typeof index === "number" ? index : -1);
}

/** The refusal of a request that asks for nothing. */
export const nothingSent = (): ContinuationValidationError =>
  malformed(
    "malformed-message",
    "there is no message, no approval and no tool result, so nothing to go on with",
    -1,
  );

/** The refusal of messages that are no list. */
export const noMessages = (): ContinuationValidationError =>
  malformed("malformed-message", "the messages are not a list of messages", -1);

/** The refusal of a message with a role of the application, e.g. `system`. */
export const forbiddenRole = (index: number): ContinuationValidationError =>
  malformed("forbidden-role", "a message has a role other than user, assistant and tool", index);

/** `index`: which of the list; -1: it is none. */
const malformed = (
  code: ContinuationRejectionCode,
  reason: string,
  index: number,
): ContinuationValidationError =>
  new ContinuationValidationError({ ok: false, code, reason, ...(index === -1 ? {} : { index }) });
