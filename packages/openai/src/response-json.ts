import { parseJson } from "@jaf/model-http";
import { errors } from "./error.ts";

/** The JSON of a 200. Throws an `OpenAIError` where it is none. */
export function responseJson(text: string, provider: string): unknown {
  if (text.trim() === "") throw errors.malformed(provider, "an empty body");
  const body = parseJson(text);
  if (body === undefined) throw errors.malformed(provider, "something that is not JSON");
  return body;
}
