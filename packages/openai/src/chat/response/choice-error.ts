import { errorIn, fieldsOf, listOf } from "@jaf/model-http";

/** Also of a reply that holds one in its first choice, as OpenRouter's do. */
export const choiceError = (body: unknown): unknown =>
  errorIn(body) ?? fieldsOf(listOf(fieldsOf(body)["choices"])[0])["error"];
