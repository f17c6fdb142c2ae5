import type { Message, RichMessage } from "@jaf/memory";
import {
  ContinuationValidationError,
  defaultContinuationValidator,
  historyTokenOf,
  messageText,
  validateContinuation,
} from "@jaf/memory/internal";
import { changedArguments, rejected } from "../approvals/decisions.ts";
import { isToolParts } from "../content-parts.ts";
import type { ContinuationRejected } from "../errors.ts";
import { frozenCopy } from "../immutable/copy.ts";
import { frozenInput, frozenMessages } from "../immutable/messages.ts";
import type { ClientToolResult, GivenDecisions } from "../interruption.ts";
import { abortable } from "../limits/abort.ts";
import type { RunScope, SentHistory } from "../run-scope.ts";
import { givesOutTails } from "../stored/tail.ts";
import type { StoppedConversation } from "./open-calls.ts";

/** The new messages and decisions in the input with which a client continues a run, or why this input is rejected. */
export type TakenContinuation =
  | { readonly ok: true; readonly added: readonly Message[]; readonly given: GivenDecisions }
  | { readonly ok: false; readonly error: ContinuationRejected };

const validateStrictly = defaultContinuationValidator();

interface SentContinuation {
  readonly sent: SentHistory;
  /** The number of messages that the store has dropped. 0 if only the end of the conversation was loaded. */
  readonly dropped: number;
}

/**
 * Validates the input with which a client continues a run, and resolves with what is new in it. Rejects if the run is
 * aborted.
 */
export async function takeContinuation<Ctx>(
  scope: RunScope<Ctx>,
  { sent, dropped }: SentContinuation,
  { stored, open }: StoppedConversation<Ctx>,
): Promise<TakenContinuation> {
  const { config, given, journal, isValidatedAsNew } = scope;
  const incoming = frozenInput(sent.messages);
  const persisted = frozenMessages(stored?.messages ?? []);
  const facts = frozenCopy({
    approvals: given.approvals,
    pendingApprovals: open.waiting.filter((waiting) => waiting.type === "approval"),
    clientToolCallIds: open.waiting.flatMap(({ type, toolCallId }) =>
      type === "client_tool" ? [toolCallId] : [],
    ),
    dropped,
    mayBeginLater: journal !== undefined && givesOutTails(journal.memory),
    ...("historyToken" in sent
      ? { historyToken: { sent: sent.historyToken, expected: historyTokenOf(stored?.metadata) } }
      : {}),
  });
  const changed = changedArguments(given, open);
  if (changed !== undefined) return { ok: false, error: changed };
  try {
    const conversationId = config.conversationId;
    const continuation = { persisted, incoming, conversationId, ...facts };
    // The validator is called on its object, because the object can be an instance of a class.
    const validate = async () =>
      config.validate === undefined ? validateStrictly(continuation) : config.validate(continuation);
    if (!isValidatedAsNew || persisted.length > 0) await abortable(validate(), config.signal);
  } catch (thrown) {
    if (config.signal?.aborted === true) throw thrown;
    scope.refusal = { thrown };
    return { ok: false, error: toRejection(thrown) };
  }
  // Checked even if the application's validator has accepted the input. If the input breaks the most lenient rules, the
  // client's additions can't be separated from the history.
  const verdict = validateContinuation(persisted, incoming, { mode: "compatible", ...facts });
  if (!verdict.ok) return { ok: false, error: { _tag: "ContinuationRejected", ...withoutOk(verdict) } };
  const { toolResults, added, approvals } = verdict;
  const answers = toolResults.map((message) => ({
    toolCallId: message.tool_call_id ?? "",
    result: toolResultIn(message),
  }));
  return { ok: true, added, given: { approvals, toolResults: [...given.toolResults, ...answers] } };
}

/** Returns the result in a client's tool message: its content parts, or else its text. */
function toolResultIn(message: Message): ClientToolResult["result"] {
  const { content: parts }: RichMessage = message;
  const answer: unknown = { parts };
  return isToolParts(answer) ? answer : messageText(message);
}

function withoutOk<Verdict extends { readonly ok: false }>({ ok: _, ...rest }: Verdict): Omit<Verdict, "ok"> {
  return rest;
}

function toRejection(thrown: unknown): ContinuationRejected {
  if (thrown instanceof ContinuationValidationError) {
    const { code, message, index } = thrown;
    return rejected(code, message, index);
  }
  return rejected("rejected", thrown instanceof Error ? thrown.message : "RunConfig.validate threw no Error");
}

export const isSentByToken = (sent: SentHistory | undefined): boolean => sent?.historyToken !== undefined;
