import { type Fields, fieldsOf, textField } from "@jaf/model-http";
import type { AnyPart } from "./originals.ts";
import { type PlannedEntry, planSave, type SavePlan, type StoreUIMessagesOptions } from "./save-plan.ts";
import type { AnyUIMessage, StoredUIMessage } from "./ui-format.ts";

/** What a client may do with a message. `trigger` and `messageId` are those of the request of the AI SDK's `useChat`. */
export interface TakeMessageOptions extends StoreUIMessagesOptions {
  /**
   * The names of the tools that run in the client. Outputs of other tools aren't taken from it. Default: there are none.
   */
  readonly clientTools?: readonly string[] | undefined;
}

/** Decides what a client's message changes. Returns `undefined` if it has nothing new that a model can answer. */
export function planTaken(
  stored: readonly StoredUIMessage[],
  message: AnyUIMessage,
  options: TakeMessageOptions,
): SavePlan | undefined {
  if (message.role === "assistant") {
    const before = stored.find(({ ui }) => ui?.id === message.id)?.ui;
    const answered = before && withAnswers(before, message, options.clientTools ?? []);
    return answered && planSave(stored, [answered], {});
  }
  const plan = planSave(stored, [message], options);
  const after = plan && [...stored.slice(0, plan.kept), ...plan.written];
  const last = after?.findLast(({ ui }) => ui !== undefined)?.ui;
  // A repeated request, whose message already has a reply.
  if (plan === undefined || last?.id !== message.id || last.role !== "user") return undefined;
  return withInterruptedCalls(stored, plan);
}

/**
 * Gives calls a result that the user approved or denied, but that have none: the process that would have run them has
 * crashed, or was stopped. Otherwise no model accepts the conversation any more.
 */
function withInterruptedCalls(stored: readonly StoredUIMessage[], { kept, written }: SavePlan): SavePlan {
  const first = stored.slice(0, kept).findIndex(({ ui }) => ui?.parts.some(isInterrupted));
  if (first < 0) return { kept, written };
  const settled = stored
    .slice(first, kept)
    .map(
      (entry): PlannedEntry =>
        entry.ui?.parts.some(isInterrupted) === true
          ? { ui: { ...entry.ui, parts: entry.ui.parts.map(interrupted) } }
          : entry,
    );
  return { kept: first, written: [...settled, ...written] };
}

/** Whether a call has an answer to its approval, but no result. The provider of the model runs some calls by itself. */
function isInterrupted(part: object): boolean {
  const { state, providerExecuted }: Fields = { ...part };
  return state === "approval-responded" && providerExecuted !== true;
}

function interrupted<Part extends { readonly type: string }>(part: Part): Part {
  if (!isInterrupted(part)) return part;
  const { approval }: AnyPart = { ...part };
  return fieldsOf(approval)["approved"] === false
    ? { ...part, state: "output-denied" }
    : { ...part, state: "output-error", errorText: "The call was interrupted, so its outcome isn't known." };
}

/** Returns a stored reply with a client's answers to calls that wait. Returns `undefined` if there is no such answer. */
function withAnswers(
  stored: AnyUIMessage,
  sent: AnyUIMessage,
  clientTools: readonly string[],
): AnyUIMessage | undefined {
  if (stored.role !== "assistant") return undefined;
  const answers = new Map(sent.parts.map((part) => [fieldsOf(part)["toolCallId"], fieldsOf(part)]));
  let isAnswered = false;
  const parts = stored.parts.map((part): AnyPart => {
    const call: AnyPart = { ...part };
    const id = call["toolCallId"];
    const given = typeof id === "string" ? answers.get(id) : undefined;
    const answer = given && answerOf(call, given, clientTools);
    if (answer === undefined) return call;
    isAnswered = true;
    return { ...call, ...answer };
  });
  return isAnswered ? { ...stored, parts } : undefined;
}

/** Returns the fields that an answer of a client changes in a call. Returns `undefined` if the call doesn't wait for it. */
function answerOf(call: AnyPart, given: Fields, clientTools: readonly string[]): Fields | undefined {
  if (call["state"] === "approval-requested") {
    const asked = fieldsOf(call["approval"]);
    const { id, approved, reason } = fieldsOf(given["approval"]);
    if (given["state"] !== "approval-responded" || id !== asked["id"] || typeof approved !== "boolean")
      return undefined;
    const why = typeof reason === "string" ? { reason } : {};
    return { state: "approval-responded", approval: { ...asked, approved, ...why } };
  }
  const name = call.type === "dynamic-tool" ? call["toolName"] : call.type.replace(/^tool-/, "");
  const isOfClient = typeof name === "string" && clientTools.includes(name);
  if (call["state"] !== "input-available" || call["providerExecuted"] === true || !isOfClient)
    return undefined;
  const errorText = textField(given, "errorText");
  if (given["state"] === "output-error" && errorText !== undefined)
    return { state: "output-error", errorText };
  const { state, output, preliminary } = given;
  const isOutput = state === "output-available" && output !== undefined && preliminary !== true;
  return isOutput ? { state: "output-available", output } : undefined;
}
