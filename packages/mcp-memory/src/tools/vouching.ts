import { createHash } from "node:crypto";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import type { ToolScope } from "./tool.ts";

/**
 * What the user says to a question:
 *
 * - `"yes"`, `"no"`: the user decided.
 * - `"open"`: the user closed the question.
 * - `"unasked"`: the client can't ask its user.
 */
export type Decision = "yes" | "no" | "open" | "unasked";

const answerSchema = z.object({ confirm: z.boolean().meta({ title: "Yes, this is right" }).default(false) });

/**
 * Asks the user through the client (elicitation). Returns the user's decision, or the result that the tool returns so
 * that the client asks and calls the tool again.
 */
export function askUser(
  scope: ToolScope,
  context: ServerContext,
  question: string,
): Decision | InputRequiredResult {
  if (!canAsk(capabilitiesOf(scope, context))) return "unasked";
  const key = keyOf(scope.userId, question);
  const response = inputResponse(context.mcpReq.inputResponses, key);
  if (response.kind !== "elicit") {
    const confirm = inputRequired.elicit({ message: question, requestedSchema: answerSchema });
    return inputRequired({ inputRequests: { [key]: confirm } });
  }
  if (response.action === "cancel") return "open";
  return response.action === "accept" && response.content?.["confirm"] === true ? "yes" : "no";
}

/** The name of a question. An answer to another question has another name, so it can't count for this one. */
const keyOf = (userId: string, question: string): string =>
  `confirm-${createHash("sha256")
    .update(JSON.stringify([userId, question]))
    .digest("hex")
    .slice(0, 32)}`;

function capabilitiesOf({ server }: ToolScope, { mcpReq }: ServerContext): ClientCapabilities | undefined {
  // In the newer generation of the protocol, each request says what its client can do. The SDK has checked it.
  const envelope = mcpReq.envelope as
    | { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities }
    | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities();
}

/** Whether the client shows forms. Without a mode, elicitation means forms. */
const canAsk = ({ elicitation }: ClientCapabilities = {}): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
