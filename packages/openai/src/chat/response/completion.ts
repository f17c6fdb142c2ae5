import type { ModelCompletion } from "@jaf/core";
import { fieldsOf, isObject, listOf } from "@jaf/model-http";
import { errors } from "../../error.ts";
import { responseJson } from "../../response-json.ts";
import type { ChatRequest } from "../request/body.ts";
import { choiceError } from "./choice-error.ts";
import { messageOf } from "./message.ts";
import { usageOf } from "./usage.ts";

/** The body of a 200. Throws an `OpenAIError` where it reports an error or is no completion. */
export function completionOf(text: string, request: ChatRequest): ModelCompletion {
  const { provider } = request.origin;
  const body = responseJson(text, provider);
  const error = choiceError(body);
  if (error !== undefined && error !== null) throw errors.reported(error, provider);
  if (!isObject(body) || !Array.isArray(body["choices"])) throw errors.malformed(provider, "no completion");
  const choice = fieldsOf(listOf(body["choices"])[0]);
  if (choice["finish_reason"] === "error") throw errors.reported(undefined, provider);
  const usage = usageOf(body["usage"]);
  const finishReason = choice["finish_reason"];
  return {
    message: messageOf(fieldsOf(choice["message"]), request),
    origin: request.origin,
    ...(typeof finishReason === "string" ? { finish_reason: finishReason } : {}),
    ...(usage === undefined ? {} : { usage }),
  };
}
