import type { ModelToolCall } from "@jaf/core";
import { type Fields, listOf, textInputIn } from "@jaf/model-http";
import { errors } from "../errors.ts";
import type { OpenAIRequest } from "../request/request.ts";
import type { AnyTool } from "../request/tools.ts";
import { clientToolNames, inputText } from "./client-tools.ts";
import { APPROVAL_REQUEST, CUSTOM_CALL, type ItemMetadata, withMetadata } from "./items.ts";

/** A request, and what tells the application's calls in its reply from the service's own. */
export interface ResponsesRequest extends OpenAIRequest {
  /** The agent's tools by name. */
  readonly tools: ReadonlyMap<string, Pick<AnyTool, "needsApproval">>;
  /** Whether the service is OpenAI. It answers its own calls in the reply, and requires an answer to all others. */
  readonly isOpenAI: boolean;
  /** Whether the request offers a custom tool. */
  readonly offersCustom: boolean;
}

/** The id of the reasoning item directly before an item. */
export type Before = Pick<ItemMetadata, "reasoningId">;

/**
 * Checks whether an item asks the application for something: to run a tool, or to approve a call. `later`: the items
 * behind it so far. A call that is answered there is the service's own. Another service than OpenAI may also leave out the
 * answer (xAI doesn't tell what its searches found): then the call has an unknown name, and the model goes on, or the
 * request offers no custom tool.
 */
export function asksApplication(item: Fields, later: readonly Fields[], request: ResponsesRequest): boolean {
  if (later.some((other) => isOutputOf(other, item))) return false;
  if (!isNamedCall(item)) return item["type"] === APPROVAL_REQUEST || clientToolNames(item) !== undefined;
  if (request.isOpenAI || isKnown(item, request)) return true;
  const isOffered = item["type"] === "function_call" || request.offersCustom;
  return isOffered && later.every(isNamedCall);
}

/** Whether the item is a call of one of the agent's tools, so it is told before the reply has ended. */
export const isKnown = (item: Fields, { names, tools }: ResponsesRequest): boolean =>
  isNamedCall(item)
    ? tools.has(names.toOwn(String(item["name"])))
    : clientToolNames(item)?.some((name) => tools.has(name)) === true;

const isNamedCall = ({ type }: Fields): boolean => type === "function_call" || type === CUSTOM_CALL;

/** Whether an item is the output of a call, e.g. a `tool_search_output`: outputs end in `_output`, and repeat the id. */
export function isOutputOf({ type, call_id: id }: Fields, call: Fields): boolean {
  const called = String(call["type"]);
  const isOutput = type === `${called}_output` || type === called.replace(/(_call)?$/, "_output");
  return isOutput && (id ?? null) === (call["call_id"] ?? null);
}

/**
 * Returns the call of an item that asks the application. Doesn't validate it: the engine does. Throws an `OpenAIError` if
 * the agent has no tool for it.
 */
export function callOf(item: Fields, request: ResponsesRequest, before: Before): ModelToolCall {
  const kept = withMetadata({ item, ...before });
  if (item["type"] === APPROVAL_REQUEST) {
    const { id, server_label: server, name, arguments: text } = item;
    const called = { name: `${server}.${name}`, arguments: asText(text ?? "{}") };
    const approved = { providerExecuted: true };
    return { id: asText(id), type: "function", function: called, ...approved, ...kept };
  }
  const clientTools = clientToolNames(item);
  if (clientTools === undefined) return namedCall(item, request, before);
  const name = clientTools.find((each) => request.tools.has(each));
  if (name === undefined) throw errors.withoutTool(String(clientTools[0]), request.origin.provider);
  const isUnchecked = (request.tools.get(name)?.needsApproval ?? false) === false;
  if (isUnchecked && listOf(item["pending_safety_checks"]).length > 0) throw unchecked(name, request);
  const called = { name, arguments: inputText(item) };
  return { id: asText(item["call_id"]), type: "function", function: called, ...kept };
}

const unchecked = (name: string, { origin }: ResponsesRequest) =>
  errors.configuration(
    `${origin.provider} demands that a user checks a call of "${name}" (pending_safety_checks): set needsApproval of the agent's tool`,
  );

function namedCall(item: Fields, { names, textFunctions }: ResponsesRequest, before: Before): ModelToolCall {
  const { type, call_id, name: wireName, arguments: text, input, ...rest } = item;
  const id = typeof call_id === "string" ? call_id : "";
  const name = typeof wireName === "string" ? names.toOwn(wireName) : "";
  const kept = withMetadata({ item: rest, ...before });
  if (type === CUSTOM_CALL)
    return {
      ...{ id, type: "custom", custom: { name, input: asText(input) } },
      ...withMetadata({ item: { type, ...rest }, ...before }),
    };
  if (textFunctions.has(name))
    return { id, type: "custom", custom: { name, input: textInputIn(text) }, ...kept };
  return { id, type: "function", function: { name, arguments: asText(text ?? "{}") }, ...kept };
}

/** Some local models send decoded objects. */
const asText = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
